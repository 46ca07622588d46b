//! The invariants of `src/lib.rs` that can be checked by reading the sources.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::LazyLock,
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The modules of the crate, each of which imports only from those before it.
const ORDER: [&str; 24] = [
    "source",
    "map",
    "json",
    "protocol",
    "requirements",
    "transcript",
    "event",
    "model",
    "rule",
    "rules",
    "vocabulary",
    "diagnostic",
    "check",
    "plans",
    "audit",
    "report",
    "diff",
    "redact",
    "reduce",
    "record",
    "drive",
    "play",
    "testing",
    "cli",
];

/// Imports between modules of one folder that close a circle, to be removed. Each is written as
/// `folder: from -> to`.
const CIRCLES: &[&str] = &[];

/// A source file.
struct Source {
    /// Its path from `src`.
    path: String,
    /// Its tokens, see [`tokens`].
    tokens: Vec<String>,
    /// The tokens joined, for searching: see [`code`].
    code: String,
}

/// All sources.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .map(|entry| {
            let path = entry.path().strip_prefix(&root).unwrap().display().to_string();
            let text = fs::read_to_string(entry.path()).unwrap();
            let tokens = tokens(&text);
            Source { path, code: code(&tokens), tokens }
        })
        .collect()
});

/// The words and signs of a text without comments, with nothing in its strings and characters, and
/// without the items that are compiled for tests only.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    flatten(text.parse().expect("the compiler has read it"), &mut tokens);
    without_tests(&tokens)
}

/// Adds the tokens of a stream, those of its groups between their delimiters.
fn flatten(stream: TokenStream, tokens: &mut Vec<String>) {
    for token in stream {
        match token {
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::None => ["", ""],
                };
                tokens.push(open.to_owned());
                flatten(group.stream(), tokens);
                tokens.push(close.to_owned());
            }
            TokenTree::Ident(word) => tokens.push(word.to_string()),
            TokenTree::Punct(sign)
                if sign.as_char() == ':' && tokens.last().is_some_and(|last| last == ":") =>
            {
                "::".clone_into(tokens.last_mut().unwrap());
            }
            TokenTree::Punct(sign) => tokens.push(sign.to_string()),
            TokenTree::Literal(_) => tokens.push("\"\"".to_owned()),
        }
    }
}

fn without_tests(tokens: &[String]) -> Vec<String> {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        if rest.len() < TEST.len() || rest.iter().zip(TEST).any(|(token, test)| token != test) {
            kept.push(first.clone());
            rest = &rest[1..];
            continue;
        }
        let mut depth = 0_usize;
        let end = rest.iter().position(|token| {
            match token.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(token.as_str(), "}" | ";")
        });
        rest = end.map_or(&[], |end| &rest[end + 1..]);
    }
    kept
}

/// The tokens as a text, with a space between two words alone.
fn code(tokens: &[String]) -> String {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut code = String::new();
    for token in tokens {
        if code.ends_with(is_word) && token.starts_with(is_word) {
            code.push(' ');
        }
        code += token;
    }
    code
}

/// A path that a module names.
struct Named<'s> {
    path: Vec<&'s str>,
    /// The name under which it can be imported from the module, where it is exported again.
    exported: Option<&'s str>,
}

/// All paths that a code names, in `use` and elsewhere.
fn named<'s>(tokens: &[&'s str]) -> Vec<Named<'s>> {
    let is_name = |token: &str| token.starts_with(|it: char| it.is_alphabetic() || it == '_');
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).map_or("", |before| tokens[before]);
        if tokens[at] == "use" && matches!(before, "" | ";" | "}" | "{" | "pub" | ")" | "]") {
            let is_public = before == "pub" || before == ")";
            let mut paths = Vec::new();
            at = tree(tokens, at + 1, &[], &mut paths);
            found.extend(
                paths
                    .into_iter()
                    .map(|(path, name)| Named { path, exported: is_public.then_some(name) }),
            );
        } else if is_name(tokens[at]) && !matches!(before, "::" | ".") {
            let mut path = vec![tokens[at]];
            while tokens.get(at + 1) == Some(&"::")
                && tokens.get(at + 2).is_some_and(|it| is_name(it))
            {
                path.push(tokens[at + 2]);
                at += 2;
            }
            at += 1;
            if path.len() > 1 {
                found.push(Named { path, exported: None });
            }
        } else {
            at += 1;
        }
    }
    found
}

