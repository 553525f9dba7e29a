/// How the store's connection plans its statements.
enum StoreSession {
    /// Always by an index and a loop over the batch: right for every table that grows, whatever the planner believes of its size.
    ///
    /// Statements with a choice of indexes are also planned anew each time, for a plan made while a table was empty is wrong soon after. The
    /// penalty that small tables without another way in carry must not make the planner compile their statements.
    static let settings = """
        SET enable_seqscan = off;
        SET enable_hashjoin = off;
        SET enable_mergejoin = off;
        SET jit = off;
        """
}
