/// How the store's connection plans its statements.
enum StoreSession {
    /// Each statement gets one plan, by indexes, which stays right whatever the tables grow to.
    ///
    /// A plan made for a table that was empty would otherwise read it as a whole, and keep doing so while it fills. The price that the
    /// planner then puts on the small tables that have no other way in must not make it compile them.
    static let settings = """
        SET enable_seqscan = off;
        SET enable_hashjoin = off;
        SET enable_mergejoin = off;
        SET plan_cache_mode = force_generic_plan;
        SET jit = off;
        """
}
