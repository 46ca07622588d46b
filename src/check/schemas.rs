//! The schemas that a message is judged by.

use crate::{
    event::{CallKind, MethodStatus},
    json::Node,
    protocol::{
        Edition, Side, Surface, Version,
        schema::{CallSchema, Definition, Handler, Protocol, ResponseFit},
    },
};

/// The stable and the unstable schema of one protocol version, by which messages of a connection
/// are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schemas {
    version: Version,
    edition: Edition,
    stable: &'static Protocol,
    unstable: &'static Protocol,
    /// Whether the user asked to judge by the unstable schema, which has drafts.
    drafts: bool,
}

/// What a version says of a method: its status, and its definitions in the schema (`None` without
/// any).
pub(super) type Defined = (MethodStatus, Option<Calls>);

/// The definitions of a method for a request or a notification, in the stable and the unstable
/// schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    /// Name of the method, such as `session/prompt`, that these definitions belong to.
    pub(super) name: &'static str,
    pub(super) kind: CallKind,
    /// The stable definitions; `None` for a method that only the unstable schema has.
    stable: Option<CallSchema>,
    unstable: CallSchema,
    drafts: bool,
}

/// The definition of a value in the stable and in the unstable schema of a version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definitions {
    /// The definition that a value without draft members must fit: the stable one, or the unstable
    /// one where the user asked for it or the stable schema lacks it.
    pub(super) own: &'static Definition,
    /// The unstable definition, which a value with draft members must fit.
    pub(super) draft: &'static Definition,
}

impl Schemas {
    pub(super) fn of(version: Version, pinned: Option<Surface>, edition: Edition) -> Self {
        Self {
            version,
            edition,
            stable: Protocol::of(Surface::stable(version), edition),
            unstable: Protocol::of(Surface::unstable(version), edition),
            drafts: pinned.is_some_and(Surface::is_unstable),
        }
    }

    /// What this version of the protocol says of a method. `has_id` asks for its definitions as a
    /// request, else as a notification; the other kind is returned where the method has only that.
    pub(super) fn find(&self, name: &str, has_id: bool) -> Defined {
        if let Some(unstable) = self.unstable.method(name) {
            let stable = self.stable.method(name);
            let status = match stable {
                Some(_) => MethodStatus::Defined,
                None => MethodStatus::Draft,
            };
            let kind = match (&unstable.request, &unstable.notification) {
                (Some(_), Some(_)) => CallKind::Either,
                (None, Some(_)) => CallKind::Notification,
                (_, None) => CallKind::Request,
            };
            let calls = unstable.call(has_id).map(|call| Calls {
                name: unstable.name,
                kind,
                stable: stable.and_then(|method| method.call(has_id)).copied(),
                unstable: *call,
                drafts: self.drafts,
            });
            return (status, calls);
        }
        let status = if name.starts_with('_') {
            MethodStatus::Extension
        } else if name.starts_with("$/") {
            MethodStatus::Dollar
        } else {
            let other = Surface::unstable(self.version.other());
            match Protocol::of(other, self.edition).method(name) {
                Some(_) => MethodStatus::OtherVersion,
                None => MethodStatus::Undefined,
            }
        };
        (status, None)
    }

    /// How well a result fits the definition of the method's result in the unstable schema, to find
    /// the request that it answers.
    pub(super) fn fit(&self, method: &str, result: Node<'_>) -> ResponseFit {
        self.unstable.fit(method, result)
    }
}

impl Calls {
    /// The side that sends the request or notification; `None` where both sides may.
    pub(super) fn sender(&self) -> Option<Side> {
        match self.unstable.handler {
            Handler::Client => Some(Side::Agent),
            Handler::Agent => Some(Side::Client),
            Handler::Either | Handler::Proxy => None,
        }
    }

    pub(super) fn params(&self) -> Definitions {
        self.pair(self.stable.map(|call| call.params), self.unstable.params)
    }

    /// Definitions of the result; `None` for notifications.
    pub(super) fn results(&self) -> Option<Definitions> {
        let stable = self.stable.and_then(|call| call.result);
        Some(self.pair(stable, self.unstable.result?))
    }

    fn pair(&self, stable: Option<&'static Definition>, draft: &'static Definition) -> Definitions {
        let own = if self.drafts { draft } else { stable.unwrap_or(draft) };
        Definitions { own, draft }
    }
}
