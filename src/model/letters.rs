//! Letters without their accents, since the same text may have an accented letter as one character or
//! as two.

/// Letters with accents, behind the letter that each is without them. They are in lower case.
const ACCENTED: [&str; 28] = [
    "aàáâãäåāăąǎạảấầẩẫậắằẳẵặ",
    "cçćĉċč",
    "dď",
    "eèéêëēĕėęěẹẻẽếềểễệ",
    "gĝğġģǧ",
    "hĥ",
    "iìíîïĩīĭįǐỉị",
    "jĵ",
    "kķ",
    "lĺļľ",
    "nñńņň",
    "oòóôõöōŏőơǒọỏốồổỗộớờởỡợ",
    "rŕŗř",
    "sśŝşšș",
    "tţťț",
    "uùúûüũūŭůűųưǔụủứừửữự",
    "wŵẁẃẅ",
    "yýÿŷỳỵỷỹ",
    "zźżž",
    "αά",
    "εέ",
    "ηή",
    "ιίϊΐ",
    "οό",
    "υύϋΰ",
    "ωώ",
    "её",
    "ий",
];

/// A text in lower case and without accents. A Korean syllable becomes its two or three letters.
pub fn plain(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let is_accent =
        |character: &char| matches!(character, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}');
    let lower = text.flat_map(char::to_lowercase);
    lower.filter(move |character| !is_accent(character)).flat_map(parts)
}

/// The letters of a Korean syllable; of other characters, the character without its accent.
fn parts(character: char) -> impl Iterator<Item = char> {
    /// The first Korean syllable, and the first of each kind of Korean letters.
    const KOREAN: [u32; 4] = [0xAC00, 0x1100, 0x1161, 0x11A7];
    let number = u32::from(character);
    let [syllable, first, second, third] = KOREAN;
    let numbers = match number {
        0xAC00..=0xD7A3 => {
            let index = number - syllable;
            let last = index % 28;
            [
                first + index / 588,
                second + index % 588 / 28,
                if last > 0 { third + last } else { 0 },
            ]
        }
        _ => [u32::from(unaccented(character)), 0, 0],
    };
    numbers.into_iter().filter(|number| *number > 0).filter_map(char::from_u32)
}

fn unaccented(character: char) -> char {
    let number = u32::from(character);
    match number {
        0xC0..=0x24F | 0x370..=0x45F | 0x1E00..=0x1EFF => {
            let row = ACCENTED.iter().find(|row| row.chars().skip(1).any(|own| own == character));
            row.and_then(|row| row.chars().next()).unwrap_or(character)
        }
        // Japanese letters come in pairs and threes, of which the first has no sound mark.
        0x3040..=0x30FF => {
            let script = if number < 0x30A0 { 0x3040 } else { 0x30A0 };
            let index = number - script;
            let marks = match index {
                0x0B..=0x22 => (index + 1) % 2,
                0x24..=0x29 => index % 2,
                0x2F..=0x3D => (index - 0x2F) % 3,
                0x54 => 0x4E,
                _ => 0,
            };
            char::from_u32(number - marks).unwrap_or(character)
        }
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn both_spellings_of_an_accent_are_the_same() {
        for (one, other) in [
            ("Caf\u{e9} \u{c5}", "Cafe\u{301} A\u{30a}"),
            ("\u{1ec7}", "e\u{323}\u{302}"),
            ("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            (
                "\u{304c}\u{3065}\u{3071}\u{30f4}",
                "\u{304b}\u{3099}\u{3064}\u{3099}\u{306f}\u{309a}\u{30a6}\u{3099}",
            ),
            ("\u{439}", "\u{438}\u{306}"),
        ] {
            assert!(plain(one.chars()).eq(plain(other.chars())), "{one} {other}");
        }
        assert_eq!(plain("Straße, 3 Wörter!".chars()).collect::<String>(), "straße, 3 worter!");
        assert_eq!(plain("かきつては".chars()).collect::<String>(), "かきつては");
    }
}
