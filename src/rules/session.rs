pub(super) mod unknown_id;
