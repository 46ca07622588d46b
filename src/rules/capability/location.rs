//! Translates JSON pointers into the messages of `initialize` to the paths of capabilities.

/// JSON pointers to the objects of capabilities, of both sides and versions.
const ROOTS: [&str; 4] = [
    "/params/clientCapabilities",
    "/params/capabilities",
    "/result/agentCapabilities",
    "/result/capabilities",
];

/// Path of the capability at a JSON pointer, such as `session.delete`; empty for the object of all
/// capabilities. `None` for pointers to other values or into `_meta`.
pub(super) fn path_at(pointer: &str) -> Option<String> {
    let path = ROOTS.iter().find_map(|root| pointer.strip_prefix(root))?;
    let is_whole = path.is_empty() || path.starts_with('/');
    let is_free = path.split('/').any(|name| name == "_meta");
    (is_whole && !is_free).then(|| path.trim_start_matches('/').replace('/', "."))
}
