import Contracts

/// What a batch took from the limits, so that it can be given back when the batch is not published.
struct Admission: Sendable, Equatable {
    struct Taken: Sendable, Equatable {
        let install: UUID128
        var count: Int
    }

    let app: UUID128
    let installs: [Taken]

    var eventCount: Int { installs.reduce(0) { $0 + $1.count } }
}

/// Applies both limits to a verdict: each install's by event, then the app's to what is left as a whole.
public struct BatchLimits: Sendable {
    let installs: InstallLimiter
    let apps: AppLimiter

    public init(installs: InstallLimiter, apps: AppLimiter) {
        self.installs = installs
        self.apps = apps
    }

    /// Copies within a batch cost nothing: they are not published.
    ///
    /// - Throws: `app_rate_limited`; then the installs have their tokens back.
    func admit(_ verdict: BatchVerdict, app: UUID128) throws(BatchRefusal) -> (BatchVerdict, Admission) {
        let wanted = Self.countByInstall(verdict.accepted)
        var allowed = wanted
        for position in wanted.indices {
            let (install, count) = (wanted[position].install, wanted[position].count)
            allowed[position].count = installs.admit(count, app: app, install: install)
        }
        let admission = Admission(app: app, installs: allowed)
        let count = admission.eventCount
        if count > 0, let waitSeconds = apps.admit(count, app: app) {
            for taken in allowed { installs.giveBack(taken.count, app: app, install: taken.install) }
            throw BatchRefusal(.appRateLimited, retryAfterSeconds: waitSeconds)
        }
        return (allowed == wanted ? verdict : verdict.limited(to: allowed), admission)
    }

    /// Most batches come from one install; only the others pay for a dictionary.
    private static func countByInstall(_ events: [AcceptedEvent]) -> [Admission.Taken] {
        guard let first = events.first?.installID else { return [] }
        if events.allSatisfy({ $0.installID == first }) {
            return [Admission.Taken(install: first, count: events.count)]
        }
        var position: [UUID128: Int] = [:]
        var counts: [Admission.Taken] = []
        for event in events {
            if let known = position[event.installID] {
                counts[known].count += 1
            } else {
                position[event.installID] = counts.count
                counts.append(Admission.Taken(install: event.installID, count: 1))
            }
        }
        return counts
    }

    /// A batch that got 429 or 503 costs nothing.
    func giveBack(_ admission: Admission) {
        for taken in admission.installs {
            installs.giveBack(taken.count, app: admission.app, install: taken.install)
        }
        apps.giveBack(admission.eventCount, app: admission.app)
    }
}

extension BatchVerdict {
    /// Rejects the events of an install beyond its number, in the order of the batch; warnings of rejected events go with them.
    fileprivate func limited(to allowed: [Admission.Taken]) -> BatchVerdict {
        var left = Dictionary(allowed.map { ($0.install, $0.count) }) { first, _ in first }
        var limited = self
        limited.accepted = []
        var refused: Set<Int> = []
        for event in accepted {
            if left[event.installID, default: 0] > 0 {
                left[event.installID, default: 0] -= 1
                limited.accepted.append(event)
                continue
            }
            refused.insert(event.index)
            limited.rejected.append(
                RejectedEvent(
                    index: event.index,
                    insertID: event.event.insertID,
                    code: .installRateLimited,
                    field: "events[\(event.index)].install_id",
                    platform: contexts[event.event.context].context.platform,
                    appVersion: contexts[event.event.context].context.appVersion
                )
            )
        }
        limited.rejected.sort { $0.index < $1.index }
        limited.warnings.removeAll { refused.contains($0.index) }
        return limited
    }
}
