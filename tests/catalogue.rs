//! What every rule has to keep: its examples show it and nothing else, and its words are in order.

use acpcheck::{
    check::{self, Settings, Tail},
    diagnostic::Diagnostic,
    protocol::{Edition, Surface, schema::Protocol},
    rule::{Example, Level, Rule, Severity, opening::opening},
    rules::{self, CATALOGUE},
    transcript::{FORMATS, limits::Loss},
};

pub(crate) fn judge(
    rule: usize,
    example: &Example,
    lines: &str,
) -> (Vec<Diagnostic>, check::Outcome, usize) {
    let mut settings = Settings {
        surface: example.pinned(),
        edition: example.edition,
        tail: if example.closed { Tail::Closed } else { Tail::Open },
        ..Settings::default()
    };
    if CATALOGUE[rule].severity.of(example.surface.version()) == Severity::Off {
        settings.severities.set(rule, Severity::Info);
    }
    let before = opening(example.surface, example.opening);
    let first = before.lines().count();
    // Without the last line break, so that the last line can be one that is cut off.
    let text = format!("{before}{}", lines.trim());
    let (mut diagnostics, outcome) = crate::effort::check(text.as_bytes(), &settings);
    diagnostics.retain(|found| !example.beside.contains(&found.rule.id));
    (diagnostics, outcome, first)
}

fn shown(diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| {
            let line = diagnostic.finding.labels.first().map_or(0, |label| label.span.line);
            format!("{}:{line} {}\n", diagnostic.rule.id, diagnostic.finding.message)
        })
        .collect()
}

