/**
 * The ready snippets, in the order they are offered: {id, name, platforms, note, hints, sendsAs, files(options)}.
 *
 * `platforms` are those whose key suits; empty for every one. `sendsAs` tells whether the environment is written into the code; elsewhere
 * the build decides. `note` and `hints` are keys of words. `files` loads what makes the code and answers [{title, language, make}], where
 * `make()` writes the code anew, so that each copy has ids of its own.
 */
export const snippets = [
  {
    id: 'curl',
    name: 'curl',
    platforms: [],
    sendsAs: true,
    note: 'curlNote',
    hints: [],
    files: async (options) => {
      const { curl } = await import('./snippets/curl.js');
      return [file('Terminal', 'shell', () => curl(options()))];
    },
  },
  {
    id: 'ios',
    name: 'iOS',
    platforms: ['ios'],
    note: 'swiftNote',
    hints: ['noteUser', 'noteInstall'],
    files: (options) => swift(options, 'MyApp.swift'),
  },
  {
    id: 'android',
    name: 'Android',
    platforms: ['android'],
    note: 'kotlinNote',
    hints: ['noteUser', 'noteInstall'],
    files: async (options) => {
      const { kotlinHook, kotlinQueue, kotlinSession } = await import('./snippets/kotlin.js');
      return [
        file('App.kt', 'kotlin', () => kotlinHook(options())),
        file('AppSession.kt', 'kotlin', () => kotlinSession(options())),
        file('AnalyticsQueue.kt', 'kotlin', () => kotlinQueue(options())),
      ];
    },
  },
  {
    id: 'web',
    name: 'Web',
    platforms: ['web'],
    note: 'webNote',
    hints: ['noteUser', 'noteInstall'],
    files: async (options) => {
      const { webHook, webModule } = await import('./snippets/web.js');
      return [
        file('index.html', 'html', () => webHook(options())),
        file('sessions.js', 'js', () => webModule(options())),
      ];
    },
  },
  {
    id: 'react-native',
    name: 'React Native',
    platforms: ['ios', 'android'],
    note: 'reactNativeNote',
    hints: ['noteUser', 'noteInstall'],
    files: async (options) => {
      const { reactNativeHook, reactNativeModule } = await import('./snippets/reactNative.js');
      return [
        file('index.js', 'js', () => reactNativeHook(options())),
        file('sessions.ts', 'js', () => reactNativeModule(options())),
      ];
    },
  },
  {
    id: 'flutter',
    name: 'Flutter',
    platforms: ['ios', 'android', 'macos', 'windows', 'linux'],
    note: 'flutterNote',
    hints: ['noteUser', 'noteInstall'],
    files: async (options) => {
      const { flutterHook, flutterModule } = await import('./snippets/flutter.js');
      return [
        file('main.dart', 'dart', () => flutterHook(options())),
        file('app_session.dart', 'dart', () => flutterModule(options())),
      ];
    },
  },
  {
    id: 'macos',
    name: 'macOS',
    platforms: ['macos'],
    note: 'macNote',
    hints: ['noteUser', 'noteInstall'],
    files: (options) => swift(options, 'MyApp.swift'),
  },
  {
    id: 'node',
    name: 'Node',
    platforms: ['server', 'bot'],
    sendsAs: true,
    note: 'nodeNote',
    hints: ['noteUser', 'noteInstall', 'noteTelegram'],
    files: async (options) => {
      const { nodeHook, nodeModule } = await import('./snippets/node.js');
      return [
        file('handler.js', 'js', () => nodeHook(options())),
        file('sessions.js', 'js', () => nodeModule(options())),
      ];
    },
  },
  {
    id: 'python',
    name: 'Python',
    platforms: ['server', 'bot'],
    sendsAs: true,
    note: 'pythonNote',
    hints: ['noteUser', 'noteInstall', 'noteTelegram'],
    files: async (options) => {
      const { pythonHook, pythonModule } = await import('./snippets/python.js');
      return [
        file('handler.py', 'python', () => pythonHook(options())),
        file('sessions.py', 'python', () => pythonModule(options())),
      ];
    },
  },
  {
    id: 'php',
    name: 'PHP',
    platforms: ['server'],
    sendsAs: true,
    note: 'phpNote',
    hints: ['noteUser', 'noteInstall'],
    files: async (options) => {
      const { phpHook, phpModule } = await import('./snippets/php.js');
      return [
        file('index.php', 'php', () => phpHook(options())),
        file('Sessions.php', 'php', () => phpModule(options())),
      ];
    },
  },
  {
    id: 'go',
    name: 'Go',
    platforms: ['server', 'bot'],
    sendsAs: true,
    note: 'goNote',
    hints: ['noteUser', 'noteInstall', 'noteTelegram'],
    files: async (options) => {
      const { goHook, goModule } = await import('./snippets/go.js');
      return [
        file('main.go', 'go', () => goHook(options())),
        file('sessions/sessions.go', 'go', () => goModule(options())),
      ];
    },
  },
];

function file(title, language, make) {
  return { title, language, make };
}

async function swift(options, hookName) {
  const { swiftHook, swiftQueue, swiftSession } = await import('./snippets/swift.js');
  return [
    file(hookName, 'swift', () => swiftHook(options())),
    file('AppSession.swift', 'swift', () => swiftSession(options())),
    file('AnalyticsQueue.swift', 'swift', () => swiftQueue(options())),
  ];
}

/** Makes a UUID of version 4, also on pages without HTTPS, where the browser has no `randomUUID`. */
export function newID() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
    '-',
  );
}

/** The snippet that suits an app best, and those that suit it at all, the best first. */
export function snippetsFor(app) {
  const suits = (one) =>
    one.platforms.length === 0 || one.platforms.some((platform) => app.platforms.includes(platform));
  return [...snippets.filter(suits), ...snippets.filter((one) => !suits(one))];
}
