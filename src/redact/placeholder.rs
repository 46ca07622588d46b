//! Placeholders: what stands in the place of a string. Equal strings get equal placeholders, different
//! strings different ones, in all recordings of one run.

use super::{speech::Speech, words::words};
use crate::{
    map::Map,
    model::{letters, story::identity::is_drawn},
};

/// The placeholders given so far in one run. Equal strings get equal placeholders, different
/// strings different ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Placeholders {
    given: Map<Box<str>, Box<str>>,
    counts: Map<&'static str, u64>,
    /// Names of folders and files without case and accents, with the placeholder of the first such name
    /// until a second one has got its own.
    spellings: Map<Box<str>, Option<String>>,
    /// The day of the first time stamp that was seen, in days since 1970; `None` before. This day
    /// becomes 1 January 2000, and others keep their distance.
    first_day: Option<i64>,
    speech: Speech,
}

/// The kind of placeholder for a string that is not a date, a path, a URI or a text of several
/// lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fallback {
    Text,
    /// An id; the placeholder is this word with a number, such as `session-1`.
    Id(&'static str),
    /// The name of a member; the placeholder is `key-1`, `key-2` and so on.
    Key,
    MimeType,
}

/// The least number of letters of a text that is replaced by four words. A shorter text becomes
/// `text 1`, `text 2` and so on; one without blanks `text-1`.
const LETTERS_OF_WORDS: usize = 16;
impl Placeholders {
    /// The placeholder of a string; the string itself when it is ASCII without letters and digits.
    pub(super) fn of(&mut self, text: &str, fallback: Fallback) -> Box<str> {
        if !text.chars().any(char::is_alphanumeric) && text.is_ascii() {
            return text.into();
        }
        if let Some(given) = self.given.get(text) {
            return given.clone();
        }
        let placeholder: Box<str> = self.make(text, fallback).into();
        self.given.insert(text.into(), placeholder.clone());
        placeholder
    }

    fn make(&mut self, text: &str, fallback: Fallback) -> String {
        if let Some(moved) = self.moved_date(text) {
            return moved;
        }
        if text.contains('\n') {
            let is_patch = is_patch(text);
            let line = |line: &str| if is_patch { self.patch_line(line) } else { self.line(line) };
            return text.split('\n').map(line).collect::<Vec<_>>().join("\n");
        }
        match fallback {
            _ if is_path(text) => self.path(text),
            _ if is_uri(text) => self.uri(text),
            Fallback::Id("session") if is_drawn(text) => self.drawn(text),
            Fallback::Id(what) => format!("{what}-{}", self.next(what)),
            Fallback::Key => format!("key-{}", self.next("key")),
            Fallback::MimeType if text.split_once('/').is_some() => {
                format!("application/x-{}", self.next("type"))
            }
            Fallback::MimeType | Fallback::Text => self.line(text),
        }
    }

    /// The placeholders of the chunks of one message, letter by letter.
    pub(super) fn say(&mut self, chunks: &[Box<str>]) -> Vec<Box<str>> {
        self.speech.say(chunks, self.counts.entry("text").or_default())
    }

    /// The placeholder of a text, letter by letter; `None` for times, paths, URIs and patches.
    pub(super) fn say_text(&mut self, text: &str) -> Option<Box<str>> {
        let is_plain = date(text).is_none() && !is_path(text) && !is_uri(text) && !is_patch(text);
        if is_plain { self.say(&[text.into()]).pop() } else { None }
    }

    fn next(&mut self, kind: &'static str) -> u64 {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        *count
    }

    /// The placeholder of one line of a text. White space around it stays, and a `/` or `_` at its
    /// beginning, which rules read.
    fn line(&mut self, line: &str) -> String {
        let is_word = |character: char| character.is_alphanumeric() || !character.is_ascii();
        if !line.contains(is_word) {
            return line.to_owned();
        }
        let core = line.trim_start();
        let core = core.strip_prefix(['/', '_']).unwrap_or(core);
        let (head, core) = line.split_at(line.len() - core.len());
        let (core, tail) = core.split_at(core.trim_end().len());
        if let Some(given) = self.given.get(core) {
            return format!("{head}{given}{tail}");
        }
        let letters = core.chars().filter(|character| character.is_alphabetic()).count();
        let number = self.next("text");
        let mut text =
            if letters < LETTERS_OF_WORDS { format!("text {number}") } else { words(number) };
        // Rules ask whether a command is one word.
        if core.is_ascii() && !core.contains(char::is_whitespace) {
            text = text.replace(' ', "-");
        }
        self.given.insert(core.into(), text.clone().into());
        format!("{head}{text}{tail}")
    }

