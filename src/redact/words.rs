//! Words that stand for those of users, the same for everybody.

/// Words of which the placeholders of longer texts consist. There are 64, so that six bits of a
/// number choose one.
const WORDS: [&str; 64] = [
    "amber", "anchor", "apple", "autumn", "badge", "bamboo", "basket", "beacon", "birch",
    "blanket", "bridge", "bronze", "butter", "candle", "canyon", "carpet", "castle", "cedar",
    "cherry", "circle", "clover", "cobalt", "copper", "cotton", "crystal", "dragon", "ember",
    "fabric", "falcon", "feather", "forest", "garden", "ginger", "granite", "hammer", "harbor",
    "hazel", "island", "ivory", "jacket", "jungle", "kettle", "ladder", "lantern", "lemon",
    "linen", "magnet", "maple", "marble", "meadow", "mirror", "nectar", "olive", "orchid", "paper",
    "pepper", "pillow", "planet", "quartz", "ribbon", "saddle", "silver", "timber", "velvet",
];

/// Four words that differ for each number, as the placeholder of a text; from the 4096th on with a
/// number behind them.
pub(super) fn words(number: u64) -> String {
    let (low, high) = (number, number / 64);
    let indices = [low, high + low * 5, high * 7 + low * 11 + 3, high * 13 + low * 23 + 40];
    let words = indices.map(|index| WORDS[usize::try_from(index % 64).unwrap_or_default()]);
    let text = words.join(" ");
    // The first two words alone differ for 4096 numbers.
    if number < 64 * 64 { text } else { format!("{text} {}", number / (64 * 64)) }
}
