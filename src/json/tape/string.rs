//! Where a string ends, and whether JSON allows what is in it.
//!
//! Names and ids are short: of the first bytes, few are looked at together. Of what is longer, texts
//! of files above all, 64 are, since escapes stand too close in them for a look at each.

use fearless_simd::{Level, Simd, SimdBase as _, SimdMask as _, dispatch, u8x16, u8x64};

use super::{Fault, Form, Reason, fault};

/// From the opening quote to just behind the closing one.
#[inline]
pub(in crate::json) fn string(bytes: &[u8], open: usize) -> Result<(usize, Form), Fault> {
    let mut at = open + 1;
    // Names and words are short, ids are longer.
    let mut ends = ends_plain_in::<1>(bytes, at);
    if ends == Some(0) {
        at += NEAR;
        ends = ends_plain_in::<3>(bytes, at);
        if ends == Some(0) {
            at += 3 * NEAR;
        }
    }
    if let Some(ends @ 1..) = ends {
        at += ends.trailing_zeros() as usize;
        if bytes.get(at) == Some(&b'"') {
            return Ok((at + 1, Form::Plain));
        }
    }
    long(bytes, at)
}

/// Bytes that are looked at together where much is short.
const NEAR: usize = 16;

/// Which of so many times [`NEAR`] bytes end what stands for itself, the first in the lowest bit;
/// `None` where there are fewer bytes.
#[inline]
fn ends_plain_in<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let chunks = bytes.get(at..)?.as_chunks::<NEAR>().0.first_chunk::<N>()?;
    Some(dispatch!(Level::baseline(), simd => {
        let mut ends = 0;
        for (chunk, place) in chunks.iter().zip((0..).step_by(NEAR)) {
            let chunk: u8x16<_> = u8x16::from_slice(simd, chunk);
            let own = chunk.simd_eq(b'"') | chunk.simd_eq(b'\\') | chunk.simd_lt(0x20);
            ends |= own.to_bitmask() << place;
        }
        ends
    }))
}

/// Bytes that are looked at together, one bit for each in a mask.
const BLOCK: usize = 64;
const EVEN: u64 = u64::MAX / 3;

/// The rest of a string whose part before `at` has no escapes. Names and ids are found sooner by
/// [`string`].
#[inline(never)]
pub(in crate::json) fn long(bytes: &[u8], at: usize) -> Result<(usize, Form), Fault> {
    dispatch!(Level::new(), simd => blocks(simd, bytes, at))
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "part of what is made for each kind of processor")]
fn blocks<S: Simd>(simd: S, bytes: &[u8], mut at: usize) -> Result<(usize, Form), Fault> {
    let mut form = Form::Plain;
    // Whether the backslash before the block escapes its first byte.
    let mut carry = 0;
    // Where it ends is as little foreseen as whether there are escapes: few branches are best.
    while let Some((block, before)) = block(bytes, at) {
        let block = u8x64::from_slice(simd, block);
        let Masks { mut quotes, slashes, controls } = Masks::of(block).behind(before);
        let (escaped, next) = escapes(slashes, carry);
        let mut wrong = controls | escaped & !(quotes | slashes | simple(simd, block) >> before);
        quotes &= !escaped;
        // Up to the first quote, or all.
        let inside = quotes.wrapping_sub(1) & !quotes;
        if slashes & inside | carry != 0 {
            form = Form::Escaped;
        }
        wrong &= inside;
        // Behind the last escape sequence that was looked at.
        let mut read = at;
        while wrong != 0 {
            let first = wrong.trailing_zeros();
            let place = at + first as usize;
            if escaped >> first & 1 == 0 {
                return fault(place, Reason::Control);
            }
            // The second half of a surrogate pair has been read with the first.
            if place >= read {
                read = escape(bytes, place - 1)?;
            }
            wrong &= wrong - 1;
        }
        if quotes != 0 {
            return Ok((at + quotes.trailing_zeros() as usize + 1, form));
        }
        if before > 0 {
            break; // no quote up to the end
        }
        at += BLOCK;
        carry = if read > at { 0 } else { next };
        at = at.max(read);
    }
    // Back to the backslash.
    let at = at - usize::from(carry != 0);
    short(bytes, at, form)
}

/// The bytes from `at` on or, where they are too few for a block, the last ones, and how many of those
/// stand before `at`. `None` at the end, and of what is shorter than a block.
#[inline]
fn block(bytes: &[u8], at: usize) -> Option<(&[u8; BLOCK], usize)> {
    let from = at.min(bytes.len().checked_sub(BLOCK)?);
    let block = bytes.get(from..)?.first_chunk()?;
    (at - from < BLOCK).then_some((block, at - from))
}

/// The rest of a string, one byte that cannot stand for itself after the other.
fn short(bytes: &[u8], mut at: usize, mut form: Form) -> Result<(usize, Form), Fault> {
    loop {
        at = plain(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok((at + 1, form)),
            Some(b'\\') => at = escape(bytes, at)?,
            Some(_) => return fault(at, Reason::Control),
            None => return fault(at, Reason::Quote),
        }
        form = Form::Escaped;
    }
}

