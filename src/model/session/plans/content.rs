//! The content of a plan that a client shows: items, Markdown, a file.

use crate::{json::Text, model::session::plans::item_list::ItemList};

/// The content of a plan.
#[derive(Clone, Debug)]
pub enum Content {
    Items(Box<ItemList>),
    Markdown(MarkdownText),
    /// The URI.
    File(Box<str>),
    /// A plan of a type that the protocol does not define; `None` without a type.
    Other(Option<Box<str>>),
}

/// The text of a markdown plan.
#[derive(Clone, Debug)]
pub struct MarkdownText {
    pub text: Box<str>,
    /// The number of consecutive updates of the turn that are short and do not begin like the one
    /// before: pieces of a text.
    pieces: u32,
}

impl Content {
    /// The `type` of the plan; `None` when it has none.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Items(_) => Some("items"),
            Self::Markdown(_) => Some("markdown"),
            Self::File(_) => Some("file"),
            Self::Other(kind) => kind.as_deref(),
        }
    }

    /// Whether the plan is empty.
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
    /// Characters that a piece has at most.
    const SHORT: usize = 40;

    /// The number of consecutive pieces, including `text`. `before` is the text of the same turn
    /// that it replaces.
    pub(super) fn pieces_with(before: Option<&Self>, text: Text<'_>) -> u32 {
        if text.len_chars() >= Self::SHORT {
            return 0;
        }
        let goes_on = |page: &&Self| page.pieces == 0 || !text.starts_with(&page.text);
        1 + before.filter(goes_on).map_or(0, |page| page.pieces)
    }

    /// The content after an update with `text`.
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
