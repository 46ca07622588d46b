//! The members of `acpcheck.toml`, as serde reads and writes them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::values::{ByName, InputFormat, Profile, Stale, Threshold};
use crate::{
    check::{Head, Story, Tail},
    cli::selector::Selector,
    protocol::{Edition, Side, Surface},
    rule::Severity,
};

/// The JSON Schema of [`ConfigFile`], by which errors in the file are found and drawn.
pub(super) const SCHEMA: &str = include_str!("../../../schema/acpcheck.schema.json");

/// The contents of the configuration file `acpcheck.toml`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct ConfigFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) profile: Option<ByName<Profile>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) surface: Option<ByName<Option<Surface>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edition: Option<ByName<Option<Edition>>>,
    /// The folder with schemas to use in place of the built-in ones, relative to the folder of the
    /// configuration; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) schema: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<ByName<Head>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tail: Option<ByName<Tail>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_format: Option<ByName<InputFormat>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) story: Option<ByName<Story>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fail_on: Option<ByName<Threshold>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) side: Option<ByName<Side>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stale_baseline: Option<ByName<Stale>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) select: Vec<ByName<Selector>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) severity: SeverityTable,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ignore: Vec<Ignore>,
    #[serde(skip_serializing_if = "Vec::is_empty", rename = "override")]
    pub(super) overrides: Vec<Override>,
}

/// Severities by the name of a rule or family, as in `[severity]`.
pub(super) type SeverityTable = BTreeMap<ByName<Selector>, ByName<Severity>>;

/// Texts of the configuration file, each with its byte range in the file, to mark errors.
pub(super) type Texts = Vec<Spanned<String>>;

/// An `[[ignore]]` of `acpcheck.toml`: rules that are not reported for some transcripts, agents or
/// methods. An empty list of these stands for all.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Ignore {
    pub(super) rules: Vec<ByName<Selector>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) paths: Texts,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) agents: Texts,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) methods: Texts,
    pub(super) reason: String,
}

/// An `[[override]]` of `acpcheck.toml`: other values for some transcripts, agents or methods. An
/// empty list of these stands for all.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Override {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) paths: Texts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) agents: Texts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) methods: Texts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) surface: Option<ByName<Option<Surface>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edition: Option<ByName<Option<Edition>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<ByName<Head>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tail: Option<ByName<Tail>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_format: Option<ByName<InputFormat>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) severity: SeverityTable,
}
