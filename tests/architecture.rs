//! The invariants of `src/lib.rs` that a search can check.

use std::{fs, path::Path};

/// All sources with their paths from `src`, without their own tests.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
        .map(|entry| {
            let name = entry.path().strip_prefix(&root).unwrap().display().to_string();
            let text = fs::read_to_string(entry.path()).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap().to_owned();
            (name, text)
        })
        .collect()
}

fn offenders(applies: impl Fn(&str) -> bool, words: &[&str]) -> Vec<String> {
    sources()
        .iter()
        .filter(|(name, _)| applies(name))
        .flat_map(|(name, text)| {
            words
                .iter()
                .filter(|word| text.contains(**word))
                .map(move |word| format!("{name}: {word}"))
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
fn modules_import_only_from_their_left() {
    let order = [
        &["source", "map"][..],
        &["json"],
        &["protocol"],
        &["event", "model", "rule"],
        &["rules"],
        &["diagnostic"],
        &["transcript"],
        &["check"],
        &["timeline", "report"],
        &["cli"],
    ];
    let place = |module: &str| order.iter().position(|group| group.contains(&module));
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let module = name.split(['/', '.']).next().unwrap();
        let Some(own) = place(module) else { continue };
        let imports = text.split("crate::").skip(1).flat_map(|rest| {
            let rest = rest.trim_start();
            let list = rest.strip_prefix('{').map_or(rest, |list| list.split("};").next().unwrap());
            let in_braces = rest.starts_with('{');
            let mut depth = 0;
            let mut names = Vec::new();
            let mut current = String::new();
            for character in list.chars() {
                match character {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.push(std::mem::take(&mut current)),
                    _ if depth == 0 => current.push(character),
                    _ => {}
                }
                let is_name = character.is_alphanumeric() || character == '_';
                if !in_braces && !is_name {
                    break;
                }
            }
            names.push(current);
            names
        });
        for import in imports {
            let used: String =
                import.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if place(&used).is_some_and(|used| used > own) {
                wrong.push(format!("{name} uses {used}"));
            }
        }
    }
    // The examples of `explain` and the catalogue's index are walks over the rules.
    wrong.sort();
    wrong.dedup();
    assert_eq!(wrong, NONE);
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
        ["check/dispatch.rs", "cli/check.rs", "protocol/schema.rs", "report/compliance/chapter.rs"];
    let is_other = |name: &str| !own.contains(&name);
    assert_eq!(
        offenders(is_other, &["rustc_hash", "FxHash", "FxBuild", "DefaultHasher::new"]),
        NONE
    );
    // The command line has those of the standard library, which are seeded.
    let is_core = |name: &str| !name.starts_with("cli") && name != "map.rs";
    assert_eq!(offenders(is_core, &["collections::HashMap", "collections::HashSet"]), NONE);
}
