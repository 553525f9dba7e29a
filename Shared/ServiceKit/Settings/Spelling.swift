/// The known name a misspelt one most likely meant, when one is near enough to be worth naming.
func closest(to name: String, among known: [String]) -> String? {
    let bound = max(2, name.utf8.count / 5)
    let ranked = known.map { (name: $0, distance: editDistance(name, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= bound else { return nil }
    return best.name
}

/// Levenshtein's distance, one row at a time.
func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (leftIndex, leftByte) in left.utf8.enumerated() {
        var diagonal = row[0]
        row[0] = leftIndex + 1
        for (rightIndex, rightByte) in right.enumerated() {
            let replaced = diagonal + (leftByte == rightByte ? 0 : 1)
            diagonal = row[rightIndex + 1]
            row[rightIndex + 1] = min(replaced, diagonal + 1, row[rightIndex] + 1)
        }
    }
    return row[right.count]
}
