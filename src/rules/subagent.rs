pub(crate) mod announcement;
pub(super) mod mutation_not_permitted;
pub(super) mod traffic_before_announcement;
