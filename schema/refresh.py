#!/usr/bin/env python3
"""Take the wire schemas from the official npm package and keep their structure only.

usage: schema/refresh.py [VERSION]

Needs npm. Writes schema/{v1,v2}/schema{,.unstable}.json and schema/UPSTREAM.
Prose is dropped (`description`, `$comment`, `x-docs-*`, every `title` that names no union
branch); everything that a validator, the method table or a report of reader effects needs is
kept, in upstream's order.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

PACKAGE = "@agentclientprotocol/sdk"
HERE = pathlib.Path(__file__).resolve().parent
FILES = [f"{version}/schema{kind}.json" for version in ("v1", "v2") for kind in ("", ".unstable")]
# Keywords whose value is a map from names to schemas: there `description` or `title` is the
# name of a member of the protocol, not prose.
NAMED = {"properties", "$defs", "patternProperties"}
PROSE = {"description", "$comment", "x-docs-ignore", "examples"}


def lean(schema, within_union=False):
    """`schema` without prose. A title stays where it alone tells the open branch of a union."""
    if isinstance(schema, list):
        return [lean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {}
    for key, value in schema.items():
        if key in PROSE or (key == "title" and not within_union):
            continue
        if key in NAMED:
            out[key] = {name: lean(item) for name, item in value.items()}
        elif key in ("anyOf", "oneOf"):
            out[key] = [lean(item, within_union=True) for item in value]
        elif key in ("const", "enum", "default", "required"):
            out[key] = value
        else:
            out[key] = lean(value)
    return out


def written(schema):
    """The text of a document: its definitions come last, each on a line of its own."""
    head = dict(schema)
    definitions = head.pop("$defs")
    lines = ",\n".join(f"{compact(name)}:{compact(it)}" for name, it in definitions.items())
    return f'{compact(head)[:-1]},"$defs":{{\n{lines}\n}}}}\n'


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def main():
    version = sys.argv[1] if len(sys.argv) > 1 else "2.4.0"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", f"{PACKAGE}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (archive,) = pathlib.Path(folder).glob("*.tgz")
        upstream = [f"package {PACKAGE} {version}", f"archive sha256 {hashlib.sha256(archive.read_bytes()).hexdigest()}"]
        with tarfile.open(archive) as tar:
            for name in FILES:
                text = tar.extractfile(f"package/schema/{name}").read()
                upstream.append(f"{name} sha256 {hashlib.sha256(text).hexdigest()}")
                target = HERE / name
                target.parent.mkdir(exist_ok=True)
                target.write_text(written(lean(json.loads(text))))
    (HERE / "UPSTREAM").write_text("\n".join(upstream) + "\n")


if __name__ == "__main__":
    main()
