//! `acpcheck.toml` as it is written.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::named::{Choice, InputFormat, Profile, Stale, Threshold};
use crate::{
    check::{Head, Tail},
    cli::selection::Selector,
    protocol::{Edition, Surface},
    rule::Severity,
};

/// The schema of [`File`].
pub(super) const SCHEMA: &str = include_str!("../../../schema/acpcheck.schema.json");

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct File {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) profile: Option<Choice<Profile>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) surface: Option<Choice<Option<Surface>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edition: Option<Choice<Option<Edition>>>,
    /// A folder, as seen from that of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) schema: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<Choice<Head>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tail: Option<Choice<Tail>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_format: Option<Choice<InputFormat>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fail_on: Option<Choice<Threshold>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) baseline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stale_baseline: Option<Choice<Stale>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) select: Vec<Choice<Selector>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) severity: Severities,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ignore: Vec<Ignore>,
    #[serde(skip_serializing_if = "Vec::is_empty", rename = "override")]
    pub(super) overrides: Vec<Override>,
}

pub(super) type Severities = BTreeMap<Choice<Selector>, Choice<Severity>>;

/// Texts, with their places in the file.
pub(super) type Texts = Vec<Spanned<String>>;

/// Rules that are not reported.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Ignore {
    pub(super) rules: Vec<Choice<Selector>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) paths: Texts,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) agents: Texts,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) methods: Texts,
    pub(super) reason: String,
}

/// What holds for some transcripts, agents or methods.
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
    pub(super) surface: Option<Choice<Option<Surface>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edition: Option<Choice<Option<Edition>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) head: Option<Choice<Head>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tail: Option<Choice<Tail>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_format: Option<Choice<InputFormat>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) severity: Severities,
}
