//! Takes what users wrote out of a recording, and proves that its findings stay.
//!
//! Bytes of a recording go in. Out come bytes in which strings are placeholders, or the places of the
//! strings that a rule has to read. What is kept is a closed list, see [`vocabulary`](crate::vocabulary)
//! and `rewrite`: words of the schemas, names that programs give, and what an agent calls its modes,
//! options and commands. The checker judges both recordings; without the same verdict nothing comes
//! out.

mod placeholder;
mod rewrite;
mod verdict;

use crate::check::Settings;
use placeholder::Placeholders;
pub use rewrite::StringPlace;
pub(crate) use rewrite::members_before;
use rewrite::{Form, Rewritten, Treatment, Treatments, rewrite};
pub use verdict::{FindingKey, Verdict};

/// Redacts recordings. All recordings of one redactor share one set of placeholders, so that a
/// session that another recording resumes keeps one id.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    placeholders: Placeholders,
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
}

/// Most checks of the rewritten recording to find out which strings rules read and so must stay.
/// The search ends after that.
const JUDGEMENTS: usize = 400;

impl Redactor {
    /// Redacts a recording so that a check finds the same as before. `None` when that fails. Takes
    /// up to 400 checks.
    pub fn redact(&mut self, recording: &[u8], settings: &Settings) -> Option<Redacted> {
        let verdict = Verdict::of(recording, settings);
        let mut attempt =
            Attempt { redactor: self, recording, settings, verdict, left: JUDGEMENTS };
        let forms = [Form::InPlace, Form::Messages];
        let plain = Treatments::default();
        for form in forms {
            let rewritten = attempt.rewritten(form, &plain);
            if attempt.holds(form, &rewritten) {
                return Some(redacted(rewritten, &plain));
            }
        }
        forms.into_iter().find_map(|form| attempt.repaired(form))
    }
}

fn redacted(rewritten: Rewritten, treatments: &Treatments) -> Redacted {
    let is = |text: &str, treatment| treatments.get(text) == Some(&treatment);
    let count = |treatment| rewritten.replaced.keys().filter(|text| is(text, treatment)).count();
    let (shapes, kept) = (count(Treatment::Shape), count(Treatment::Keep));
    let places = rewritten.replaced.iter().filter(|(text, _)| is(text, Treatment::Keep));
    Redacted {
        kept: places.map(|(_, place)| place.clone()).collect(),
        replaced: rewritten.replaced.len() - kept,
        shapes,
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
    fn rewritten(&mut self, form: Form, treatments: &Treatments) -> Rewritten {
        let Self { redactor, recording, settings, .. } = self;
        rewrite(recording, form, settings.format, &mut redactor.placeholders, treatments)
    }

    /// Whether a check finds the same in the rewritten recording as in the original one, apart from
    /// line numbers that rewriting changes.
    fn holds(&self, form: Form, rewritten: &Rewritten) -> bool {
        let settings = match form {
            Form::InPlace => self.settings.clone(),
            Form::Messages => Settings { format: None, ..self.settings.clone() },
        };
        let new = Verdict::of(&rewritten.bytes, &settings);
        let expected = self.verdict.clone().with_lines(|line| rewritten.line(line));
        new == expected
    }

    /// Redacts a recording whose findings would change with placeholders only: finds the strings
    /// that must keep their form or stay. `None` when the findings change even so.
    fn repaired(&mut self, form: Form) -> Option<Redacted> {
        let strings = self.rewritten(form, &Treatments::default()).replaced;
        let strings: Vec<Box<str>> = strings.into_keys().collect();
        let all = |treatment| strings.iter().map(|text| (text.clone(), treatment)).collect();
        let mut treatments: Treatments = all(Treatment::Shape);
        let rewritten = self.rewritten(form, &treatments);
        if !self.holds(form, &rewritten) {
            treatments = all(Treatment::Keep);
            let rewritten = self.rewritten(form, &treatments);
            if !self.holds(form, &rewritten) {
                return None;
            }
            // Most strings can be placeholders. Shapes may make ids equal that were different.
            self.minimize(form, &strings, Treatment::Keep, None, &mut treatments);
            self.minimize(form, &strings, Treatment::Keep, Some(Treatment::Shape), &mut treatments);
        }
        self.minimize(form, &strings, Treatment::Shape, None, &mut treatments);
        let rewritten = self.rewritten(form, &treatments);
        self.holds(form, &rewritten).then(|| redacted(rewritten, &treatments))
    }

    /// Changes the treatment of as many strings as possible from `from` to `to` (`None`: a
    /// placeholder) while the findings stay the same. `treatments` holds the result.
    fn minimize(
        &mut self,
        form: Form,
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
                let rewritten = self.rewritten(form, &tried);
                if self.holds(form, &rewritten) {
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
