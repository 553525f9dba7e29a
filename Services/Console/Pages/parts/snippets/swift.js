/** Swift for iOS, iPadOS, tvOS: `AnalyticsQueue` keeps and sends events, `AppSession` follows the app, one line hooks it up. */
export function swiftQueue({ endpoint, key }) {
  return `import Foundation

struct SessionEvent: Codable, Sendable {
    var insert_id = UUID().uuidString.lowercased()
    var name: String
    var timestamp = AnalyticsQueue.time(.now)
    var install_id: String
    var session_id: String
    var user_id: String?
    var duration_ms: Int?
    var context: [String: String]
}

/// Keeps events in a file until the server has answered for each of them.
actor AnalyticsQueue {
    static let shared = AnalyticsQueue()

    private static let endpoint = URL(string: "${endpoint}")!
    private static let writeKey = "${key}"

    private struct Batch: Encodable { var sent_at: String; var events: [SessionEvent] }
    private struct Answer: Decodable {
        struct Rejection: Decodable { var insert_id: String?; var retryable: Bool }
        var rejected: [Rejection]
    }

    private let file = URL.applicationSupportDirectory.appending(path: "session-events.json")
    private var events: [SessionEvent]
    private var pausedUntil = Date.distantPast
    private var pauseSeconds = 1.0
    private var isSending = false

    private init() {
        let saved = try? Data(contentsOf: file)
        events = saved.flatMap { try? JSONDecoder().decode([SessionEvent].self, from: $0) } ?? []
    }

    /// RFC 3339 in UTC with milliseconds.
    static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    func add(_ event: SessionEvent) async {
        events.append(event)
        save()
        await send()
    }

    func send() async {
        // Times are written in one fixed form, so they compare as text. The server takes events of seven days.
        let oldest = Self.time(.now.addingTimeInterval(-7 * 86_400))
        events.removeAll { $0.timestamp < oldest }
        guard !isSending, !events.isEmpty, .now >= pausedUntil else { return }
        isSending = true
        defer { isSending = false; save() }

        let batch = Array(events.prefix(500))
        do {
            var request = URLRequest(url: Self.endpoint, timeoutInterval: 15)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue(Self.writeKey, forHTTPHeaderField: "X-App-Key")
            // Set anew at each attempt: it corrects a wrong device clock.
            request.httpBody = try JSONEncoder().encode(Batch(sent_at: Self.time(.now), events: batch))
            let (data, response) = try await URLSession.shared.data(for: request)
            handle(response as? HTTPURLResponse, data, batch)
        } catch {
            pause()
        }
    }

    private func handle(_ response: HTTPURLResponse?, _ data: Data, _ batch: [SessionEvent]) {
        var settled = Set(batch.map(\\.insert_id))
        switch response?.statusCode {
        case 200:
            let rejected = (try? JSONDecoder().decode(Answer.self, from: data))?.rejected ?? []
            let again = rejected.filter(\\.retryable).compactMap(\\.insert_id)
            settled.subtract(again)
            pauseSeconds = 1
            if !again.isEmpty { pausedUntil = .now.addingTimeInterval(60) }
        case 400, 413, 415: break // a fault of the app: sending it again changes nothing
        case 401, 403: settled = []; pausedUntil = .distantFuture // key revoked or app archived: keep, stop
        case 429, 503:
            settled = []
            let seconds = response?.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
            pausedUntil = .now.addingTimeInterval(seconds ?? 5)
        default: settled = []; pause()
        }
        events.removeAll { settled.contains($0.insert_id) }
    }

    private func pause() {
        pausedUntil = .now.addingTimeInterval(pauseSeconds * .random(in: 0.8...1.2))
        pauseSeconds = min(pauseSeconds * 2, 300)
    }

    private func save() {
        let folder = file.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? JSONEncoder().encode(events).write(to: file, options: .atomic)
    }
}
`;
}

