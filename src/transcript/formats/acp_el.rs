//! Reads `acp-el` files: the traffic that the Emacs package acp.el saves. The file is one Lisp
//! value, a list of messages.
//!
//! ```text
//! (((:direction . outgoing) (:kind . request)
//!   (:object (jsonrpc . "2.0") (id . 0) (method . "initialize") (params (protocolVersion . 1)))))
//! ```

use std::borrow::Cow;

use crate::transcript::{
    format::{Beginning, Fidelity, Format, Likelihood, Read},
    limits::{LATE, Limit, Loss},
    record::{Body, Record, SenderLabel},
    syntax::elisp::{self, ExpressionKind},
};

pub(super) static FORMAT: Format = Format {
    name: "acp-el",
    about: "traffic saved by acp.el (agent-shell in Emacs): one Lisp value",
    obtain: "in Emacs, run `M-x agent-shell-toggle-logging` before the session; after it, run `M-x agent-shell-view-traffic` and save the buffer with `C-x C-s`",
    limits: &[
        Limit::new(
            "Lisp writes `null`, `{}` and `[]` in the same way; such values are not judged",
            Loss::EmptyValues,
        ),
        LATE,
    ],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Text(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    /// Most bytes of text before the first direction mark for which a file is recognized.
    const HEAD: usize = 4096;
    let head: String = beginning.text.chars().take(HEAD).filter(|c| !c.is_whitespace()).collect();
    Likelihood::sure_if(head.starts_with("((") && head.contains("(:direction."))
}

fn read<'t>(text: &'t str, records: &mut Vec<Record<'t>>) {
    let forms = elisp::Forms::of(text);
    let Some(root) = forms.root() else { return };
    for entry in forms.elements(root) {
        let member = |name: &str| forms.association(entry, name);
        if forms.is_cut(entry) {
            records.push(Record::of(Body::Lost));
            continue;
        }
        let Some(object) = member(":object") else { continue };
        let label = member(":direction").and_then(|value| match forms.kind(value) {
            ExpressionKind::Symbol => Some(SenderLabel::Word(Cow::Borrowed(forms.text(value)))),
            _ => None,
        });
        let body = forms.json(object).map_or(Body::Lost, Body::Rebuilt);
        records.push(Record::labelled(body, label));
    }
}
