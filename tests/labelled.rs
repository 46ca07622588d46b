//! The labelled transcripts of `../shared/cases`. `ACPCHECK_SHARED` names another place of that
//! folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use acpcheck::{
    check::{Settings, Tail},
    protocol::{Edition, Surface},
    rule::Severity,
    rules,
};

/// One transcript, and what is to be found in it.
pub(crate) struct Labelled {
    /// Its name in the folder.
    pub(crate) file: String,
    pub(crate) bytes: Vec<u8>,
    /// How it is to be judged.
    pub(crate) settings: Settings,
    /// The rule that it breaks once; `None` where it breaks no rule.
    pub(crate) rule: Option<String>,
    /// Where it breaks the rule; 0 where it breaks none.
    pub(crate) line: usize,
    pub(crate) severity: String,
}

impl Labelled {
    /// Whether the rule that it breaks exists here.
    pub(crate) fn is_built(&self) -> bool {
        self.rule.as_deref().is_none_or(|rule| rules::find(rule).is_some())
    }
}

/// Severities that were decided otherwise after the cases had been labelled.
const DECIDED: [(&str, &str); 5] = [
    ("auth-terminal-env-duplicate.bad.ndjson", "warning"),
    ("content-icon-scheme.bad.ndjson", "info"),
    ("plan-malformed-capability.bad.ndjson", "error"),
    ("session-null-collection.bad.ndjson", "error"),
    ("session-use-after-close.v2.bad.ndjson", "warning"),
];

/// What became an obligation after the cases had been labelled; many replays in them break it.
const LATER: &str = "session/replay-complete-missing";

/// The folder of shared material; `None` where it is not there.
pub(crate) fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("ACPCHECK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    path.is_dir().then_some(path)
}

/// All of them in the order of their table; none where the folder is not there.
pub(crate) fn all() -> Vec<Labelled> {
    let Some(folder) = shared().map(|shared| shared.join("cases")) else { return Vec::new() };
    let table = fs::read_to_string(folder.join("expected.tsv")).unwrap();
    table.lines().skip(1).map(|row| labelled(&folder, row)).collect()
}

fn labelled(folder: &Path, row: &str) -> Labelled {
    let [file, surface, rule, line, severity, _, enable, tail, edition] =
        row.split('\t').collect::<Vec<_>>().try_into().unwrap();
    let mut settings = Settings {
        surface: Surface::ALL.into_iter().find(|known| known.name() == surface),
        edition: Edition::ALL.into_iter().find(|known| known.name() == edition),
        tail: if tail == "closed" { Tail::Closed } else { Tail::Open },
        ..Settings::default()
    };
    assert_eq!(settings.edition.is_some(), edition != "-", "{file}: edition {edition}");
    if let Some((index, _)) = rules::find(enable) {
        settings.severities.set(index, Severity::Info);
    }
    if let Some((index, _)) = rules::find(LATER).filter(|(_, found)| found.id != rule) {
        settings.severities.set(index, Severity::Off);
    }
    Labelled {
        file: file.to_owned(),
        bytes: fs::read(folder.join(file)).unwrap(),
        settings,
        // Labels may have the id that a rule had before.
        rule: (rule != "none")
            .then(|| rules::find(rule).map_or(rule, |(_, found)| found.id).to_owned()),
        line: line.parse().unwrap(),
        severity: DECIDED
            .iter()
            .find(|(decided, _)| *decided == file)
            .map_or(severity, |(_, severity)| severity)
            .to_owned(),
    }
}
