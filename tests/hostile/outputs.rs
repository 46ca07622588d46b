//! Every output of a transcript, which programs can read.

use acpcheck::{
    check::{Outcome, Settings},
    diagnostic::Diagnostic,
    plans::PlanStep,
    report::{
        Counts, FORMATS, File, Options, OutputFormat, RuleCounts, Summary, Syntax, TextStyle,
        Unread,
        compliance::{self, Compliance, DocumentFormat, Stored, TranscriptSection},
        plans::TimelineWriter,
    },
    rule::Severity,
    source::Locator,
};

use super::places::judge;

/// A name that has to be written with care.
const PATH: &str = "a \"path\" <of> & \u{fc}.ndjson";

/// Judges the bytes and writes what can be written about them: all of it, or the output of a number.
pub(crate) fn write(bytes: &[u8], settings: &Settings, style: TextStyle, only: Option<usize>) {
    let is_wanted = |number| only.is_none_or(|only| only == number);
    let (found, outcome) = judge(bytes, settings);
    for (number, format) in FORMATS.iter().copied().enumerate() {
        if !is_wanted(number) {
            continue;
        }
        let text = report(format, style, bytes, &found, &outcome, settings);
        let text = String::from_utf8(text).expect("reports are text");
        match format.syntax {
            Syntax::Plain => {}
            Syntax::Json => parse_json(&text),
            Syntax::JsonLines => text.lines().for_each(parse_json),
            Syntax::Xml => parse_xml(&text),
            Syntax::Html => assert!(text.trim_end().ends_with("</html>")),
        }
    }
    if is_wanted(FORMATS.len()) {
        tell(bytes, settings, style);
    }
}

fn parse_json(text: &str) {
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        panic!("{error}: {text}");
    }
}

fn parse_xml(text: &str) {
    if let Err(error) = roxmltree::Document::parse(text) {
        panic!("{error}: {text}");
    }
}

/// The report of one transcript and an input that could not be read.
fn report(
    format: &OutputFormat,
    style: TextStyle,
    mut bytes: &[u8],
    found: &[Diagnostic],
    outcome: &Outcome,
    settings: &Settings,
) -> Vec<u8> {
    let rule_counts = RuleCounts::of(found);
    let counts = rule_counts.total();
    let unread = Unread { path: PATH.to_owned(), reason: "it is <not> there".to_owned() };
    let summary = Summary {
        other_side: 0,
        files: 1,
        faulty: u64::from(!found.is_empty()),
        messages: outcome.messages,
        counts,
        with_repeats: Counts::with_repeats(found),
        unjudged: acpcheck::check::Unjudged::default(),
        held_back: 0,
        requirements: Vec::new(),
        unread: vec![unread.clone()],
    };
    let file = File {
        path: PATH,
        format: outcome.format.unwrap_or("ndjson"),
        outcome,
        counts,
        rule_counts: &rule_counts,
        severities: &settings.severities,
        findings: None,
    };
    let options = Options {
        fail_on: Severity::Error,
        style,
        min_severity: Some(Severity::Info),
        shows_all: true,
        shows_hints: true,
        rules_url: None,
    };
    let mut report = format.report(options);
    let mut write = || {
        let mut out = Vec::new();
        if !format.begins_last {
            report.begin(&Summary::default(), &mut out)?;
        }
        report.file(&file, found, &mut Locator::new(&mut bytes), &mut out)?;
        report.unread(&unread, &mut out)?;
        report.end(&summary, &mut out)?;
        let mut whole = Vec::new();
        if format.begins_last {
            report.begin(&summary, &mut whole)?;
        }
        whole.append(&mut out);
        std::io::Result::Ok(whole)
    };
    write().expect("in memory")
}

/// The plans, and the report on compliance in all forms, which can be read again.
fn tell(mut bytes: &[u8], settings: &Settings, style: TextStyle) {
    let (sender, steps) = std::sync::mpsc::channel();
    let mut check = crate::effort::begin(settings)
        .with_observer(move |event| {
            if let Some(step) = PlanStep::of(event) {
                let _ = sender.send(step);
            }
        })
        .with_conduct();
    check.feed(bytes);
    let (found, outcome) = check.finish();
    let steps: Vec<_> = steps.into_iter().collect();
    let told = |mut plans: TimelineWriter<'_>| {
        let mut text = String::new();
        for step in &steps {
            plans.step(step.clone(), &mut text);
        }
        plans.finish("ndjson", &mut text);
        text
    };
    told(TimelineWriter::text(None, style));
    parse_json(&told(TimelineWriter::json(None, PATH)));

    let stored =
        Stored { path: PATH.to_owned(), sha256: "0".repeat(64), bytes: bytes.len() as u64 };
    for is_redacted in [false, true] {
        let mut section = TranscriptSection::new(is_redacted);
        let mut locator = Locator::new(&mut bytes);
        for diagnostic in &found {
            section.diagnostic(diagnostic, &mut locator).expect("in memory");
        }
        for step in &steps {
            section.step(step);
        }
        let files = section.finish(stored.clone(), &outcome).into_iter().collect();
        let chosen = compliance::RunSettings {
            head: "auto".to_owned(),
            tail: "auto".to_owned(),
            redacted: is_redacted,
            ..compliance::RunSettings::default()
        };
        let compliance = Compliance::new(chosen, files, Vec::new(), Vec::new());
        for form in DocumentFormat::ALL {
            let mut out = Vec::new();
            compliance.write(form, &mut out).expect("in memory");
            let text = std::str::from_utf8(&out).expect("reports are text");
            match form {
                DocumentFormat::Html => assert!(text.trim_end().ends_with("</html>")),
                DocumentFormat::Markdown => {}
                DocumentFormat::Json => {
                    parse_json(text);
                    let again = Compliance::read(&out);
                    let again = again.unwrap_or_else(|why| panic!("{why}: {text}"));
                    assert_eq!(again, compliance);
                }
            }
        }
    }
}
