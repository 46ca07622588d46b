#!/usr/bin/env python3
"""Take the wire schemas from an official package and keep their structure only.

usage: schema/refresh.py crate VERSION DATE   from the crate, by schema/generator; needs cargo
       schema/refresh.py npm VERSION DATE     from the npm package; needs npm
       schema/refresh.py pages COMMIT DATE    the pages of the protocol, from its repository; needs git
       schema/refresh.py crate --check        make all of UPSTREAM again and compare

DATE is the day of the revision, as 2026-11-20. Writes schema/{v1,v2}/schema{,.unstable}.json,
schema/sentences.tsv and schema/UPSTREAM; with `crate`, also the version that schema/generator
depends on. The sentences are those of the schemas and of the pages, whichever of them is taken; git
fetches the pages each time. What is new (+), changed (~) or gone (-) among the sentences is told on
standard error. `--check` writes nothing: it prints the names of the files that differ, and its status
is 1 if there are any. If a command cannot do its work, the status is 2.
Prose is dropped (`description`, `$comment`, `x-docs-*`, every `title` that names no union
branch); everything that a validator, the method table or a report of reader effects needs is
kept, in upstream's order.
"""

import dataclasses
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

sys.dont_write_bytecode = True  # no folder of compiled modules among the schemas
import sentences  # noqa: E402

CRATE = "agent-client-protocol-schema"
PACKAGE = "@agentclientprotocol/sdk"
REPOSITORY = "https://github.com/agentclientprotocol/agent-client-protocol"
PAGES = "docs/protocol"
# Pages without requirements of their own: the schemas as a table, and advice for those who move.
NO_SOURCE = {"schema", "migration"}
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
    """The documents of the npm package, the checksum of its archive, and no source in Rust."""
    run("npm", "pack", "--silent", f"{PACKAGE}@{version}", cwd=folder)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as tar:
        try:
            documents = {name: json.load(tar.extractfile(f"package/schema/{name}")) for name in FILES}
        except KeyError as error:
            raise Failure(f"{PACKAGE} {version}: {error.args[0]}") from error
    return documents, sha256(archive.read_bytes()), {}


def from_crate(version, folder):
    """The documents that the generator makes, the registry's checksum of the crate, and its source.

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
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    packages = json.loads(run(*command, cwd=folder))["packages"]
    (crate,) = (pathlib.Path(it["manifest_path"]).parent for it in packages if it["name"] == CRATE)
    return documents, locked[1], {
        version: [file.read_text("utf-8") for file in sorted((crate / "src" / f"v{version}").glob("*.rs"))]
        for version in ("1", "2")
    }


def pages_at(commit, folder):
    """The texts of the protocol's pages in a commit, by names as `v1/draft/terminals`."""
    folder.mkdir()
    run("git", "init", "--quiet", cwd=folder)
    run("git", "fetch", "--quiet", "--depth", "1", REPOSITORY, commit, cwd=folder)
    names = run("git", "ls-tree", "-r", "--name-only", "FETCH_HEAD", PAGES, cwd=folder).decode()
    pages = {}
    for path in names.splitlines():
        name = path.removeprefix(f"{PAGES}/").removesuffix(".mdx")
        if re.match(r"v[12]/", name) and name.rsplit("/", 1)[1] not in NO_SOURCE:
            pages[name] = run("git", "show", f"FETCH_HEAD:{path}", cwd=folder).decode()
    if not pages:
        raise Failure(f"commit {commit} has no {PAGES}/v1")
    return pages


@dataclasses.dataclass(frozen=True)
class Pin:
    """What the schemas and the sentences are made from."""

    source: str
    version: str
    date: str
    commit: str
    pages_date: str

    def made(self, folder):
        """The documents with prose, the checksum of their archive, and the sentences."""
        package = folder / "package"
        package.mkdir(parents=True)
        take = {"npm": from_npm, "crate": from_crate}[self.source]
        documents, archive, source = take(self.version, package)
        pages = pages_at(self.commit, folder / "pages")
        found = [*sentences.of_pages(pages), *sentences.of_schemas(documents)]
        for version, files in source.items():
            found += sentences.of_source(version, files, documents, found)
        return documents, archive, sentences.united(found)

    def upstream(self, archive, files):
        """The text of UPSTREAM."""
        package = {"npm": PACKAGE, "crate": CRATE}[self.source]
        lines = [f"{self.source} {package} {self.version}", f"date {self.date}"]
        lines += [f"archive sha256 {archive}", f"pages {self.commit} {self.pages_date}"]
        lines += [f"{name} sha256 {sha256(content)}" for name, content in files.items()]
        return "\n".join(lines) + "\n"


def contents(pin, former, folder):
    """All files of a refresh by their names in this folder, and what to tell about sentences.

    `former` is what the stored files were made from.
    """
    documents, archive, found = pin.made(folder / "new")
    before = found if pin == former else former.made(folder / "old")[2]
    files = {name: written(lean(it)).encode() for name, it in documents.items()}
    upstream = pin.upstream(archive, files).encode()
    stored = HERE / "sentences.tsv"
    known = sentences.placed(stored.read_text("utf-8")) if stored.exists() else {}
    table, told = sentences.taken_over(found, before, known)
    files["sentences.tsv"] = table.encode()
    files["UPSTREAM"] = upstream
    if pin.source == "crate":
        made = folder / "new" / "package"
        files.update((f"generator/{name}", (made / name).read_bytes()) for name in PINNED)
    return files, told + own_words(found)


def own_words(found):
    """A line for each text of `requirements.tsv` that is too close to upstream's."""
    stored = HERE / "requirements.tsv"
    if not stored.exists():
        return []
    rows = [line.split("\t") for line in stored.read_text("utf-8").splitlines()[1:]]
    close = sentences.borrowed([(row[0], row[3]) for row in rows], found)
    return [f"! {requirement}: seven words in a row are upstream's" for requirement in close]


def stored():
    """What UPSTREAM names."""
    text = (HERE / "UPSTREAM").read_text("utf-8")
    head = rf"(crate {CRATE}|npm {PACKAGE}) (\S+)\ndate (\S+)\n.*\npages (\S+) (\S+)\n"
    found = re.match(head, text)
    if not found:
        raise Failure("UPSTREAM does not begin with a package, its date, its archive and the pages")
    source, *rest = found.groups()
    return Pin(source.split(" ")[0], *rest)


def asked(words):
    """What is to be made; `None` where the words are none of the usage."""
    if words == ["crate", "--check"]:
        return stored()
    forms = {"crate": r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", "pages": r"[0-9a-f]{40}"}
    forms["npm"] = forms["crate"]
    if len(words) != 3 or not re.fullmatch(forms.get(words[0], "(?!)"), words[1]):
        return None
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", words[2]):
        return None
    try:
        datetime.datetime.strptime(words[2], "%Y-%m-%d")
    except ValueError:
        return None
    if words[0] == "pages":
        return dataclasses.replace(stored(), commit=words[1], pages_date=words[2])
    return dataclasses.replace(stored(), source=words[0], version=words[1], date=words[2])


def main():
    words = sys.argv[1:]
    is_check = words[1:] == ["--check"]
    try:
        pin = asked(words)
        if not pin:
            print(__doc__.split("\n\n")[1], file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory() as folder:
            files, told = contents(pin, stored(), pathlib.Path(folder))
    except Failure as failure:
        print(f"refresh.py: {failure}", file=sys.stderr)
        return 2
    print("".join(f"{line}\n" for line in told), end="", file=sys.stderr)
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
