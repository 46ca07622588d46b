//! Recognises files that have messages in a form that no format reads: what a browser exports, tables,
//! and logs that escape what they log.

use memchr::memmem;

/// What a file in which no message was found seems to be, with advice: a sentence without a full
/// stop. `None` where nothing looks like a message.
pub(super) fn of(beginning: &[u8]) -> Option<&'static str> {
    let has = |word: &str| memmem::find(beginning, word.as_bytes()).is_some();
    if has("\"_webSocketMessages\"") {
        return Some(
            "this is a HAR file, the export of a browser, which acpcheck does not read; write the \
             `data` of each WebSocket message on a line of its own, or record with `acpcheck record`",
        );
    }
    let sentence = if has(r#"""jsonrpc"""#) {
        "this looks like a CSV table with messages in it, which acpcheck does not read; write each \
         message on a line of its own, or record with `acpcheck record`"
    } else if has(r#"\"jsonrpc\""#) {
        "there are messages in it, but escaped in a form that acpcheck does not read; write each \
         message on a line of its own, or record with `acpcheck record`"
    } else if has(r#""jsonrpc""#) {
        "there are messages or parts of them in it, but in no form that acpcheck reads (`acpcheck \
         formats`); `acpcheck record` makes a recording"
    } else {
        return None;
    };
    Some(sentence)
}
