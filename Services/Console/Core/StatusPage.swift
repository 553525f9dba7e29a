import Schema
import ServiceKit

/// The console's one page until people can sign in: says what is running, and nothing about any app.
struct StatusPage: Sendable {
    /// What can be told about the installation without a sign-in.
    struct Facts: Sendable {
        let isPostgresReady: Bool
        let waitingDays: Int?
        let appCount: Int?
    }

    static func html(_ facts: Facts) -> String {
        let database = facts.isPostgresReady ? "ready" : "unavailable"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Foreground</title>
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <main>
            <h1>Foreground</h1>
            <p>Analytics for app sessions, running on your own machines.</p>
            <dl>
            <dt>Console</dt><dd><span class="state ready">version \(BuildInfo.version)</span></dd>
            <dt>Postgres</dt><dd><span class="state \(database)">\(database)</span></dd>
            <dt>Apps</dt><dd>\(facts.appCount.map(String.init) ?? "unknown")</dd>
            <dt>Days waiting to be closed</dt><dd>\(facts.waitingDays.map(String.init) ?? "unknown")</dd>
            </dl>
            <p class="note">Reports are served by the Read API. Apps and keys are managed with <code>fgctl</code>.</p>
            </main>
            </body>
            </html>

            """
    }

    static let css = """
        :root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6470; --paper: #f7f7f5; --line: #dcdcd6; --good: #1a7f4b; --bad: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e8e8e4; --soft: #a0a6ad; --paper: #16181b; --line: #33373d; --good: #4cc38a; --bad: #ff8a80; }
        }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 36rem; margin: 12vh auto 0; padding: 0 1.25rem; }
        h1 { font-size: 1.75rem; margin: 0 0 .25rem; letter-spacing: -.01em; }
        p { color: var(--soft); margin: 0 0 1.5rem; }
        dl { display: grid; grid-template-columns: 1fr auto; margin: 0 0 1.5rem; border-top: 1px solid var(--line); }
        dt, dd { margin: 0; padding: .625rem 0; border-bottom: 1px solid var(--line); }
        dd { text-align: right; font-variant-numeric: tabular-nums; }
        .state::before { content: ""; display: inline-block; width: .5rem; height: .5rem; border-radius: 50%; margin-right: .5rem; background: var(--bad); }
        .state.ready::before { background: var(--good); }
        .note { font-size: .875rem; }

        """
}