/// What stands where in a block.
#[derive(Debug, Default)]
struct Masks {
    quotes: u64,
    slashes: u64,
    controls: u64,
}

impl Masks {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "part of what is made for each kind of processor")]
    fn of<S: Simd>(block: u8x64<S>) -> Self {
        Self {
            quotes: block.simd_eq(b'"').to_bitmask(),
            slashes: block.simd_eq(b'\\').to_bitmask(),
            controls: block.simd_lt(0x20).to_bitmask(),
        }
    }

    /// Without the first so many bytes.
    #[inline]
    fn behind(self, count: usize) -> Self {
        Self {
            quotes: self.quotes >> count,
            slashes: self.slashes >> count,
            controls: self.controls >> count,
        }
    }
}

/// The bytes that a backslash before them escapes, and whether the last backslash escapes the first
/// byte of the next block. In a row of backslashes every second one is escaped: adding the starts of
/// rows at odd places to all of them carries through each such row, and what differs then by its
/// parity is found without a loop.
#[inline]
fn escapes(slashes: u64, carry: u64) -> (u64, u64) {
    let slashes = slashes & !carry;
    let follows = slashes << 1 | carry;
    let odd_starts = slashes & !EVEN & !follows;
    let (rows, overflow) = odd_starts.overflowing_add(slashes);
    ((EVEN ^ (rows << 1)) & follows, u64::from(overflow))
}

/// The bytes that, escaped, are a whole escape sequence, quotes and backslashes apart. All but `r`
/// have four last bits of their own.
#[inline(always)] // into the code for each kind of processor
fn simple<S: Simd>(simd: S, block: u8x64<S>) -> u64 {
    const BY_END: [u8; 16] = {
        let mut bytes = [0; 16];
        let mut next = 0;
        while next < 5 {
            let byte = b"/bfnt"[next];
            bytes[(byte & 0xf) as usize] = byte;
            next += 1;
        }
        bytes
    };
    let known = u8x64::block_splat(u8x16::from_slice(simd, &BY_END));
    let own = known.swizzle_dyn_within_blocks(block & 0xf);
    (block.simd_eq(own) | block.simd_eq(b'r')).to_bitmask()
}

/// From a backslash to behind the escape sequence that it begins.
#[inline]
fn escape(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        Some(b'n' | b'"' | b'\\' | b't' | b'r' | b'/' | b'b' | b'f') => Ok(at + 2),
        Some(b'u') => unicode(bytes, at),
        _ => fault(at + 1, Reason::Escape),
    }
}

/// From the backslash of `\uXXXX` to behind it, or behind the surrogate pair it begins.
#[inline]
fn unicode(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match hex(bytes, at + 2)? {
        0xdc00..0xe000 => fault(at, Reason::LoneSurrogate),
        0xd800..0xdc00 => {
            let low = at + 6;
            if bytes.get(low..low + 2) != Some(b"\\u")
                || !(0xdc00..0xe000).contains(&hex(bytes, low + 2)?)
            {
                return fault(low, Reason::LowSurrogate);
            }
            Ok(low + 6)
        }
        _ => Ok(at + 6),
    }
}

#[inline]
fn hex(bytes: &[u8], at: usize) -> Result<u32, Fault> {
    unit(bytes, at).map_or_else(|| not_hex(bytes, at), Ok)
}

/// The number that four hexadecimal digits from `at` on are.
#[inline]
pub(in crate::json) fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let [first, second, third, fourth] = *bytes.get(at..)?.first_chunk()?;
    let value = |digit: u8| u32::from(DIGITS[usize::from(digit)]);
    let (first, second, third, fourth) = (value(first), value(second), value(third), value(fourth));
    let is_number = first | second | third | fourth < 16;
    is_number.then_some(first << 12 | second << 8 | third << 4 | fourth)
}

#[cold]
fn not_hex<T>(bytes: &[u8], at: usize) -> Result<T, Fault> {
    let is_digit = |at: &usize| bytes.get(*at).is_some_and(u8::is_ascii_hexdigit);
    let wrong = (at..at + 4).find(|at| !is_digit(at)).unwrap_or(at);
    fault(wrong, Reason::Hex)
}

/// The values of hexadecimal digits; a greater number for other bytes.
static DIGITS: [u8; 256] = {
    let mut digits = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value as usize] as usize] = value;
        digits[b"0123456789ABCDEF"[value as usize] as usize] = value;
        value += 1;
    }
    digits
};

/// The first offset from `at` on of a quote, a backslash or a control character.
#[inline]
fn plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        if let Some(found) = find(chunk) {
            return at + found;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|&byte| !ends_plain(byte)) {
        at += 1;
    }
    at
}

