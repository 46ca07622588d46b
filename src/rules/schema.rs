pub(super) mod params;
pub(super) mod result;

mod wording;