    fn patch_line(&mut self, line: &str) -> String {
        let ended = line.strip_suffix('\r').unwrap_or(line);
        let tail = &line[ended.len()..];
        let of_file = |own: &mut Self, head: &str, file: &str| {
            let (side, path) = match file.get(..2) {
                Some(side @ ("a/" | "b/")) => (side, &file[2..]),
                _ => ("", file),
            };
            let path = path.split('\t').next().unwrap_or_default();
            if path == "/dev/null" {
                format!("{head}{path}")
            } else {
                format!("{head}{side}{}", own.parts(path, '/'))
            }
        };
        let new = if let Some(rest) = ended.strip_prefix("@@") {
            let numbers = rest.split("@@").next().unwrap_or_default();
            let is_kept =
                |character: char| character.is_ascii_digit() || " ,+-".contains(character);
            let numbers: String = numbers.chars().filter(|character| is_kept(*character)).collect();
            let end = if rest.contains("@@") { "@@" } else { "" };
            format!("@@{numbers}{end}")
        } else if let Some(files) = ended.strip_prefix("diff --git ") {
            let mut new = "diff --git".to_owned();
            for file in files.split(' ') {
                new += &of_file(self, " ", file);
            }
            new
        } else if let Some(head) = ["--- ", "+++ ", "rename from ", "rename to "]
            .into_iter()
            .find(|head| ended.starts_with(head))
        {
            of_file(self, head, &ended[head.len()..])
        } else if ended.starts_with("\\ No newline at end of file")
            || ["new file mode 100644", "deleted file mode 100644"].contains(&ended)
        {
            ended.split_inclusive("newline at end of file").next().unwrap_or_default().to_owned()
        } else if let Some((sign, rest)) =
            ended.split_at_checked(1).filter(|(sign, _)| ["+", "-", " "].contains(sign))
        {
            format!("{sign}{}", self.line(rest))
        } else {
            self.line(ended)
        };
        new + tail
    }

    /// The placeholder of a path: each folder and file name becomes `p1`, `p2` and so on, equal
    /// names alike. Separators, `..` and a drive stay.
    fn path(&mut self, path: &str) -> String {
        let is_windows = path.as_bytes().get(1) == Some(&b':') || path.starts_with("\\\\");
        if !is_windows {
            return self.parts(path, '/');
        }
        let (drive, rest) = if path.starts_with('\\') { ("", path) } else { path.split_at(2) };
        let rest: Vec<_> = rest.split('\\').map(|part| self.parts(part, '/')).collect();
        format!("{drive}{}", rest.join("\\"))
    }

    fn parts(&mut self, path: &str, separator: char) -> String {
        let part = |part: &str| match part {
            "" | "." | ".." | "~" => part.to_owned(),
            part => {
                let key = format!("/{part}");
                if let Some(given) = self.given.get(&*key) {
                    return given.to_string();
                }
                let given = self.name(part);
                self.given.insert(key.into(), given.clone().into());
                given
            }
        };
        path.split(separator).map(part).collect::<Vec<_>>().join(&separator.to_string())
    }

    /// A new name for a folder or file. Rules ask whether two names differ only in case or accents:
    /// such names get the placeholders `p1` and `P1`.
    fn name(&mut self, part: &str) -> String {
        let plain: Box<str> = letters::plain(part.chars()).collect::<String>().into();
        if let Some(other) = self.spellings.get_mut(&plain).and_then(Option::take) {
            return other.to_uppercase();
        }
        let given = format!("p{}", self.next("path"));
        self.spellings.insert(plain, Some(given.clone()));
        given
    }

