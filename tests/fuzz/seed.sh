#!/usr/bin/env bash
# Fills tests/fuzz/corpus with what the fixtures and the examples of the README have, in the form in which
# each target takes it. May be run again.
set -euo pipefail
cd "$(dirname "$0")/../.."

corpus=tests/fuzz/corpus
mkdir -p "$corpus"/{check,formats,tape,schema,config}

# Small files teach a fuzzer more than large ones.
outputs='0123456789:;' number=0
find fixtures -type f -size -12k | sort | while IFS= read -r file; do
    name=${file//[\/ ]/-}
    # Outputs are chosen by a character from `0` on.
    number=$(((number + 1) % 12))
    { printf '0000%s' "${outputs:number:1}"; cat "$file"; } >"$corpus/check/$name"
    case $file in
    fixtures/formats/*)
        format=$(basename "$(dirname "$file")")
        { printf '%s\n' "$format"; cat "$file"; } >"$corpus/formats/$format-$name"
        { printf '\n'; cat "$file"; } >"$corpus/formats/$name"
        ;;
    esac
done

# Every line is a text, and most are messages.
lines=$(mktemp -d)
trap 'rm -rf "$lines"' EXIT
find fixtures -type f -name '*.ndjson' -size -12k -exec cat {} + | LC_ALL=C sort -u |
    split -a 5 -l 1 - "$lines/line-"
find "$lines" -type f -size +1c | while IFS= read -r file; do
    name=$(basename "$file")
    cp "$file" "$corpus/tape/$name"
    { printf '0'; cat "$file"; } >"$corpus/schema/v1-$name"
    { printf '2'; cat "$file"; } >"$corpus/schema/v2-$name"
done

# The configurations of the README, each a file.
awk -v out="$corpus/config/readme-" '
    /^```toml$/ { number++; file = out number; printf "c" > file; next }
    /^```$/ { if (file) close(file); file = ""; next }
    file { print > file }
' README.md
cp tests/fuzz/seeds/config/* "$corpus/config/"