/// Reads the tree of a `use` from a token on: its paths, each with the name that it gets. Returns
/// the place of the token after it.
fn tree<'s>(
    tokens: &[&'s str],
    mut at: usize,
    prefix: &[&'s str],
    paths: &mut Vec<(Vec<&'s str>, &'s str)>,
) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens[at] {
            "{" => {
                at += 1;
                while tokens[at] != "}" {
                    at = tree(tokens, at, &path, paths);
                    at += usize::from(tokens[at] == ",");
                }
                return at + 1;
            }
            "::" => at += 1,
            "self" if !path.is_empty() => at += 1,
            word => {
                path.push(word);
                at += 1;
            }
        }
        if tokens[at] == "as" {
            paths.push((path, tokens[at + 1]));
            return at + 2;
        }
        if tokens[at] != "::" && tokens[at - 1] != "::" {
            let name = path.last().copied().unwrap_or_default();
            paths.push((path, name));
            return at;
        }
    }
}

/// The modules of the crate, as files: a module is written as its path with slashes.
struct Modules {
    /// By module: the modules that it takes something from.
    imports: BTreeMap<String, BTreeSet<String>>,
}

/// A path that a module names, and the name under which it passes it on.
type NamedPath<'t> = (Vec<String>, Option<&'t str>);

impl Modules {
    fn read() -> Self {
        let module = |source: &Source| source.path.trim_end_matches(".rs").to_owned();
        let codes: BTreeMap<String, Vec<&str>> = SOURCES
            .iter()
            .map(|source| (module(source), source.tokens.iter().map(String::as_str).collect()))
            .filter(|(module, _)| module != "lib" && module != "main")
            .collect();
        let named: BTreeMap<&str, Vec<NamedPath<'_>>> = codes
            .iter()
            .map(|(module, tokens)| {
                let paths = named(tokens)
                    .into_iter()
                    .filter_map(|it| Some((absolute(module, &it.path, &codes)?, it.exported)));
                (module.as_str(), paths.collect())
            })
            .collect();
        let exports: BTreeMap<(&str, &str), &[String]> = named
            .iter()
            .flat_map(|(module, paths)| {
                paths.iter().filter_map(|(path, name)| Some(((*module, (*name)?), &**path)))
            })
            .collect();
        let imports = named
            .iter()
            .map(|(module, paths)| {
                let targets = paths.iter().filter_map(|(path, _)| resolve(path, &codes, &exports));
                ((*module).to_owned(), targets.filter(|target| target != module).collect())
            })
            .collect();
        Self { imports }
    }
}

