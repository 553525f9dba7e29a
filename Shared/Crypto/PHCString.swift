/// A stored scrypt hash in the form of the Password Hashing Competition.
struct PHCString: CustomStringConvertible {
    let cost: Scrypt.Cost
    let salt: [UInt8]
    let key: [UInt8]

    init(cost: Scrypt.Cost, salt: [UInt8], key: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    /// Returns nil unless every part is there, in order, and within bounds.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let parameters = parts[2].split(separator: ",", omittingEmptySubsequences: false)
        guard
            parameters.count == 3,
            let logN = Self.value(of: "ln", in: parameters[0]),
            let r = Self.value(of: "r", in: parameters[1]),
            let p = Self.value(of: "p", in: parameters[2]),
            let salt = Base64.standard.decode(parts[3]),
            let key = Base64.standard.decode(parts[4]),
            (8...64).contains(salt.count),
            (16...64).contains(key.count)
        else { return nil }
        let cost = Scrypt.Cost(logN: logN, r: r, p: p)
        guard cost.isBearable else { return nil }
        self.init(cost: cost, salt: salt, key: key)
    }

    var description: String {
        let parameters = "ln=\(cost.logN),r=\(cost.r),p=\(cost.p)"
        return "$scrypt$\(parameters)$\(Base64.standard.encode(salt))$\(Base64.standard.encode(key))"
    }

    private static func value(of name: String, in parameter: Substring) -> Int? {
        guard parameter.hasPrefix(name + "=") else { return nil }
        let digits = parameter.dropFirst(name.count + 1)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }
}
