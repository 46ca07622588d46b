//! The content of a plan that a client shows: items, Markdown, a file.

use crate::{json::Text, model::session::plans::item_list::ItemList};

/// The content of a plan, as the client shows it.
#[derive(Clone, Debug)]
pub enum Content {
    Items(Box<ItemList>),
    Markdown(MarkdownText),
    /// A plan that is kept in a file, given by its URI.
    File(Box<str>),
    /// A plan whose `type` the protocol does not define; `None` without a `type`.
    Other(Option<Box<str>>),
}

/// The text of a markdown plan, and a count that shows whether the agent sends the text in
/// fragments, as updates that replace each other.
#[derive(Clone, Debug)]
pub struct MarkdownText {
    pub text: Box<str>,
    /// How many updates of the turn in a row have a short text that does not begin like the one
    /// before, as fragments of a text do.
    pieces: u32,
}

impl Content {
    /// The `type` of the plan in the protocol; `None` when it has none.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Items(_) => Some("items"),
            Self::Markdown(_) => Some("markdown"),
            Self::File(_) => Some("file"),
            Self::Other(kind) => kind.as_deref(),
        }
    }

    /// Whether the plan shows nothing: no entries, or an empty text or URI.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Items(listing) => listing.items().is_empty(),
            Self::Markdown(page) => page.text.trim().is_empty(),
            Self::File(uri) => uri.is_empty(),
            Self::Other(_) => false,
        }
    }
}

impl MarkdownText {
    /// Least number of characters of a text that does not count as a fragment of a longer one.
    const SHORT: usize = 40;

    /// How many texts in a row, with `text` as the last, are short and do not begin like the one
    /// before, as fragments do; 0 for a long text. `before` is the text that `text` replaces in its
    /// turn.
    pub(super) fn pieces_with(before: Option<&Self>, text: Text<'_>) -> u32 {
        if text.len_chars() >= Self::SHORT {
            return 0;
        }
        let goes_on = |page: &&Self| page.pieces == 0 || !text.starts_with(&page.text);
        1 + before.filter(goes_on).map_or(0, |page| page.pieces)
    }

    /// The content of a markdown plan after an update with `text`. `is_same_turn` says whether the
    /// old content came in the same turn.
    pub(super) fn next(text: Option<Text<'_>>, old: Option<Content>, is_same_turn: bool) -> Self {
        let old = match old {
            Some(Content::Markdown(page)) => Some(page),
            _ => None,
        };
        let Some(text) = text else { return Self { text: Box::default(), pieces: 0 } };
        let pieces = Self::pieces_with(old.as_ref().filter(|_| is_same_turn), text);
        match old {
            Some(page) if text == *page.text => Self { pieces, ..page },
            _ => Self { text: text.to_boxed(), pieces },
        }
    }
}
