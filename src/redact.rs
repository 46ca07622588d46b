//! Takes what users wrote out of a recording, and proves that its findings stay.
//!
//! Bytes of a recording go in. Out come bytes in which strings are placeholders, or the places of the
//! strings that a rule has to read. What is kept is a closed list, see [`vocabulary`](crate::vocabulary)
//! and `rewrite`: words of the schemas, names that programs give, and what an agent calls its modes,
//! options and commands. The checker judges both recordings; without the same verdict nothing comes
//! out. `acpcheck redact` then compares the findings that all recordings of a run have together.

mod placeholder;
mod rewrite;
mod speech;
mod verdict;
mod words;

use crate::check::Settings;
use placeholder::Placeholders;
pub(crate) use rewrite::members_before;
use rewrite::{Form, Manner, Rewritten, Treatment, Treatments, Way, rewrite};
pub use rewrite::{Lines, StringPlace};
pub use verdict::{FindingKey, Verdict};

/// Redacts recordings. All recordings of one redactor share one set of placeholders, so that a
/// session that another recording resumes keeps one id.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    placeholders: Placeholders,
    /// Whether what is said is replaced letter by letter from the start, for recordings that show
    /// parts of one session: what one of them replays was said in another.
    pub by_letters: bool,
}

/// A redacted recording, with counts of what was replaced, for the message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    pub bytes: Vec<u8>,
    /// How many different strings were replaced by placeholders or by other letters and digits.
    pub replaced: usize,
    /// How many of the replaced strings kept their length and punctuation, because a placeholder
    /// would have changed a finding.
    pub shapes: usize,
    /// The places of strings that were not replaced, since a rule reads them. The user has to look
    /// at these.
    pub kept: Vec<StringPlace>,
    /// The lines of the recording that stand elsewhere now. Empty when all stay where they were.
    pub lines: Lines,
    /// Whether the messages stand on lines of their own, so that the format is another one.
    pub is_rewritten: bool,
}

/// Most checks of the rewritten recording to find out which strings rules read and so must stay.
/// The search ends after that.
const JUDGEMENTS: usize = 400;

impl Redactor {
    /// Redacts a recording so that a check finds the same as before. `None` when that fails. Takes
    /// up to 400 checks.
    pub fn redact(&mut self, recording: &[u8], settings: &Settings) -> Option<Redacted> {
        let verdict = Verdict::of(recording, settings);
        let by_letters = self.by_letters;
        let mut attempt =
            Attempt { redactor: self, recording, settings, verdict, left: JUDGEMENTS };
        let in_place = Way { form: Form::InPlace, by_letters };
        let as_messages = Way { form: Form::Messages, by_letters };
        // Sessions of one recording may be replayed in it, too.
        let spoken = Way { form: Form::InPlace, by_letters: true };
        let plain = Treatments::default();
        for way in [in_place, as_messages, spoken] {
            let rewritten = attempt.rewritten(way, &plain);
            if attempt.holds(way, &rewritten) {
                return Some(redacted(rewritten, way, &plain));
            }
        }
        [in_place, as_messages].into_iter().find_map(|way| attempt.repaired(way))
    }
}

fn redacted(rewritten: Rewritten, way: Way, treatments: &Treatments) -> Redacted {
    let is = |text: &str, treatment| treatments.get(text) == Some(&treatment);
    let count = |treatment| rewritten.replaced.keys().filter(|text| is(text, treatment)).count();
    let (shapes, kept) = (count(Treatment::Shape), count(Treatment::Keep));
    let places = rewritten.replaced.iter().filter(|(text, _)| is(text, Treatment::Keep));
    Redacted {
        kept: places.map(|(_, place)| place.clone()).collect(),
        replaced: rewritten.replaced.len() - kept,
        shapes,
        lines: rewritten.lines,
        is_rewritten: way.form == Form::Messages,
        bytes: rewritten.bytes,
    }
}

/// The search for a rewritten recording that a check judges as it judges the original one.
struct Attempt<'a> {
    redactor: &'a mut Redactor,
    recording: &'a [u8],
    settings: &'a Settings,
    verdict: Verdict,
    /// How many more checks of the rewritten recording are allowed.
    left: usize,
}

impl Attempt<'_> {
    fn rewritten(&mut self, way: Way, treatments: &Treatments) -> Rewritten {
        let Self { redactor, recording, settings, .. } = self;
        let manner = Manner { way, format: settings.format, treatments };
        rewrite(recording, manner, &mut redactor.placeholders)
    }

    /// Whether a check finds the same in the rewritten recording as in the original one, apart from
    /// line numbers that rewriting changes.
    fn holds(&self, way: Way, rewritten: &Rewritten) -> bool {
        let settings = match way.form {
            Form::InPlace => self.settings.clone(),
            Form::Messages => Settings { format: None, ..self.settings.clone() },
        };
        let new = Verdict::of(&rewritten.bytes, &settings);
        let expected = self.verdict.clone().with_lines(|line| rewritten.lines.new_line(line));
        new == expected
    }

    /// Redacts a recording whose findings would change with placeholders only: finds the strings
    /// that must keep their form or stay. `None` when the findings change even so.
    fn repaired(&mut self, way: Way) -> Option<Redacted> {
        let strings = self.rewritten(way, &Treatments::default()).replaced;
        let strings: Vec<Box<str>> = strings.into_keys().collect();
        let all = |treatment| strings.iter().map(|text| (text.clone(), treatment)).collect();
        let mut treatments: Treatments = all(Treatment::Shape);
        let rewritten = self.rewritten(way, &treatments);
        if !self.holds(way, &rewritten) {
            treatments = all(Treatment::Keep);
            let rewritten = self.rewritten(way, &treatments);
            if !self.holds(way, &rewritten) {
                return None;
            }
            // Most strings can be placeholders. Shapes may make ids equal that were different.
            self.minimize(way, &strings, Treatment::Keep, None, &mut treatments);
            self.minimize(way, &strings, Treatment::Keep, Some(Treatment::Shape), &mut treatments);
        }
        self.minimize(way, &strings, Treatment::Shape, None, &mut treatments);
        let rewritten = self.rewritten(way, &treatments);
        self.holds(way, &rewritten).then(|| redacted(rewritten, way, &treatments))
    }

    /// Changes the treatment of as many strings as possible from `from` to `to` (`None`: a
    /// placeholder) while the findings stay the same. `treatments` holds the result.
    fn minimize(
        &mut self,
        way: Way,
        strings: &[Box<str>],
        from: Treatment,
        to: Option<Treatment>,
        treatments: &mut Treatments,
    ) {
        let has = |text: &str, treatments: &Treatments| treatments.get(text) == Some(&from);
        let mut size = strings.len().div_ceil(2).max(1);
        loop {
            let mine: Vec<_> = strings.iter().filter(|text| has(text, treatments)).collect();
            for chunk in mine.chunks(size) {
                if self.left == 0 {
                    return;
                }
                self.left -= 1;
                let mut tried = treatments.clone();
                for text in chunk {
                    match to {
                        Some(to) => drop(tried.insert((*text).clone(), to)),
                        None => drop(tried.remove(*text)),
                    }
                }
                let rewritten = self.rewritten(way, &tried);
                if self.holds(way, &rewritten) {
                    *treatments = tried;
                }
            }
            if size == 1 {
                return;
            }
            size = size.div_ceil(2);
        }
    }
}
