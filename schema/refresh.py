#!/usr/bin/env python3
"""Take the wire schemas from an official package and keep their structure only.

usage: schema/refresh.py crate VERSION DATE   from the crate, by schema/generator; needs cargo
       schema/refresh.py npm VERSION DATE     from the npm package; needs npm
       schema/refresh.py crate --check        make those of UPSTREAM again and compare

DATE is the day of the revision, as 2026-11-20. Writes schema/{v1,v2}/schema{,.unstable}.json and
schema/UPSTREAM; with `crate`, also the version that schema/generator depends on. `--check` writes
nothing: it prints the names of the files that differ, and its status is 1 if there are any. If a
command cannot do its work, the status is 2.
Prose is dropped (`description`, `$comment`, `x-docs-*`, every `title` that names no union
branch); everything that a validator, the method table or a report of reader effects needs is
kept, in upstream's order.
"""

import datetime
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

CRATE = "agent-client-protocol-schema"
PACKAGE = "@agentclientprotocol/sdk"
HERE = pathlib.Path(__file__).resolve().parent
GENERATOR = HERE / "generator"
PINNED = ("Cargo.toml", "Cargo.lock")
FILES = [f"{version}/schema{kind}.json" for version in ("v1", "v2") for kind in ("", ".unstable")]
# Keywords whose value is a map from names to schemas: there `description` or `title` is the
# name of a member of the protocol, not prose.
NAMED = {"properties", "$defs", "patternProperties"}
PROSE = {"description", "$comment", "x-docs-ignore", "examples"}


class Failure(Exception):
    """Why nothing was written, in words for the user."""


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


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def run(*command, cwd):
    """What a program writes to its standard output."""
    try:
        return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE).stdout
    except OSError as error:
        raise Failure(f"{command[0]} cannot be started: {error}") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"`{' '.join(command)}` failed with status {error.returncode}") from error


def from_npm(version, folder):
    """The documents of the npm package, and the checksum of its archive."""
    run("npm", "pack", "--silent", f"{PACKAGE}@{version}", cwd=folder)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as tar:
        try:
            documents = {name: json.load(tar.extractfile(f"package/schema/{name}")) for name in FILES}
        except KeyError as error:
            raise Failure(f"{PACKAGE} {version}: {error.args[0]}") from error
    return documents, sha256(archive.read_bytes())


def from_crate(version, folder):
    """The documents that the generator makes, and the registry's checksum of the crate.

    Works on a copy of the generator in `folder`, which ends up with the pin and the lock file of
    the version.
    """
    (folder / "src").mkdir()
    for name in (*PINNED, "src/main.rs"):
        shutil.copyfile(GENERATOR / name, folder / name)
    manifest = folder / "Cargo.toml"
    pin = re.compile(rf'^{CRATE} = "=[^"]*"$', re.MULTILINE)
    text, pins = pin.subn(f'{CRATE} = "={version}"', manifest.read_text("utf-8"))
    if pins != 1:
        raise Failure(f"{GENERATOR / 'Cargo.toml'} does not pin {CRATE} on a line of its own")
    manifest.write_bytes(text.encode())
    run("cargo", "fetch", cwd=folder)  # changes the lock file where the pin asks for it only
    documents = {}
    for name in FILES:
        features = ["unstable"] if ".unstable" in name else []
        features += ["unstable_protocol_v2"] if name.startswith("v2/") else []
        build = ["cargo", "run", "--quiet", "--locked", "--target-dir", str(folder / "target")]
        documents[name] = json.loads(run(*build, "--features", ",".join(features), cwd=folder))
    locked = re.search(
        rf'name = "{CRATE}"\nversion = "{re.escape(version)}"\nsource = ".*"\nchecksum = "(.*)"',
        (folder / "Cargo.lock").read_text("utf-8"),
    )
    if not locked:
        raise Failure(f"the lock file has no checksum of {CRATE} {version}")
    return documents, locked[1]


def contents(source, version, date, folder):
    """All files of a refresh, by their names in this folder."""
    take, package = {"npm": (from_npm, PACKAGE), "crate": (from_crate, CRATE)}[source]
    documents, archive = take(version, folder)
    files = {name: written(lean(it)).encode() for name, it in documents.items()}
    upstream = [f"{source} {package} {version}", f"date {date}", f"archive sha256 {archive}"]
    upstream += [f"{name} sha256 {sha256(content)}" for name, content in files.items()]
    files["UPSTREAM"] = ("\n".join(upstream) + "\n").encode()
    if source == "crate":
        files.update((f"generator/{name}", (folder / name).read_bytes()) for name in PINNED)
    return files


def stored():
    """Version and date of the crate that UPSTREAM names."""
    text = (HERE / "UPSTREAM").read_text("utf-8")
    found = re.match(rf"crate {CRATE} (\S+)\ndate (\S+)\n", text)
    if not found:
        raise Failure("UPSTREAM does not begin with the version of a crate and its date")
    return found.groups()


def arguments(words):
    """Source, version and date; `None` where the words are none of the usage."""
    if words == ["crate", "--check"]:
        return words
    if len(words) != 3 or words[0] not in ("npm", "crate"):
        return None
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", words[1]):
        return None
    try:
        datetime.datetime.strptime(words[2], "%Y-%m-%d")
    except ValueError:
        return None
    return words if re.fullmatch(r"\d{4}-\d\d-\d\d", words[2]) else None


def main():
    words = arguments(sys.argv[1:])
    if not words:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    is_check = words[1] == "--check"
    try:
        source, version, date = ("crate", *stored()) if is_check else words
        with tempfile.TemporaryDirectory() as folder:
            files = contents(source, version, date, pathlib.Path(folder))
    except Failure as failure:
        print(f"refresh.py: {failure}", file=sys.stderr)
        return 2
    differ = []
    for name, content in files.items():
        target = HERE / name
        if target.exists() and target.read_bytes() == content:
            continue
        differ.append(name)
        if not is_check:
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
    print("".join(f"{name}\n" for name in differ), end="")
    return 1 if is_check and differ else 0


if __name__ == "__main__":
    sys.exit(main())
