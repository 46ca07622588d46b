//! Recognises `acp-el-summary` files: the list of messages that the Emacs package acp.el shows. The
//! list has no params, so the format cannot be read; the diagnostic names the one to save instead.

use crate::transcript::format::{Beginning, Fidelity, Format, Likelihood, Read};

pub(super) static FORMAT: Format = Format {
    name: "acp-el-summary",
    about: "the message list of acp.el; cannot be read",
    obtain: "save the traffic instead: see `acp-el`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Refused(
        "the message list of acp.el does not contain the messages themselves; run `M-x acp-traffic-save` in the traffic buffer to save them",
    ),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_own = |line: &str| {
        let mut words = line.split_whitespace();
        let is_time = words.next().is_some_and(|time| {
            time.len() >= 8
                && time.bytes().all(|byte| byte.is_ascii_digit() || b":.".contains(&byte))
        });
        let is_arrow = words.next().is_some_and(|arrow| matches!(arrow, "→" | "←"));
        let kinds = ["request", "response", "notification"];
        is_time && is_arrow && words.next().is_some_and(|kind| kinds.contains(&kind))
    };
    let (mut own, mut all) = (0, 0);
    for line in beginning.lines() {
        own += usize::from(is_own(line));
        all += 1;
    }
    Likelihood::sure_if(own * 2 > all)
}
