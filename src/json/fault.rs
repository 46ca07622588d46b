//! Why a text is not JSON: the offset of the first wrong byte, and what was expected there.

use std::{error, fmt};

use crate::source::narrow;

/// Why a text is not JSON: the first byte that is wrong, and what was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset at which something else was expected; the text's length when the text ends too
    /// early.
    pub at: u32,
    /// What the parser expected at the byte where the text stops being JSON.
    pub reason: Reason,
}

/// What was expected where a text stops being JSON. `Display` writes the message for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Value,
    ValueOrBracket,
    NameOrBrace,
    Name,
    Colon,
    CommaOrBrace,
    CommaOrBracket,
    End,
    Literal,
    Digit,
    Quote,
    Control,
    Escape,
    Hex,
    LowSurrogate,
    LoneSurrogate,
    Length,
    /// The text is valid JSON, but has more values or levels than acpcheck reads.
    Values,
}

impl error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.reason, f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Reason {
    /// The message for users.
    pub fn text(self) -> &'static str {
        match self {
            Self::Value => "expected a value",
            Self::ValueOrBracket => "expected a value or `]`",
            Self::NameOrBrace => "expected a member name in double quotes or `}`",
            Self::Name => "expected a member name in double quotes",
            Self::Colon => "expected `:`",
            Self::CommaOrBrace => "expected `,` or `}`",
            Self::CommaOrBracket => "expected `,` or `]`",
            Self::End => "expected nothing after the value",
            Self::Literal => "expected `true`, `false` or `null`",
            Self::Digit => "expected a digit",
            Self::Quote => "expected the `\"` that ends the string",
            Self::Control => {
                "expected an escape such as `\\n`: strings have no raw control characters"
            }
            Self::Escape => "expected one of `\"\\/bfnrtu` after `\\`",
            Self::Hex => "expected four hexadecimal digits after `\\u`",
            Self::LowSurrogate => {
                "expected the second half of a surrogate pair, `\\udc00` to `\\udfff`"
            }
            Self::LoneSurrogate => {
                "expected the first half of a surrogate pair before this second half"
            }
            Self::Length => "expected a text of less than 4 GiB",
            Self::Values => "expected fewer values for a text of this length",
        }
    }
}

/// Fails with the [`Fault`] that `reason` was expected at byte `at`.
pub(super) fn fault<T>(at: usize, reason: Reason) -> Result<T, Fault> {
    Err(Fault { at: narrow(at), reason })
}