#[inline]
fn ends_plain(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The position of the first byte that [`ends_plain`], found among all eight at once.
#[inline]
fn find(chunk: [u8; 8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGHS: u64 = ONES * 0x80;
    let word = u64::from_le_bytes(chunk);
    let quotes = word ^ u64::from_le_bytes([b'"'; 8]);
    let slashes = word ^ u64::from_le_bytes([b'\\'; 8]);
    // Subtracting borrows from the next byte only behind a byte that is itself looked for, so the
    // lowest bit is always a true one.
    let found = (quotes.wrapping_sub(ONES) & !quotes)
        | (slashes.wrapping_sub(ONES) & !slashes)
        | (word.wrapping_sub(ONES * 0x20) & !word);
    let found = found & HIGHS;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// How many escape sequences in what stands between the quotation marks of a string are line breaks,
/// and where the last of them ends; 0 where there is none.
pub(in crate::json) fn line_breaks(written: &[u8]) -> (u64, usize) {
    dispatch!(Level::new(), simd => breaks(simd, written))
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "part of what is made for each kind of processor")]
fn breaks<S: Simd>(simd: S, written: &[u8]) -> (u64, usize) {
    let (mut count, mut ended, mut carry) = (0, 0, 0);
    let (blocks, rest) = written.as_chunks::<BLOCK>();
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    for (at, block) in (0..).step_by(BLOCK).zip(blocks.iter().chain([&last])) {
        let block = u8x64::from_slice(simd, block);
        let slashes = block.simd_eq(b'\\').to_bitmask();
        if slashes | carry == 0 {
            continue;
        }
        let (escaped, next) = escapes(slashes, carry);
        carry = next;
        let short = escaped & block.simd_eq(b'n').to_bitmask();
        count += u64::from(short.count_ones());
        if short != 0 {
            ended = at + BLOCK - short.leading_zeros() as usize;
        }
        let mut long = escaped & block.simd_eq(b'u').to_bitmask();
        while long != 0 {
            let digits = at + long.trailing_zeros() as usize + 1;
            let is_break = |digits: &[u8]| digits.eq_ignore_ascii_case(b"000a");
            if written.get(digits..digits + 4).is_some_and(is_break) {
                count += 1;
                ended = ended.max(digits + 4);
            }
            long &= long - 1;
        }
    }
    (count, ended)
}

/// The kinds of registers that this machine has.
#[cfg(test)]
fn levels() -> Vec<Level> {
    let widest = Level::new();
    let mut levels = vec![Level::baseline(), widest];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        levels.extend(widest.as_sse4_2().map(Level::Sse4_2));
        levels.extend(widest.as_avx2().map(Level::Avx2));
    }
    levels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::Stretches;

    proptest! {
        /// Blocks tell the same as one byte after the other, wherever escapes and faults stand.
        #[test]
        fn blocks_are_read_like_bytes(
            parts in prop::collection::vec((0..14_usize, 0..70_usize), 0..40),
            open in 0..9_usize,
        ) {
            const PARTS: [&str; 14] = [
                "a", "\\n", "\\\"", "\\\\", "\\u0041", "\\ud83d\\ude00", "é", "\"", "\\", "\\x",
                "\n", "\\u12", "\\udc00", "/",
            ];
            let mut text = " ".repeat(open) + "\"";
            for (part, times) in parts {
                // What ends a string, or is none, is rare.
                let (part, times) = match part {
                    7.. if times > 2 => ("b", times),
                    part => (PARTS[part], times / 7),
                };
                text.push_str(&part.repeat(times));
            }
            let bytes = text.as_bytes();
            let expected = short(bytes, open + 1, Form::Plain);
            prop_assert_eq!(string(bytes, open), expected, "{}", text);
            for level in levels() {
                let found = dispatch!(level, simd => blocks(simd, bytes, open + 1));
                prop_assert_eq!(found, expected, "{:?} {}", level, text);
            }
        }
    }

    proptest! {
        #[test]
        fn line_breaks_are_counted_wherever_they_stand(
            parts in prop::collection::vec((0..8_usize, 1..9_usize), 0..60),
        ) {
            const PARTS: [&str; 8] =
                ["some text", "n", "\\\\", "\\n", "\\u000a", "\\u000A", "\\u000d", "\\ud83d\\ude00"];
            let parts = parts.into_iter().map(|(part, times)| PARTS[part].repeat(times));
            let written = parts.collect::<String>();
            let decoded: String = serde_json::from_str(&format!("\"{written}\"")).expect("a string");
            let (mut count, mut ended) = (0, 0);
            for (at, _) in decoded.match_indices('\n') {
                count += 1;
                ended = at + 1;
            }
            for level in levels() {
                let (found, end) = dispatch!(level, simd => breaks(simd, written.as_bytes()));
                prop_assert_eq!(found, count, "{:?} {}", level, written);
                let own = Stretches::of(&written[..end]).decoded();
                prop_assert_eq!(own.len(), ended, "{:?} {}", level, written);
            }
        }
    }

    #[test]
    fn rows_of_backslashes_are_told_by_their_parity() {
        for before in 0..140 {
            for slashes in 0..140 {
                let text = format!("\"{}{}\"x\"", "a".repeat(before), "\\".repeat(slashes));
                let expected = short(text.as_bytes(), 1, Form::Plain);
                assert_eq!(string(text.as_bytes(), 0), expected, "{before} {slashes}");
            }
        }
    }
}