    fn uri(&mut self, uri: &str) -> String {
        let Some((scheme, rest)) = uri.split_once(':') else { return self.line(uri) };
        let scheme = if is_scheme(scheme) { scheme } else { "x" };
        let Some(rest) = rest.strip_prefix("//") else {
            return if scheme.eq_ignore_ascii_case("file") {
                format!("{scheme}:{}", self.parts(rest, '/'))
            } else {
                format!("{scheme}:p{}", self.next("path"))
            };
        };
        if scheme.eq_ignore_ascii_case("file") {
            return format!("{scheme}://{}", self.parts(rest, '/'));
        }
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let key = format!("//{host}");
        let host = if let Some(given) = self.given.get(&*key) {
            given.to_string()
        } else {
            let given = format!("h{}.invalid", self.next("host"));
            self.given.insert(key.into(), given.clone().into());
            given
        };
        if path.is_empty() || path == "/" {
            format!("{scheme}://{host}{path}")
        } else {
            format!("{scheme}://{host}/p{}", self.next("path"))
        }
    }

    /// Random characters for an id that was drawn at random: digits become digits, letters become
    /// letters of the same case, other ASCII characters stay. A UUID keeps its version.
    fn drawn(&mut self, text: &str) -> String {
        let is_hex = text.chars().all(|it| it.is_ascii_hexdigit() || !it.is_ascii_alphanumeric());
        let letters = if is_hex { 6 } else { 26 };
        let mut state = self.next("drawn");
        let mut draw = |limit: u64| {
            // SplitMix64.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            u8::try_from((mixed ^ (mixed >> 31)) % limit).unwrap_or_default()
        };
        let other = |(at, character): (usize, char)| match character {
            // The digit of a UUID that tells its version.
            '1'..='8' if at == 14 && text.len() == 36 => character,
            character if character.is_numeric() => char::from(b'0' + draw(10)),
            character if character.is_uppercase() => char::from(b'A' + draw(letters)),
            character if character.is_alphabetic() => char::from(b'a' + draw(letters)),
            character if character.is_ascii() => character,
            _ => 'x',
        };
        text.chars().enumerate().map(other).collect()
    }

    /// The day that stands for a day; both are counted from the first of January 1970.
    fn moved_day(&mut self, day: i64) -> i64 {
        /// The first of January 2000, in days since 1970.
        const START: i64 = 10_957;
        day - *self.first_day.get_or_insert(day) + START
    }

    /// A time of a recorder, moved as time stamps are. `unit` is the number of its units in a second.
    /// `None` when the time does not count from 1970.
    pub(super) fn moved_seconds(&mut self, time: i64, unit: i64) -> Option<i64> {
        /// A time in 1999, in seconds. Smaller ones count from the recorder's start.
        const EARLIEST: i64 = 940_000_000;
        let day = 86_400 * unit;
        let is_absolute = time.div_euclid(unit) > EARLIEST;
        is_absolute.then(|| self.moved_day(time.div_euclid(day)) * day + time.rem_euclid(day))
    }

    /// A time stamp, moved by whole days so that the first one seen falls on the first of January
    /// 2000. Its form, the time of day and all differences stay. `None` when the text is not a time
    /// stamp.
    fn moved_date(&mut self, text: &str) -> Option<String> {
        let Date { day, separator, rest } = date(text)?;
        let (year, month, day) = civil(self.moved_day(day));
        let is_year = (0..=9999).contains(&year);
        is_year.then(|| format!("{year:04}{separator}{month:02}{separator}{day:02}{rest}"))
    }
}

/// A string with letters and digits replaced by `X`, `x` and `0`, for strings of which a
/// placeholder would change a finding. `raw` is the text between the quotation marks; most escape
/// sequences stay.
pub(super) fn shape(raw: &str) -> String {
    let mut shape = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        if character == '\\' {
            let is_code = rest.as_bytes().get(1) == Some(&b'u');
            length = if is_code { 6 } else { 2 }.min(rest.len());
            while !rest.is_char_boundary(length) {
                length += 1;
            }
            let escape = &rest[..length];
            let is_surrogate = escape.get(2..4).is_some_and(|digits| {
                u8::from_str_radix(digits, 16).is_ok_and(|high| (0xd8..=0xdf).contains(&high))
            });
            if is_code && !is_surrogate {
                shape.push('x');
            } else {
                shape += escape;
            }
        } else {
            shape.push(shape_of(character));
        }
        rest = &rest[length..];
    }
    shape
}

