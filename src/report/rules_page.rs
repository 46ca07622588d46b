//! `acpcheck rules --format html`: one page with all rules, their requirements and examples.
//!
//! The page loads nothing. Its one script is the search box: without scripts, the page shows all rules.

use std::io;

use askama::Template;

use super::{
    Plural, TOOL, TextStyle, examples,
    page_style::{STYLE, STYLE_HASH},
    revision, rules, template_filters as filters,
};
use crate::{
    requirements::{self, Requirement},
    rule::{Citation, Rule},
    rules::FAMILIES,
};

const SCRIPT: &str = include_str!("templates/rules.js");

/// The hash of [`SCRIPT`], by which the security policy of the page admits this script and no
/// other. A test compares the two.
const SCRIPT_HASH: &str = "sha256-okZ+ODgZeLrx3dCtJTPriLs1ao5wxPyVj6kLdu20gE0=";

#[derive(Template)]
#[template(path = "rules.html", config = "src/report/askama.toml")]
struct RulesPage {
    tool: (&'static str, &'static str),
    style: &'static str,
    style_hash: &'static str,
    script: &'static str,
    script_hash: &'static str,
    revision: &'static str,
    rules: Plural,
    families: Vec<Family>,
}

struct Family {
    name: &'static str,
    about: &'static str,
    entries: Vec<Entry>,
}

/// A rule on the page of all rules, with its requirements and examples.
struct Entry {
    rule: &'static Rule,
    severity: String,
    surfaces: String,
    /// What must be recorded before the rule reports, in words; `None` where nothing must.
    gates: Option<String>,
    requirements: Vec<Requirement>,
    citations: Vec<&'static Citation>,
    explanation: Vec<Block>,
    examples: Vec<Shown>,
}

/// A part of a rule's explanation on the page of rules: a paragraph or a list.
enum Block {
    Paragraph(String),
    List(Vec<String>),
}

/// An example of a rule with the checker's findings. `bad` and `good` are pairs of a heading and
/// messages.
struct Shown {
    bad: (String, &'static str),
    findings: String,
    good: (String, &'static str),
}

/// The HTML page about the given rules (`acpcheck rules --format html`). Fails when a finding
/// cannot be drawn.
pub fn page(rules: &[&'static Rule]) -> io::Result<String> {
    let mut families = Vec::new();
    for (name, about) in FAMILIES {
        let own = rules.iter().filter(|rule| rule.family() == *name);
        let entries = own.copied().map(entry).collect::<io::Result<Vec<_>>>()?;
        if !entries.is_empty() {
            families.push(Family { name, about, entries });
        }
    }
    let page = RulesPage {
        tool: TOOL,
        style: STYLE,
        style_hash: STYLE_HASH,
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
        revision: revision(),
        rules: Plural(rules.len() as u64, "rule"),
        families,
    };
    page.render().map_err(io::Error::other)
}

fn entry(rule: &'static Rule) -> io::Result<Entry> {
    let examples = rule.examples.iter().map(|example| {
        Ok(Shown {
            bad: (examples::title("Bad", example, example.bad), example.bad.trim()),
            findings: examples::findings(rule, example, TextStyle::PLAIN)?,
            good: (examples::title("Good", example, example.good), example.good.trim()),
        })
    });
    Ok(Entry {
        rule,
        severity: rules::severity(rule),
        surfaces: rules::surfaces(rule.surfaces),
        gates: Some(rules::by_version(rule, rule.gates, |it| rules::gates(it).unwrap_or_default()))
            .filter(|gates| !gates.is_empty()),
        requirements: rule.requirements.iter().filter_map(|id| requirements::find(id)).collect(),
        citations: rule.cites.iter().collect(),
        explanation: blocks(rule.explanation),
        examples: examples.collect::<io::Result<_>>()?,
    })
}

/// Splits an explanation into paragraphs and lists. Items of a list begin with `- `.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for block in text.trim().split("\n\n") {
        let mut list: Vec<String> = Vec::new();
        let mut paragraph = String::new();
        for line in block.lines() {
            match (line.strip_prefix("- "), list.last_mut()) {
                (Some(item), _) => list.push(item.to_owned()),
                (None, Some(item)) => item.extend([" ", line.trim()]),
                (None, None) if paragraph.is_empty() => paragraph.push_str(line),
                (None, None) => paragraph.extend([" ", line]),
            }
        }
        if !paragraph.is_empty() {
            blocks.push(Block::Paragraph(paragraph));
        }
        if !list.is_empty() {
            blocks.push(Block::List(list));
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::rules::CATALOGUE;

    #[test]
    fn the_policy_admits_the_script_and_nothing_else() {
        let digest = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
        assert_eq!(SCRIPT_HASH, format!("sha256-{digest}"));
    }

    #[test]
    fn each_rule_has_its_place_and_shows_what_it_reports() {
        // All of them take seconds.
        let rules: Vec<_> = CATALOGUE.iter().copied().step_by(9).collect();
        let page = page(&rules).unwrap();
        for rule in rules {
            assert!(page.contains(&format!("id=\"{}\"", rule.id)), "{}", rule.id);
            assert!(
                rule.examples.is_empty() || page.contains(&format!("[{}]", rule.id)),
                "{}",
                rule.id
            );
        }
    }
}