/** The session of the app in the foreground, and the installation's id in the keychain. */
export function swiftSession({ platform }) {
  const isMac = platform === 'macos';
  const system = isMac ? '"macOS"' : 'UIDevice.current.systemName';
  const version = isMac ? 'macVersion' : 'UIDevice.current.systemVersion';
  const device = isMac ? '"desktop"' : 'deviceType';
  const helper = isMac
    ? `    private static var macVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\\(version.majorVersion).\\(version.minorVersion).\\(version.patchVersion)"
    }`
    : `    private static var deviceType: String {
        switch UIDevice.current.userInterfaceIdiom {
        case .pad: "tablet"
        case .tv: "tv"
        default: "phone"
        }
    }`;
  return `import Foundation
import Security
import ${isMac ? 'AppKit' : 'UIKit'}

@MainActor
final class AppSession {
    static let shared = AppSession()

    /// The account's id after signing in, nil after signing out. Never an e-mail address or telephone number.
    var userID: String?

    private var sessionID: String?
    private var startedAt: TimeInterval = 0

    func start() {
        guard sessionID == nil else { return }
        sessionID = UUID().uuidString.lowercased()
        startedAt = ProcessInfo.processInfo.systemUptime // does not move when the clock is set
        track("session_start", durationMs: nil)
    }

    func end() {
        let seconds = ProcessInfo.processInfo.systemUptime - startedAt
        track("session_end", durationMs: min(max(Int(seconds * 1000), 0), 86_400_000))
        sessionID = nil
    }

    private func track(_ name: String, durationMs: Int?) {
        guard let sessionID else { return }
        let event = SessionEvent(
            name: name, install_id: Self.installID, session_id: sessionID,
            user_id: userID, duration_ms: durationMs, context: Self.context
        )
        Task { await AnalyticsQueue.shared.add(event) }
    }

    private static var context: [String: String] {
        let info = Bundle.main.infoDictionary ?? [:]
        #if DEBUG
        let environment = "development"
        #else
        let environment = "production"
        #endif
        return [
            "platform": "${isMac ? 'macos' : 'ios'}",
            "environment": environment,
            "app_version": info["CFBundleShortVersionString"] as? String ?? "",
            "app_build": info["CFBundleVersion"] as? String ?? "",
            "os_name": ${system},
            "os_version": ${version},
            "device_type": ${device},
            "locale": Locale.current.identifier(.bcp47),
        ]
    }

${helper}

    /// Made once. The keychain outlives deleting the app, so that a reinstall is not a new user.
    private static let installID: String = {
        let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "session-install-id"]
        var found: CFTypeRef?
        let query = item.merging([kSecReturnData: true]) { $1 }
        if SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess,
            let data = found as? Data, let id = UUID(uuidString: String(decoding: data, as: UTF8.self))
        {
            return id.uuidString.lowercased()
        }
        let id = UUID().uuidString.lowercased()
        let added = item.merging([
            kSecValueData: Data(id.utf8),
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]) { $1 }
        SecItemAdd(added as CFDictionary, nil)
        return id
    }()
}
`;
}

/** The lines that start and end sessions. */
export function swiftHook({ platform }) {
  if (platform === 'macos') {
    return `import SwiftUI

@main
struct MyApp: App {
    private let center = NotificationCenter.default

    init() {
        center.addObserver(forName: NSApplication.didBecomeActiveNotification, object: nil, queue: .main) { _ in
            MainActor.assumeIsolated { AppSession.shared.start() }
        }
        center.addObserver(forName: NSApplication.didHideNotification, object: nil, queue: .main) { _ in
            MainActor.assumeIsolated { AppSession.shared.end() }
        }
        center.addObserver(forName: NSApplication.willTerminateNotification, object: nil, queue: .main) { _ in
            MainActor.assumeIsolated { AppSession.shared.end() }
        }
    }

    var body: some Scene {
        WindowGroup { ContentView() }
    }
}
`;
  }
  return `import SwiftUI

@main
struct MyApp: App {
    @Environment(\\.scenePhase) private var scenePhase

    var body: some Scene {
        WindowGroup { ContentView() }
            .onChange(of: scenePhase) { _, phase in
                switch phase {
                case .active: AppSession.shared.start()
                case .background: AppSession.shared.end()
                default: break // a notification or a call in front of the app ends nothing
                }
            }
    }
}
`;
}