/// A path from the root of the crate; `None` for one into another crate.
fn absolute(
    module: &str,
    path: &[&str],
    modules: &BTreeMap<String, Vec<&str>>,
) -> Option<Vec<String>> {
    let mut base: Vec<&str> = module.split('/').collect();
    let mut rest = path;
    match path[0] {
        "crate" => {
            base.clear();
            rest = &path[1..];
        }
        "self" => rest = &path[1..],
        "super" => {
            while rest.first() == Some(&"super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        child if modules.contains_key(&format!("{module}/{child}")) => {}
        _ => return None,
    }
    Some(base.iter().chain(rest).map(|name| (*name).to_owned()).collect())
}

/// The module that defines what a path leads to.
fn resolve(
    path: &[String],
    modules: &BTreeMap<String, Vec<&str>>,
    exports: &BTreeMap<(&str, &str), &[String]>,
) -> Option<String> {
    let longest =
        (1..=path.len()).rev().find(|end| modules.contains_key(&path[..*end].join("/")))?;
    let module = path[..longest].join("/");
    let exported = path.get(longest).and_then(|name| exports.get(&(&module, name)));
    match exported {
        Some(origin) => {
            let whole: Vec<_> = origin.iter().chain(&path[longest + 1..]).cloned().collect();
            resolve(&whole, modules, exports)
        }
        None => Some(module),
    }
}

/// The words that stand in a source that `applies` takes.
fn offenders(applies: impl Fn(&str) -> bool, words: &[&str]) -> Vec<String> {
    SOURCES
        .iter()
        .filter(|source| applies(&source.path))
        .flat_map(|Source { path, code, .. }| {
            let found = words.iter().filter(|word| code.contains(**word));
            found.map(move |word| format!("{path}: {word}"))
        })
        .collect()
}

const NONE: [String; 0] = [];

#[test]
fn only_the_command_line_touches_the_world() {
    let is_core = |name: &str| !name.starts_with("cli") && name != "main.rs";
    let words =
        ["std::fs", "std::process", "std::env", "TcpStream", "UdpSocket", "println!", "SystemTime"];
    assert_eq!(offenders(is_core, &words), NONE);
    assert_eq!(offenders(is_core, &["clap::"]), NONE);
}

#[test]
fn the_model_never_judges() {
    let is_model = |name: &str| name.starts_with("model");
    assert_eq!(offenders(is_model, &["Diagnostic", "Verdict", "Finding::", "Severity"]), NONE);
}

#[test]
fn rules_change_nothing_and_hold_nothing() {
    let is_rule = |name: &str| name.starts_with("rules/");
    let words = ["&mut Connection", "static mut", "Cell<", "Mutex", "thread_local", "OnceLock"];
    assert_eq!(offenders(is_rule, &words), NONE);
}

#[test]
fn modules_import_only_from_those_before_them() {
    let top = |module: &str| module.split('/').next().unwrap().to_owned();
    let place = |module: &str| {
        let place = ORDER.iter().position(|own| *own == top(module));
        place.unwrap_or_else(|| panic!("{module} has no place in the order of modules"))
    };
    let modules = Modules::read();
    let wrong: Vec<_> = modules
        .imports
        .iter()
        .flat_map(|(module, targets)| targets.iter().map(move |target| (module, target)))
        .filter(|(module, target)| place(target) > place(module))
        .filter(|(module, target)| {
            !CIRCLES.contains(&&*named_import("", &top(module), &top(target)))
        })
        .map(|(module, target)| format!("{module} imports {target}"))
        .collect();
    assert_eq!(wrong, NONE);
}

/// A file and the folder of its name are one module.
#[test]
fn modules_of_a_folder_import_in_no_circle() {
    let modules = Modules::read();
    let mut folders: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for (module, targets) in &modules.imports {
        for target in targets {
            let Some((folder, from, to)) = siblings(module, target) else { continue };
            folders.entry(folder).or_default().entry(from).or_default().insert(to);
        }
    }
    let mut known = BTreeSet::new();
    let mut circles = Vec::new();
    for (folder, imports) in &folders {
        let name = |from: &str, to: &str| named_import(folder, from, to);
        let mut rest = imports.clone();
        for (from, targets) in imports {
            for to in targets {
                if CIRCLES.contains(&&*name(from, to)) && reaches(imports, to, from) {
                    known.insert(name(from, to));
                    rest.get_mut(from).unwrap().remove(to);
                }
            }
        }
        for (from, targets) in &rest {
            let closing = targets.iter().filter(|to| reaches(&rest, to, from));
            circles.extend(closing.map(|to| name(from, to)));
        }
    }
    assert_eq!(circles, NONE, "these imports are parts of circles");
    let stale: Vec<_> = CIRCLES.iter().filter(|it| !known.contains(**it)).collect();
    assert!(stale.is_empty(), "no circles any more, to be taken out of the list: {stale:?}");
}

/// An import between modules of a folder, as [`CIRCLES`] has it.
fn named_import(folder: &str, from: &str, to: &str) -> String {
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("src{slash}{folder}: {from} -> {to}")
}

/// The lowest folder that two modules have in common, and what they are in there; `None` where one
/// is in the other.
fn siblings<'m>(one: &'m str, other: &'m str) -> Option<(&'m str, &'m str, &'m str)> {
    let common = one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other);
    let length: usize = common.map(|(name, _)| name.len() + 1).sum();
    let name = |path: &'m str| path.get(length..)?.split('/').next();
    let (from, to) = (name(one)?, name(other)?);
    Some((one[..length].trim_end_matches('/'), from, to))
}

