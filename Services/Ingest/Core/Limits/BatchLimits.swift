import Contracts

/// What a batch took from the limits, so that it can be given back when the batch is not published.
struct Admission: Sendable, Equatable {
    let app: UUID128
    let eventsByInstall: [UUID128: Int]

    var eventCount: Int { eventsByInstall.values.reduce(0, +) }
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
        var wanted: [UUID128: Int] = [:]
        for event in verdict.accepted { wanted[event.installID, default: 0] += 1 }
        var allowed: [UUID128: Int] = [:]
        for (install, count) in wanted {
            allowed[install] = installs.admit(count, app: app, install: install)
        }
        let admission = Admission(app: app, eventsByInstall: allowed)
        let count = admission.eventCount
        if count > 0, let waitSeconds = apps.admit(count, app: app) {
            for (install, count) in allowed { installs.giveBack(count, app: app, install: install) }
            throw BatchRefusal(.appRateLimited, retryAfterSeconds: waitSeconds)
        }
        return (allowed == wanted ? verdict : verdict.limited(to: allowed), admission)
    }

    /// A batch that got 429 or 503 costs nothing.
    func giveBack(_ admission: Admission) {
        for (install, count) in admission.eventsByInstall {
            installs.giveBack(count, app: admission.app, install: install)
        }
        apps.giveBack(admission.eventCount, app: admission.app)
    }
}

extension BatchVerdict {
    /// Rejects the events of an install beyond its number, in the order of the batch; warnings of rejected events go with them.
    fileprivate func limited(to allowed: [UUID128: Int]) -> BatchVerdict {
        var left = allowed
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
