/// Whose rows are, for loops over millions of them: the columns of a `PeopleMap` without their checks.
///
/// Valid only inside the closure it is lent to.
struct PersonLookup {
    fileprivate let isInstallThere: UnsafeBufferPointer<Bool>
    fileprivate let owner: UnsafeBufferPointer<Int32>
    fileprivate let isUserThere: UnsafeBufferPointer<Bool>

    /// The number of a row's person; 0 for a row that refers to nobody known.
    @inline(__always)
    func person(install: Int32, user: Int32) -> Int32 {
        let index = Int(install)
        guard index > 0, index < isInstallThere.count, isInstallThere[index] else { return 0 }
        let person = user > 0 ? user : owner[index]
        guard person > 0 else { return install << 1 | 1 }
        return Int(person) < isUserThere.count && isUserThere[Int(person)] ? person << 1 : 0
    }
}

extension PeopleMap {
    func withPersons<Value>(_ body: (PersonLookup) -> Value) -> Value {
        installs.isThere.withUnsafeBufferPointer { isThere in
            installs.owner.withUnsafeBufferPointer { owner in
                users.there.withUnsafeBufferPointer { isUserThere in
                    body(PersonLookup(isInstallThere: isThere, owner: owner, isUserThere: isUserThere))
                }
            }
        }
    }
}
