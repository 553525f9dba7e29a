/** Dart for Flutter: one file, the packages http, shared_preferences and uuid. */
export function flutterModule({ endpoint, key, iosKey, androidKey }) {
  const keyLine =
    iosKey && androidKey && iosKey !== androidKey
      ? `final _writeKey = Platform.isIOS ? '${iosKey}' : '${androidKey}';`
      : `const _writeKey = '${key}';`;
  return `import 'dart:convert';
import 'dart:io';
import 'dart:math';

import 'package:flutter/foundation.dart';
import 'package:flutter/widgets.dart';
import 'package:http/http.dart' as http;
import 'package:shared_preferences/shared_preferences.dart';
import 'package:uuid/uuid.dart';

final _endpoint = Uri.parse('${endpoint}');
${keyLine}
const _appVersion = '1.0.0'; // of your build, from package_info_plus
const _uuid = Uuid();

/// Follows the app: a session lasts from coming to the foreground to leaving it.
class AppSession with WidgetsBindingObserver {
  AppSession._();
  static final instance = AppSession._();

  /// The account's id after signing in, null after signing out. Never an e-mail address or telephone number.
  String? userId;

  String? _sessionId;
  final _watch = Stopwatch(); // does not move when the clock is set
  DateTime _pausedUntil = DateTime(0);
  bool _isStopped = false;
  // Everything that touches the queue waits for what came before it.
  Future<void> _line = Future.value();

  /// Call it once in main(), after WidgetsFlutterBinding.ensureInitialized().
  void start() {
    WidgetsBinding.instance.addObserver(this);
    _begin();
  }

  @override
  void didChangeAppLifecycleState(AppLifecycleState state) {
    if (state == AppLifecycleState.resumed) _begin();
    // "inactive" ends nothing: a notification is no leaving.
    if (state == AppLifecycleState.paused || state == AppLifecycleState.detached) _end();
  }

  void _begin() {
    if (_sessionId != null) return;
    _sessionId = _uuid.v4();
    _watch
      ..reset()
      ..start();
    _track('session_start');
  }

  void _end() {
    if (_sessionId == null) return;
    _track('session_end', durationMs: min(_watch.elapsedMilliseconds, 86400000));
    _sessionId = null;
  }

  void _track(String name, {int? durationMs}) {
    final event = {
      'insert_id': _uuid.v4(),
      'name': name,
      'timestamp': DateTime.now().toUtc().toIso8601String(),
      'session_id': _sessionId,
      if (userId != null) 'user_id': userId,
      if (durationMs != null) 'duration_ms': durationMs,
      'context': {
        'platform': Platform.operatingSystem, // ios, android, macos, windows or linux
        'environment': kReleaseMode ? 'production' : 'development',
        'app_version': _appVersion,
        'os_name': Platform.isIOS ? 'iOS' : Platform.isAndroid ? 'Android' : Platform.operatingSystem,
        'locale': Platform.localeName.split('.').first.replaceAll('_', '-'),
      },
    };
    _inLine(() async {
      final saved = await SharedPreferences.getInstance();
      var install = saved.getString('session_install_id');
      if (install == null) {
        install = _uuid.v4();
        await saved.setString('session_install_id', install);
      }
      await _keep([...await _queued(), {...event, 'install_id': install}]);
      await _send();
    });
  }

  void _inLine(Future<void> Function() work) {
    _line = _line.then((_) => work()).catchError((Object _) {}); // no network: sent with the next event
  }

  Future<List<Map<String, dynamic>>> _queued() async {
    final saved = await SharedPreferences.getInstance();
    return (jsonDecode(saved.getString('session_events') ?? '[]') as List).cast<Map<String, dynamic>>();
  }

  Future<void> _keep(List<Map<String, dynamic>> events) async {
    final saved = await SharedPreferences.getInstance();
    await saved.setString('session_events', jsonEncode(events));
  }

  Future<void> _send() async {
    final oldest = DateTime.now().subtract(const Duration(days: 7)); // the server takes events of seven days
    final events = (await _queued()).where((event) => DateTime.parse(event['timestamp']).isAfter(oldest)).toList();
    if (events.isEmpty || _isStopped || DateTime.now().isBefore(_pausedUntil)) return;
    final batch = events.take(500).toList();
    final response = await http
        .post(
          _endpoint,
          headers: {'Content-Type': 'application/json', 'X-App-Key': _writeKey},
          // sent_at is set anew at each attempt: it corrects a wrong device clock.
          body: jsonEncode({'sent_at': DateTime.now().toUtc().toIso8601String(), 'events': batch}),
        )
        .timeout(const Duration(seconds: 15));
    var again = <String>{};
    switch (response.statusCode) {
      case 200:
        final rejected = jsonDecode(response.body)['rejected'] as List;
        again = {for (final one in rejected) if (one['retryable'] == true) one['insert_id'] as String};
        if (again.isNotEmpty) _pausedUntil = DateTime.now().add(const Duration(minutes: 1));
      case 400 || 413 || 415:
        break; // a fault of the app: sending it again changes nothing
      case 401 || 403:
        _isStopped = true; // key revoked or app archived: keep, stop
        return;
      default:
        final seconds = int.tryParse(response.headers['retry-after'] ?? '') ?? 5;
        _pausedUntil = DateTime.now().add(Duration(seconds: seconds));
        return;
    }
    final sent = {for (final event in batch) event['insert_id']}.difference(again);
    await _keep(events.where((event) => !sent.contains(event['insert_id'])).toList());
  }
}
`;
}

/** The packages, and the line that starts it. */
export function flutterHook() {
  return `// flutter pub add http shared_preferences uuid
import 'package:flutter/widgets.dart';

import 'app_session.dart';

void main() {
  WidgetsFlutterBinding.ensureInitialized();
  AppSession.instance.start();
  runApp(const MyApp());
}
`;
}
