//! What the targets of actions are compared by: their text, and commands also by their words as a shell
//! reads them.

use crate::map::hash_of;

/// By what a target is recognized: a path, a URL, or a command, of which one spelling may have quotes and
/// another be a list of words.
#[derive(Clone, Copy, Debug)]
pub struct TargetKey {
    /// Hash of a command as one line, or of another target in its normal spelling.
    pub text: u64,
    /// Hash of the words of a command; `None` for other targets, and where a shell does more than to take
    /// quotes off, as for `a | b`.
    pub words: Option<u64>,
}

impl TargetKey {
    /// The key of a target that is compared by its text alone.
    pub fn of(text: &str) -> Self {
        Self { text: hash_of(text), words: None }
    }

    /// The key of a command that a shell reads.
    pub fn of_text(text: &str) -> Self {
        let words = words(text).filter(|words| !words.first().is_some_and(|it| it.contains('=')));
        let words = words.map(|words| hash_of_words(words.iter().map(|word| &**word)));
        Self { text: hash_of(text), words }
    }

    /// The key of a command whose words are known. `line` is the command as one line.
    pub fn of_words<'w>(line: &str, words: impl Iterator<Item = &'w str>) -> Self {
        Self { text: hash_of(line), words: Some(hash_of_words(words)) }
    }

    /// Compares only the text from now on.
    pub fn forget_words(&mut self) {
        self.words = None;
    }

    /// Whether both are one target.
    pub fn is_same(self, other: Self) -> bool {
        self.text == other.text || self.words.is_some() && self.words == other.words
    }

    /// All hashes by which the target may be found.
    pub fn all(self) -> impl Iterator<Item = u64> {
        [Some(self.text), self.words].into_iter().flatten()
    }
}

fn hash_of_words<'w>(words: impl Iterator<Item = &'w str>) -> u64 {
    let mut all = String::new();
    for (index, word) in words.enumerate() {
        // A mark before each word tells words from the text of a line.
        all.push('\0');
        all.push_str(if index == 0 { program(word) } else { word });
    }
    hash_of(&all)
}

/// The name of a program without the directory in which systems keep their programs.
fn program(word: &str) -> &str {
    const DIRECTORIES: [&str; 6] =
        ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"];
    let names = DIRECTORIES.iter().filter_map(|directory| word.strip_prefix(directory));
    let mut names = names.filter(|name| !name.is_empty() && !name.contains('/'));
    names.next().unwrap_or(word)
}

/// The words of a command without their quotes and backslashes, as a shell of POSIX reads it; `None` where
/// the shell would do more, such as fill in a variable or begin a second command.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.trim().chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(own), _) if own == character => quote = None,
            (Some('"'), '$' | '`') => return None,
            (None | Some('"'), '\\') => {
                let next = characters.next().filter(|next| match quote {
                    None => !next.is_alphanumeric() && *next != '\n',
                    Some(_) => matches!(next, '$' | '`' | '"' | '\\'),
                });
                word.get_or_insert_default().push(next?);
            }
            (None, '~' | '#') if word.is_none() => return None,
            (None, _) if ";&|<>()$`*?[]{}\n\r".contains(character) => return None,
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    (quote.is_none() && !words.is_empty()).then_some(words)
}
