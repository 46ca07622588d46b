//! What transcripts are held to, by tests and fuzzers.

use std::sync::LazyLock;

use acpcheck::{
    check::{self, Settings, Severities},
    diagnostic::Diagnostic,
    rule::Severity,
    rules::CATALOGUE,
    source::Span,
};

/// All rules, those that are off too.
pub(crate) fn everything() -> Severities {
    static ALL: LazyLock<Severities> = LazyLock::new(|| {
        let mut severities = Severities::default();
        for (index, rule) in CATALOGUE.iter().enumerate() {
            if rule.severity.v1 == Severity::Off || rule.severity.v2 == Severity::Off {
                severities.set(index, Severity::Info);
            }
        }
        severities
    });
    ALL.clone()
}

/// Judges the bytes: each place that is pointed at lies in them and cuts no character, and they may
/// come in pieces.
pub(crate) fn judge(bytes: &[u8], settings: &Settings) -> (Vec<Diagnostic>, check::Outcome) {
    let (found, outcome) = crate::effort::check(bytes, settings);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
        .collect();
    for diagnostic in &found {
        let id = diagnostic.rule.id;
        assert!(!diagnostic.finding.labels.is_empty(), "{id} points nowhere");
        assert_ne!(diagnostic.severity, Severity::Off, "{id}");
        for label in &diagnostic.finding.labels {
            assert_inside(bytes, &starts, label.span, id);
        }
    }

    let mut check = crate::effort::begin(settings);
    for piece in bytes.chunks(97) {
        check.feed(piece);
    }
    let (pieces, of_pieces) = check.finish();
    assert_eq!(summary(&found), summary(&pieces), "pieces are judged in another way");
    assert_eq!(outcome.tallies, of_pieces.tallies, "pieces are counted in another way");
    (found, outcome)
}

fn summary(found: &[Diagnostic]) -> Vec<(&'static str, Severity, String)> {
    found
        .iter()
        .map(|it| (it.rule.id, it.severity, format!("{:?} {}", it.finding, it.repeats)))
        .collect()
}

fn assert_inside(bytes: &[u8], starts: &[usize], span: Span, id: &str) {
    let (start, end) = (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
    assert!(end <= bytes.len(), "{id}: {span:?} lies behind the end at {}", bytes.len());
    let line = starts.partition_point(|line| *line <= start);
    assert_eq!(span.line as usize, line, "{id}: line of {span:?}");
    assert_eq!(span.line_start(), starts[line - 1] as u64, "{id}: column of {span:?}");
    for place in [start, end] {
        assert!(!is_inside(bytes, place), "{id}: {span:?} cuts a character");
    }
}

/// Whether the place is in the middle of a character. Bytes that are not UTF-8 are none.
fn is_inside(bytes: &[u8], place: usize) -> bool {
    (place.saturating_sub(3)..place).any(|start| {
        let longest = &bytes[start..bytes.len().min(start + 4)];
        let first = longest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        first.is_some_and(|first| start + first.len_utf8() > place)
    })
}
