pub(super) mod limit_exceeded;
pub(super) mod line_zero;
pub(super) mod relative_path;
