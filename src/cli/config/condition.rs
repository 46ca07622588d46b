//! Where an entry of the configuration applies: paths, agents and methods.

use toml::Spanned;

use super::{file::Texts, paths::Patterns};
use crate::{
    check::{Exception, Names},
    cli::toml_errors::TomlError,
};

/// The paths, agents and methods to which an `[[ignore]]` or `[[override]]` of `acpcheck.toml`
/// applies. `None` stands for all paths, agents or methods.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    paths: Option<Patterns>,
    agents: Option<Names>,
    methods: Option<Names>,
}

impl Condition {
    /// Makes the condition from the patterns in the file. An empty list stands for all. Fails at a
    /// pattern that is not valid.
    pub(super) fn new(paths: &Texts, agents: &Texts, methods: &Texts) -> Result<Self, TomlError> {
        Ok(Self { paths: path_patterns(paths)?, agents: names(agents)?, methods: names(methods)? })
    }

    /// Whether the configuration entry applies to transcripts at any path.
    pub(super) fn has_all_paths(&self) -> bool {
        self.paths.is_none()
    }

    /// Whether the entry applies to the transcript at `path`, which is relative to the root and has
    /// slashes.
    pub(super) fn matches_path(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|patterns| patterns.contains(path))
    }

    /// An exception for the agents and methods of the entry, with no severities yet. `None` when
    /// the entry applies to all agents and methods.
    pub(super) fn exception(&self) -> Option<Exception> {
        let is_limited = self.agents.is_some() || self.methods.is_some();
        is_limited.then(|| Exception {
            agents: self.agents.clone(),
            methods: self.methods.clone(),
            ..Exception::default()
        })
    }
}

fn path_patterns(texts: &Texts) -> Result<Option<Patterns>, TomlError> {
    match Patterns::new(texts.iter().map(|text| text.get_ref().as_str())) {
        Ok(patterns) => Ok((!texts.is_empty()).then_some(patterns)),
        Err((index, why)) => Err(no_pattern(&texts[index], &why)),
    }
}

fn names(texts: &Texts) -> Result<Option<Names>, TomlError> {
    let is_wrong = |text: &&Spanned<String>| Names::new([text.get_ref().as_str()]).is_err();
    match Names::new(texts.iter().map(|text| text.get_ref().as_str())) {
        Ok(names) => Ok((!texts.is_empty()).then_some(names)),
        // Patterns that are valid one by one may be too large together.
        Err(why) => Err(texts.iter().find(is_wrong).map_or_else(
            || TomlError::new(0..0, "the patterns are too large", "here"),
            |text| no_pattern(text, &why),
        )),
    }
}

fn no_pattern(text: &Spanned<String>, why: &str) -> TomlError {
    TomlError::new(text.span(), format!("`{}` is not a pattern", text.get_ref()), why)
}