/// Whether a module imports another one, perhaps by way of others.
fn reaches(imports: &BTreeMap<&str, BTreeSet<&str>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        if module == to {
            return true;
        }
        let targets = imports.get(module).into_iter().flatten();
        next.extend(targets.filter(|target| seen.insert(target)));
    }
    false
}

/// The page of `lib.rs` says where things are and which files to edit: they are there.
#[test]
fn files_that_the_page_names_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let lines: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("//!")).collect();
    let text = lines.join("\n");
    let named = text.split('`').skip(1).step_by(2);
    let is_path = |name: &&str| {
        ["src/", "tests/", "schema/", "fixtures/"].iter().any(|folder| name.starts_with(folder))
            && !name.contains(['<', '{', '…'])
    };
    let paths: BTreeSet<_> = named.filter(is_path).collect();
    assert!(paths.len() > 15, "{paths:?}");
    for path in paths {
        assert!(root.join(path).exists(), "{path} is named in src/lib.rs and is not there");
    }
}

#[test]
fn sources_are_read_without_tests_comments_and_texts() {
    let text = r##"
        use crate::{a::{self, B}, c::D as E}; // use crate::f;
        const TEXT: &str = "}\" use crate::g; {";
        const RAW: &str = r#"use "crate"::h;"#;
        fn of<'t>(quote: &'t char) -> bool { *quote == '"' || *quote == '\'' }
        #[cfg(test)]
        mod tests { fn one() { crate::i::j(); } }
        pub use self::k::L;
        fn two() { super::m::n(&crate::o::P) }
    "##;
    let tokens = tokens(text);
    let tokens: Vec<_> = tokens.iter().map(String::as_str).collect();
    let paths: Vec<_> = named(&tokens).into_iter().map(|it| it.path.join("::")).collect();
    let expected =
        ["crate::a", "crate::a::B", "crate::c::D", "self::k::L", "super::m::n", "crate::o::P"];
    assert_eq!(paths, expected);
}

#[test]
fn nothing_reaches_the_network() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock = fs::read_to_string(manifest).unwrap();
    for name in ["reqwest", "rustls", "openssl", "tokio", "hyper", "native-tls"] {
        assert!(!lock.contains(&format!("name = \"{name}\"\n")), "{name} is a dependency");
    }
}

/// Whoever writes transcripts must not be able to choose keys that all fall together.
#[test]
fn tables_of_foreign_keys_are_seeded() {
    // Their keys are our own: methods, rules, numbers.
    let own =
        ["check/dispatch.rs", "protocol/schema.rs", "report/compliance/transcript_section.rs"];
    let is_other = |name: &str| !own.contains(&name);
    assert_eq!(
        offenders(is_other, &["rustc_hash", "FxHash", "FxBuild", "DefaultHasher::new"]),
        NONE
    );
    // The command line has those of the standard library, which are seeded.
    let is_core = |name: &str| !name.starts_with("cli") && name != "map.rs";
    assert_eq!(offenders(is_core, &["collections::HashMap", "collections::HashSet"]), NONE);
}

/// Files that compare the JSON text of a string first: two strings of one spelling say the same. Where
/// the spellings differ, they decode the strings.
const READ_SPELLINGS: [&str; 1] = ["model/session/plans/item_list.rs"];

#[test]
fn models_and_rules_compare_decoded_texts() {
    let words = ["raw()", "Node::raw", "raw_inner", ".text()["];
    let judges = ["event", "model", "plans", "rule"];
    let is_judge = |name: &str| judges.iter().any(|judge| name.starts_with(judge));
    let is_excepted = |name: &str| READ_SPELLINGS.contains(&name);
    assert_eq!(offenders(|name| is_judge(name) && !is_excepted(name), &words), NONE);
    for file in READ_SPELLINGS {
        assert_ne!(offenders(|name| name == file, &words), NONE, "{file} is no exception any more");
    }
}
