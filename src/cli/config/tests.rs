//! Tests: the printed configuration means the same as the one it was printed from.

use clap::Parser;

use super::*;
use crate::{report::TextStyle, rule::By, rules::CATALOGUE};

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    options: CommandLine,
}

fn config(text: &str, options: &[&str]) -> Config {
    let line = Line::try_parse_from([&["acpcheck"], options].concat()).expect("options");
    let config = Config::parse(&line.options, NAME, PathBuf::new(), text);
    config.unwrap_or_else(|errors| panic!("{}", errors.draw(TextStyle::PLAIN)))
}

/// All values of the settings as text, for some agents and methods, so that two settings can be
/// compared.
fn dump(settings: &Settings) -> String {
    let agents = [None, Some("kettle"), Some("teapot")];
    let methods = [None, Some("session/update"), Some("fs/read_text_file")];
    let severities = &settings.severities;
    let mut text = format!(
        "{:?} {:?} {:?} {:?} {:?}\n",
        settings.surface,
        settings.edition,
        settings.head,
        settings.tail,
        settings.format.map(|format| format.name)
    );
    for (index, rule) in CATALOGUE.iter().enumerate() {
        text += &format!("{}:", rule.id);
        for agent in agents {
            for method in methods {
                let exception = severities.exception(index, agent, method).map(By::both);
                let By { v1, v2 } = exception.unwrap_or(severities.of(index).severity);
                text += &format!(" {v1}/{v2}");
            }
        }
        text.push('\n');
    }
    text
}

const FILES: [&str; 4] = [
    "",
    "profile = 'strict'\nselect = ['plan', 'session/unknown-id', 'ext']\ntail = 'closed'\n",
    "[severity]\nplan = 'info'\nall = 'warning'\n\"plan/empty-id\" = 'error'\n
     [[ignore]]\nrules = ['plan', 'session/unknown-id']\nreason = 'r'\n
     [[ignore]]\nrules = ['ext']\nagents = ['kettle']\nreason = 'r'\n
     [[override]]\npaths = ['old']\nseverity.session = 'info'\nsurface = 'v2'\nhead = 'complete'\n
     [[override]]\nmethods = ['fs/*']\nseverity.all = 'error'\n",
    "profile = 'registry'\nselect = ['all', 'plan/empty-id']\nfail-on = 'never'\n
     [[ignore]]\nrules = ['plan']\nmethods = ['session/*']\npaths = ['*.log']\nreason = 'r'\n
     [[ignore]]\nrules = ['plan']\nreason = 'r'\npaths = ['old']\n",
];

const OPTIONS: [&[&str]; 8] = [
    &[],
    &["--select=plan/empty-id,session"],
    &["--ignore=session/unknown-id,ext", "--tail=open"],
    &["--severity=plan=off,plan/empty-id=error,all=info"],
    &["--severity=session=off", "--surface=auto", "--edition=2026-05"],
    &["--severity=ext/unknown-field=error,plan=error", "--select=all", "--input-format=ndjson"],
    &["--profile=registry"],
    &["--profile=strict", "--severity=plan/empty-id=off", "--select=plan", "--fail-on=info"],
];

#[test]
fn a_printed_configuration_means_the_same() {
    let body = |printed: &str| printed.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    for file in FILES {
        for options in OPTIONS {
            let one = config(file, options);
            let printed = one.print(&[]);
            let other = config(&printed, &[]);
            assert_eq!(one.threshold(), other.threshold(), "{file}\n{options:?}\n{printed}");
            for path in ["a.ndjson", "old/a.ndjson", "x/a.log"] {
                let (first, again) = (dump(&one.settings(path)), dump(&other.settings(path)));
                for (one, other) in first.lines().zip(again.lines()) {
                    assert_eq!(one, other, "{path}\n{file}\n{options:?}\n{printed}");
                }
            }
            assert_eq!(body(&printed), body(&other.print(&[])));
        }
    }
}

#[test]
fn the_schema_and_the_types_know_the_same_keys() {
    let schema: serde_json::Value = serde_json::from_str(file::SCHEMA).expect("JSON");
    let keys = |pointer: &str| {
        let keys = schema.pointer(pointer).and_then(|it| it["properties"].as_object());
        let mut keys: Vec<_> = keys.expect("properties").keys().cloned().collect();
        keys.sort();
        keys
    };
    // The message of serde for an unknown key lists all known ones.
    let known = |error: toml::de::Error| {
        let (_, list) = error.message().split_once("expected one of ").expect("a list");
        let mut keys: Vec<_> =
            list.split(", ").map(|key| key.trim().trim_matches('`').to_owned()).collect();
        keys.sort();
        keys
    };
    assert_eq!(known(toml::from_str::<ConfigFile>("none = 1").expect_err("unknown")), keys(""));
    let ignore = toml::from_str::<Ignore>("none = 1").expect_err("unknown");
    assert_eq!(known(ignore), keys("/definitions/ignore"));
    let entry = toml::from_str::<Override>("none = 1").expect_err("unknown");
    assert_eq!(known(entry), keys("/definitions/override"));
}
