//! Placeholders of what is said in a session, letter by letter.
//!
//! A replay repeats messages in other chunks, with other marks and capitals, and may leave out a part.
//! Rules compare only the letters of a message, see [`item`](crate::model::story::item). So each letter
//! gives a letter, and everything else stays where it is. A word has one placeholder wherever it is said.

use std::mem;

use crate::{
    map::{Map, Set},
    model::story::item::{letters, visible},
    redact::words::words,
};

/// The least number of different letters of a text that rules compare, if it has as many letters.
/// Texts with fewer stand in for others.
const DIFFERENT: usize = 6;

/// The placeholders of all words so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Speech {
    /// The letters of each word, with the letters that replace them. Both are equally many.
    given: Map<Box<str>, Box<str>>,
    /// The placeholders in `given`, to give each one only once.
    used: Set<Box<str>>,
}

impl Speech {
    /// The new texts of the chunks of one message. Spaces and ASCII marks stay. `number` is the last
    /// number that was made into words, here or elsewhere, so that nothing else has the same words.
    pub(super) fn say(&mut self, chunks: &[Box<str>], number: &mut u64) -> Vec<Box<str>> {
        let mut words = Vec::new();
        let mut word = String::new();
        for character in chunks.iter().flat_map(|chunk| visible(chunk)) {
            let length = word.len();
            word.extend(letters_of(character));
            if word.len() == length && !is_accent(character) {
                words.push(mem::take(&mut word));
            }
        }
        words.push(word);
        let all = words.concat();
        let length = all.chars().count();
        let is_stand_in = length >= DIFFERENT && different(&all) < DIFFERENT;
        let new: String = if is_stand_in {
            "x".repeat(length)
        } else {
            words.iter().map(|word| self.word(word, number)).collect()
        };
        let mut new = new.chars();
        let mut new_text = |chunk: &str| {
            let mut text = String::new();
            for character in visible(chunk) {
                let letters = letters_of(character).count();
                text.extend(new.by_ref().take(letters));
                if letters == 0 {
                    let is_plain = character.is_ascii() || character.is_whitespace();
                    text.push(if is_plain { character } else { '*' });
                }
            }
            text.into_boxed_str()
        };
        chunks.iter().map(|chunk| new_text(chunk)).collect()
    }

    /// The letters that replace those of a word: as many, and other ones for each word.
    fn word(&mut self, word: &str, number: &mut u64) -> Box<str> {
        /// Most placeholders that are tried for a word. Short words may have the same.
        const TRIES: u64 = 100;
        if word.is_empty() {
            return "".into();
        }
        if let Some(given) = self.given.get(word) {
            return given.clone();
        }
        let length = word.chars().count();
        let needed = different(word).min(DIFFERENT);
        let mut new: Box<str> = "x".repeat(length).into();
        for _ in 0..TRIES {
            *number += 1;
            let words = words(*number).replace(' ', "");
            new = words.chars().cycle().take(length).collect();
            if different(&new) >= needed && *new != *word && !self.used.contains(&new) {
                break;
            }
        }
        self.used.insert(new.clone());
        self.given.insert(word.into(), new.clone());
        new
    }
}

/// How many different characters a text has.
fn different(text: &str) -> usize {
    text.chars().collect::<Set<char>>().len()
}

/// Whether a character is an accent of the letter before it.
fn is_accent(character: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&character)
}

/// The letters that rules compare of one character.
fn letters_of(character: char) -> impl Iterator<Item = char> {
    let mut bytes = [0; 4];
    let letters: Vec<char> = letters(character.encode_utf8(&mut bytes)).collect();
    letters.into_iter()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Speech, letters};

    fn said(speech: &mut Speech, chunks: &[&str]) -> Vec<String> {
        let chunks: Vec<Box<str>> = chunks.iter().map(|chunk| (*chunk).into()).collect();
        // Tests give a text new words wherever it has none.
        let number = &mut (speech.used.len() as u64);
        speech.say(&chunks, number).into_iter().map(String::from).collect()
    }

    fn letters_of(texts: &[String]) -> String {
        texts.iter().flat_map(|text| letters(text)).collect()
    }

    #[test]
    fn equal_letters_stay_equal_in_other_chunks_with_other_marks_and_capitals() {
        let speech = &mut Speech::default();
        let first = said(speech, &["Rename the fla", "g --zebra. Caf\u{e9}!\n"]);
        for other in [
            &["RENAME THE FLAG zebra. CAFE\u{301}"][..],
            &["Rename", " the", " **flag** --", "zeb", "ra.", "\n\nCaf\u{e9}"],
            &["\u{1b}[1mRename the flag\u{1b}[0m zebra", ". cafe!"],
        ] {
            assert_eq!(letters_of(&said(speech, other)), letters_of(&first), "{other:?}");
        }
        assert_eq!(first[0].find(' '), Some(6), "{first:?}");
        assert!(first[1].ends_with("!\n"), "{first:?}");
        let shown = first.concat();
        assert!(
            !["Rename", "flag", "zebra", "Caf"].iter().any(|word| shown.contains(word)),
            "{shown}"
        );
    }

    #[test]
    fn a_part_of_a_message_is_found_alone() {
        let speech = &mut Speech::default();
        let both = said(speech, &["I read the file. It has 4711 lines."]);
        let second = said(speech, &["It has 47", "11 lines"]);
        assert!(letters_of(&both).ends_with(&letters_of(&second)), "{both:?} {second:?}");
        assert!(!both[0].contains("4711"), "{both:?}");
    }

    #[test]
    fn masked_texts_stay_masked() {
        let new = said(&mut Speech::default(), &["yyyyyyyyyyyy yyyyyyyyyyyyyyyyy"]);
        assert_eq!(new, ["xxxxxxxxxxxx xxxxxxxxxxxxxxxxx"]);
    }

    proptest! {
        #[test]
        fn different_texts_stay_different(texts in prop::collection::hash_set("[a-z]{6,40}", 2..40)) {
            let speech = &mut Speech::default();
            let texts: Vec<String> = texts.into_iter().collect();
            let is_masked = |text: &str| text.chars().collect::<std::collections::HashSet<_>>().len() < 6;
            let telling: Vec<&String> = texts.iter().filter(|text| !is_masked(text)).collect();
            let new: Vec<String> = telling.iter().flat_map(|text| said(speech, &[text])).collect();
            for (index, own) in new.iter().enumerate() {
                prop_assert_eq!(own.len(), telling[index].len());
                prop_assert_ne!(own, telling[index]);
                prop_assert!(!is_masked(own), "{}", own);
                prop_assert!(!new[..index].contains(own), "{}", own);
            }
        }
    }
}