/// The character that stands in for a letter (`x` or `X`) or a digit (`0`) in [`shape`]. Other
/// ASCII characters and white space stay.
pub(super) fn shape_of(character: char) -> char {
    match character {
        character if character.is_numeric() => '0',
        character if character.is_uppercase() => 'X',
        character if character.is_ascii() && !character.is_alphabetic() => character,
        // A byte order mark.
        '\u{feff}' => character,
        character if character.is_whitespace() => character,
        _ => 'x',
    }
}

/// Whether a text is an absolute path of Unix or Windows. A line of several words such as `/command
/// now` is not.
fn is_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_windows = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'\\' | b'/');
    let is_unix = text.starts_with('/') || text.starts_with("~/");
    let has_folders = text.matches('/').count() > 1;
    is_windows || text.starts_with("\\\\") || is_unix && (has_folders || !text.contains(' '))
}

/// Whether a text is a URI. Without `//` its scheme must be a usual one: `user:password` and
/// `host:5432` are texts.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let may_be_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (is_scheme(scheme) || may_be_scheme && scheme.len() > 1 && rest.starts_with("//"))
        && !rest.is_empty()
        && !rest.contains(char::is_whitespace)
}

/// Whether a text is the scheme of many URIs, which says nothing about its user. Placeholders keep
/// no other scheme.
fn is_scheme(text: &str) -> bool {
    const SCHEMES: [&str; 16] = [
        "file", "http", "https", "ws", "wss", "data", "blob", "mailto", "urn", "git", "ssh", "ftp",
        "about", "acp", "mcp", "untitled",
    ];
    SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(text))
}

fn is_patch(text: &str) -> bool {
    let is_begun = ["--- ", "diff --git ", "@@ "].iter().any(|head| text.starts_with(head));
    (is_begun || text.contains("\n--- ")) && text.contains("@@ ")
}

/// The date at the beginning of a time stamp, to move it by some days.
struct Date<'t> {
    /// The date as a number of days since 1 January 1970.
    day: i64,
    /// The text between year, month and day: `-`, or empty.
    separator: &'static str,
    /// The text behind the date, such as a time of day.
    rest: &'t str,
}

/// Reads a time stamp: a date with or without a time of day, with or without `-` between its parts.
/// `None` when the text is not one.
fn date(text: &str) -> Option<Date<'_>> {
    let separator = if text.as_bytes().get(4) == Some(&b'-') { "-" } else { "" };
    let wide = separator.len();
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<i64>().ok())?
    };
    let year = number(0, 4)?;
    let month = number(4 + wide, 6 + wide)?;
    let day = number(6 + 2 * wide, 8 + 2 * wide)?;
    let rest = text.get(8 + 2 * wide..)?;
    let is_separated = text.get(6 + wide..6 + 2 * wide) == Some(separator);
    let is_time = rest.is_empty() || rest.strip_prefix(['T', 't', ' ']).is_some_and(is_time_of_day);
    if !is_separated || !is_time {
        return None;
    }
    // Days since the first of March of the year 0, as the months are counted from then.
    let (shifted, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    let days = shifted * 365 + leaps + (from_march * 153 + 2) / 5 + day - 1 - 719_468;
    (civil(days) == (year, month, day)).then_some(Date { day: days, separator, rest })
}

/// Whether a text is a time of day: hours, minutes, and perhaps seconds, decimals and a zone.
fn is_time_of_day(text: &str) -> bool {
    /// Most decimals of a second.
    const DECIMALS: usize = 9;
    let zone = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    let (clock, decimals) = clock.split_once(['.', ',']).unwrap_or((clock, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_clock = |text: &str, separators: &[usize]| {
        let digits = text.replace(':', "");
        let is_plain = digits.len() == text.len();
        let is_separated = text.split(':').all(|part| part.len() == 2);
        separators.contains(&digits.len()) && are_digits(&digits) && (is_plain || is_separated)
    };
    let zone = zone.strip_prefix(['Z', 'z', '+', '-']).unwrap_or_default();
    is_clock(clock.trim_end(), &[4, 6])
        && decimals.len() <= DECIMALS
        && are_digits(decimals)
        && (zone.is_empty() || is_clock(zone, &[2, 4]))
}

/// Year, month and day of the day that is `day` days after the first of January 1970.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}
