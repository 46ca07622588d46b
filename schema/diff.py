#!/usr/bin/env python3
"""Tell what differs between two states of the wire schemas, and which rules it may touch.

usage: schema/diff.py OLD [NEW]

OLD and NEW are folders with v1/ and v2/, or `git:REV` for what is stored in that commit; NEW is
this folder unless given. Printed for each surface: definitions added (+), removed (-) and changed
(~), with the path of each change, and the rules under src/rules that name such a definition, or a
member or value that changed in it, in a string literal. A helper of several rules has no id: its
file is printed instead. A name that many rules have is only counted.
"""

import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # no folder of compiled modules among the schemas
from refresh import FILES, HERE, compact, lean  # noqa: E402

ROOT = HERE.parent
# Comments, characters, raw and plain string literals of Rust: the first three may contain quotation
# marks that open nothing. A definition's name is a whole plain literal.
LITERAL = re.compile(r"""//[^\n]*|'\\?"'|r(#*)".*?"\1|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
RULE_ID = re.compile(r'^    id: "([a-z-]+/[a-z0-9-]+)"', re.MULTILINE)
# In the path of a change: a member, the value of a tag or `const`, an item of `required` or `enum`.
# Titles are no names of the protocol.
NAME = re.compile(r'/properties/([^/\[]+)|[\[,](?!title=)[^=\[\]",/]+=([^\],]+)|\["([^"]+)"\]')
# A label `type=string` names no value. No rule reads the marks about state.
KINDS = {"array", "boolean", "integer", "null", "number", "object", "string"}
UNREAD = ("/x-state", "/x-scope")
MANY = 12
MISSING = object()


def document(state, name):
    """One schema of a state, without prose."""
    if state.startswith("git:"):
        show = ["git", "show", f"{state[4:]}:schema/{name}"]
        text = subprocess.run(show, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    else:
        text = (pathlib.Path(state) / name).read_bytes()
    return lean(json.loads(text))


def label(schema):
    """What tells a branch of a union, or one of several demands, from its siblings."""
    if not isinstance(schema, dict):
        return compact(schema)
    members = schema.get("properties", {}).items()
    tags = [f"{name}={it['const']}" for name, it in members if isinstance(it, dict) and "const" in it]
    if tags:
        return ",".join(tags)
    for keyword in ("title", "const", "$ref"):
        if keyword in schema:
            return f"{keyword}={schema[keyword]}".replace("$ref=#/$defs/", "")
    if "allOf" in schema:
        return "+".join(label(part) for part in schema["allOf"])
    kind = schema.get("type")
    return f"type={kind}" if isinstance(kind, str) else "…"


def labelled(items):
    """The items of a list by what tells them apart, so that an insertion moves none."""
    out = {}
    for item in items:
        name, count = label(item), 1
        while name in out:
            count += 1
            name = f"{label(item)}#{count}"
        out[name] = item
    return out


def short(value):
    text = compact(value)
    return text if len(text) <= 90 else text[:89] + "…"


def changes(old, new, path=""):
    """Lines that lead from one value to another."""
    if old is MISSING:
        yield f"+ {path} {short(new)}"
    elif new is MISSING:
        yield f"- {path} {short(old)}"
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from changes(old.get(key, MISSING), new.get(key, MISSING), f"{path}/{key}")
    elif isinstance(old, list) and isinstance(new, list):
        old, new = labelled(old), labelled(new)
        for key in [*old, *(key for key in new if key not in old)]:
            yield from changes(old.get(key, MISSING), new.get(key, MISSING), f"{path}[{key}]")
        common = [key for key in old if key in new]
        if common != [key for key in new if key in old]:
            yield f"~ {path} has another order"
    # In Python, True equals 1.
    elif old != new or type(old) is not type(new):
        yield f"~ {path} {short(old)} -> {short(new)}"


def changed_names(lines):
    """The innermost name on the path of each change."""
    out = {}
    for line in lines:
        path = line.split(" ", 2)[1]
        found = NAME.findall(path)
        if found and not any(mark in path for mark in UNREAD):
            out["".join(found[-1])] = None
    return [name for name in out if name not in KINDS]


def rules():
    """For each string literal under src/rules, the ids of the rules in the same file."""
    out = {}
    for file in sorted((ROOT / "src" / "rules").rglob("*.rs")):
        source = file.read_text("utf-8")
        names = RULE_ID.findall(source) or [file.relative_to(ROOT).as_posix()]
        for literal in {found[2] for found in LITERAL.finditer(source) if found[2]}:
            out.setdefault(literal, []).extend(names)
    return out


def compared(name, old, new, naming):
    """The lines about one surface."""
    was, now = old["$defs"], new["$defs"]
    added = [it for it in now if it not in was]
    removed = [it for it in was if it not in now]
    paths = {it: list(changes(was[it], now[it])) for it in was if it in now}
    changed = [it for it in paths if paths[it]]
    yield (
        f"{name}: {len(was)} -> {len(now)} definitions; "
        f"{len(added)} added, {len(removed)} removed, {len(changed)} changed"
    )
    for sign, definitions in (("+", added), ("-", removed), ("~", changed)):
        for definition in definitions:
            yield f"  {sign} {definition}"
            yield from (f"      {line}" for line in paths.get(definition, ()))
            known = naming.get(definition, [])
            if known:
                yield f"      rules: {', '.join(known)}"
            for name in changed_names(paths.get(definition, ())):
                more = [rule for rule in naming.get(name, ()) if rule not in known]
                if more:
                    listed = ", ".join(more) if len(more) <= MANY else f"{len(more)}, not listed"
                    yield f"      rules that say {compact(name)}: {listed}"
    heads = [{key: it for key, it in side.items() if key != "$defs"} for side in (old, new)]
    head = list(changes(*heads))
    if head:
        yield "  ~ outside of the definitions"
        yield from (f"      {line}" for line in head)


def main():
    states = sys.argv[1:]
    if not 1 <= len(states) <= 2 or any(state.startswith("-") for state in states):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    old, new = states if len(states) == 2 else (*states, str(HERE))
    naming, lines = rules(), []
    for name in FILES:
        try:
            sides = document(old, name), document(new, name)
        except OSError as error:
            print(f"diff.py: {error}", file=sys.stderr)
            return 2
        except subprocess.CalledProcessError:
            return 2  # git has said why
        lines += compared(name, *sides, naming)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