#[test]
fn bad_examples_break_their_rule_once_and_no_other() {
    let mut wrong = String::new();
    for (index, rule) in CATALOGUE.iter().enumerate() {
        for example in rule.examples {
            let (diagnostics, ..) = judge(index, example, example.bad);
            if !matches!(diagnostics.as_slice(), [only] if only.rule.id == rule.id) {
                let shown = shown(&diagnostics);
                wrong += &format!("{} on {}:\n{shown}\n", rule.id, example.surface);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn good_examples_break_nothing_and_exercise_their_rule() {
    let mut wrong = String::new();
    for (index, rule) in CATALOGUE.iter().enumerate() {
        for example in rule.examples {
            let (diagnostics, outcome, _) = judge(index, example, example.good);
            if !diagnostics.is_empty() {
                let shown = shown(&diagnostics);
                wrong += &format!("{} on {}:\n{shown}\n", rule.id, example.surface);
            }
            // Rules about the text itself and about seldom places have nothing to tick off.
            let observes_absence = rule.on.iter().all(|on| {
                use acpcheck::rule::On;
                matches!(on, On::Flaw(_) | On::Observed(_) | On::Rejected(_) | On::Stray(_))
                    || matches!(on, On::LeftOpen(_) | On::End(_))
            });
            if outcome.tallies[index].exercised == 0 && !observes_absence {
                wrong += &format!("{} on {}: not exercised\n", rule.id, example.surface);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn openings_break_nothing() {
    use acpcheck::{protocol::Surface, rule::Opening};
    for surface in Surface::ALL {
        for kind in [Opening::Initialized, Opening::Session, Opening::Turn, Opening::Bare] {
            let settings = Settings { surface: Some(surface), ..Settings::default() };
            let text = opening(surface, kind);
            let (diagnostics, _) = crate::effort::check(text.as_bytes(), &settings);
            assert_eq!(shown(&diagnostics), "", "{surface} {kind:?}");
        }
    }
}

#[test]
fn ids_are_unique_and_found() {
    for (index, rule) in CATALOGUE.iter().enumerate() {
        assert_eq!(rules::find(rule.id).unwrap().0, index, "{} is there twice", rule.id);
    }
}

#[test]
fn every_rule_stands_in_the_file_of_its_name() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    for rule in CATALOGUE {
        let file = root.join(format!("{}.rs", rule.id.replace('-', "_")));
        assert!(file.is_file(), "{} is not in {}", rule.id, file.display());
        assert!(!rule.examples.is_empty(), "{} has no example", rule.id);
    }
}

#[test]
fn every_rule_file_is_in_the_catalogue() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    for entry in walkdir::WalkDir::new(&root) {
        let path = entry.unwrap().into_path();
        let is_rule = path.extension().is_some_and(|extension| extension == "rs")
            && std::fs::read_to_string(&path).unwrap().contains("static RULE: Rule");
        if is_rule {
            let file = path.strip_prefix(&root).unwrap().with_extension("");
            let id = file.display().to_string().replace('_', "-");
            assert!(rules::find(&id).is_some(), "{id} is not in the catalogue");
        }
    }
}

/// Every name of a rule in a rule's texts is that of a rule which some version has beside this one.
#[test]
fn rules_refer_to_rules_of_their_versions() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    let is_name = |text: &str| {
        let is_letter =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let parts = text.split_once('/');
        parts.is_some_and(|(family, name)| {
            !name.is_empty()
                && (family.bytes().chain(name.bytes())).all(is_letter)
                && CATALOGUE.iter().any(|rule| rule.family() == family)
        })
    };
    let is_method = |name: &str| {
        /// Of drafts before the first edition.
        const WITHDRAWN: [&str; 2] = ["mcp/connect", "mcp/disconnect"];
        let protocols =
            Surface::ALL.map(|surface| Edition::ALL.map(|edition| Protocol::of(surface, edition)));
        let is_defined = protocols.iter().flatten().any(|it| it.method(name).is_some());
        is_defined || WITHDRAWN.contains(&name)
    };
    let versions = |rule: &Rule| {
        Surface::ALL
            .into_iter()
            .filter(|it| rule.surfaces.contains(*it))
            .map(Surface::version)
            .collect::<Vec<_>>()
    };
    let mut references = 0;
    for rule in CATALOGUE {
        let file = root.join(format!("{}.rs", rule.id.replace('-', "_")));
        let text = std::fs::read_to_string(file).unwrap();
        // Every other part stands between backticks.
        for name in text.split('`').filter(|text| is_name(text) && !is_method(text)) {
            let Some((_, other)) = rules::find(name) else {
                panic!("{} refers to `{name}`, which is no rule", rule.id);
            };
            let other = versions(other);
            let is_there = versions(rule).iter().any(|version| other.contains(version));
            assert!(is_there, "{} refers to `{name}`, a rule of another version", rule.id);
            references += 1;
        }
    }
    assert!(references > 10, "no references were found");
}

/// The compiler does not ask for them, since `Rule::DEFAULT` has a value for each.
#[test]
fn every_rule_states_the_members_without_a_default() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
    let members = [
        "id",
        "summary",
        "level",
        "severity",
        "binds",
        "surfaces",
        "cites",
        "explanation",
        "examples",
        "on",
    ];
    for rule in CATALOGUE {
        let file = root.join(format!("{}.rs", rule.id.replace('-', "_")));
        let text = std::fs::read_to_string(file).unwrap();
        let mut rest = text.split_once("static RULE: Rule = Rule {").unwrap().1;
        for member in members {
            let after = rest.split_once(&format!("\n    {member}: "));
            rest = after.unwrap_or_else(|| panic!("{}: {member} is not in its place", rule.id)).1;
        }
    }
}

/// Some losses are no need of any rule: `OtherLines` counts as `Lines`, and what silences a rule where
/// only updates are kept, or the beginning is missing, is read off its events and gates.
#[test]
fn rules_need_what_a_recording_can_lack() {
    for rule in CATALOGUE {
        for (index, loss) in rule.needs.iter().enumerate() {
            let is_derived = matches!(
                loss,
                Loss::Nothing | Loss::OtherLines | Loss::Beginning | Loss::AllButUpdates
            );
            assert!(!is_derived, "{}: {loss:?}", rule.id);
            assert!(!rule.needs[..index].contains(loss), "{}: {loss:?} twice", rule.id);
        }
    }
    // Some rule depends on each thing that a format can lack.
    let lacked = FORMATS.iter().flat_map(|format| format.limits).map(|limit| limit.loss);
    for loss in lacked.chain([Loss::Lines, Loss::Values, Loss::Ids, Loss::Envelope]) {
        let is_derived = matches!(
            loss,
            Loss::Nothing | Loss::OtherLines | Loss::Beginning | Loss::AllButUpdates
        );
        let is_needed = CATALOGUE.iter().any(|rule| rule.needs.contains(&loss));
        assert!(is_derived || is_needed, "no rule needs {loss:?}");
    }
}

#[test]
fn summaries_are_clauses() {
    for rule in CATALOGUE {
        let wrong = rule.summary.ends_with('.') || rule.summary.starts_with(char::is_uppercase);
        assert!(!wrong, "{}: {}", rule.id, rule.summary);
        assert!(!rule.explanation.trim().is_empty(), "{} is not explained", rule.id);
        assert!(!rule.cites.is_empty(), "{} cites nothing", rule.id);
    }
}

#[test]
fn errors_rest_on_an_obligation() {
    let weak = |rule: &Rule, level: Level| {
        matches!(level, Level::Should | Level::ShouldNot | Level::Hint) && rule.id != "never"
    };
    for rule in CATALOGUE {
        for (level, severity) in
            [(rule.level.v1, rule.severity.v1), (rule.level.v2, rule.severity.v2)]
        {
            assert!(
                severity != Severity::Error || !weak(rule, level),
                "{} is an error on the ground of a {}",
                rule.id,
                level.name()
            );
        }
    }
}

#[test]
fn families_are_listed_in_the_order_of_their_first_rules() {
    let mut families: Vec<_> = CATALOGUE.iter().map(|rule| rule.family()).collect();
    let mut seen = std::collections::HashSet::new();
    families.retain(|family| seen.insert(*family));
    let listed: Vec<_> = rules::FAMILIES.iter().map(|(family, _)| *family).collect();
    assert_eq!(listed, families);
}

/// What users wrote into configuration and baselines keeps its meaning.
#[test]
fn aliases_stand_for_rules_and_are_none_themselves() {
    for (alias, id) in rules::ALIASES {
        assert!(CATALOGUE.iter().all(|rule| rule.id != *alias), "{alias} is a rule");
        let (_, found) = rules::find(alias).unwrap_or_else(|| panic!("{id} is no rule"));
        assert_eq!(found.id, *id, "{alias} stands for another alias");
    }
}
