pub(super) mod params;
pub(super) mod result;

pub(super) mod wording;
