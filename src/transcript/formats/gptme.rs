//! Recognises `gptme` files: the protocol log of gptme. It truncates messages, so the format cannot
//! be read.

use crate::transcript::format::{Beginning, Fidelity, Format, Likelihood, Read};

pub(super) static FORMAT: Format = Format {
    name: "gptme",
    about: "the protocol log of gptme; cannot be read, because messages are cut off",
    obtain: "use `acpcheck record` instead: see `acpcheck-record`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Refused(
        "the protocol log of gptme cuts messages off after 200 characters; set the agent's command to `acpcheck record -o recordings/ -- gptme-acp` to record whole messages",
    ),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let arrows = ["--> ", "<-- "];
    let is_own = |line: &str| {
        let rest = arrows.iter().find_map(|arrow| line.find(arrow).map(|at| &line[at + 4..]));
        rest.is_some_and(|rest| {
            !rest.starts_with(['{', '['])
                && (rest.contains(" params=")
                    || rest.contains(" result=")
                    || rest.contains(" error="))
        })
    };
    let (mut own, mut all) = (0, 0);
    for line in beginning.lines() {
        own += usize::from(is_own(line));
        all += 1;
    }
    Likelihood::sure_if(own > 0 && own * 4 > all)
}
