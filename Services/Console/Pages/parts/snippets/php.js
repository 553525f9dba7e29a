/** PHP for backends: one function that sends a batch, and the session kept beside the person's own. */
export function phpModule({ endpoint, key, platform, environment }) {
  return `<?php
declare(strict_types=1);

/** Sends sessions of a web backend. Events that could not be sent wait in a file for the next request. */
final class Sessions
{
    private const ENDPOINT = '${endpoint}';
    private const WRITE_KEY = '${key}';
    private const IDLE_SECONDS = 1800; // a session ends after so long without a request

    public function __construct(private readonly string $queueFile)
    {
    }

    /** Call it once in each request of a person, after session_start(). */
    public function touch(string $installId, ?string $userId = null): void
    {
        $now = microtime(true);
        $session = $_SESSION['analytics'] ?? null;
        $events = [];
        if ($session !== null && $now - $session['last'] >= self::IDLE_SECONDS) {
            $elapsed = (int) (($session['last'] - $session['first']) * 1000);
            $events[] = $this->event('session_end', $installId, $userId, $session['id'], $session['last'])
                + ['duration_ms' => min($elapsed, 86_400_000)];
            $session = null;
        }
        if ($session === null) {
            $session = ['id' => self::uuid(), 'first' => $now];
            $events[] = $this->event('session_start', $installId, $userId, $session['id'], $now);
        }
        $_SESSION['analytics'] = ['last' => $now] + $session;
        if ($events !== []) {
            register_shutdown_function(fn () => $this->send($events)); // the person does not wait for it
        }
    }

    private function event(string $name, string $installId, ?string $userId, string $sessionId, float $at): array
    {
        return [
            'insert_id' => self::uuid(),
            'name' => $name,
            'timestamp' => self::time($at),
            'install_id' => $installId,
            'session_id' => $sessionId,
            'user_id' => $userId, // null, or the account's id; never an e-mail address or telephone number
        ];
    }

    private function send(array $events): void
    {
        if (function_exists('fastcgi_finish_request')) {
            fastcgi_finish_request();
        }
        $file = fopen($this->queueFile, 'c+');
        flock($file, LOCK_EX);
        $waiting = json_decode(stream_get_contents($file) ?: '[]', true) ?? [];
        $oldest = self::time(microtime(true) - 7 * 86_400);
        $all = array_filter([...$waiting, ...$events], fn ($event) => $event['timestamp'] > $oldest);
        $batch = array_slice(array_values($all), 0, 500);
        $left = array_slice(array_values($all), 500);

        $request = curl_init(self::ENDPOINT);
        curl_setopt_array($request, [
            CURLOPT_POST => true,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 10,
            CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'X-App-Key: ' . self::WRITE_KEY],
            CURLOPT_POSTFIELDS => json_encode([
                'sent_at' => self::time(microtime(true)), // set anew at each attempt: it corrects a wrong clock
                'context' => [
                    'platform' => '${platform}',
                    'environment' => '${environment}',
                    'app_version' => '1.0.0',
                    'ip' => $_SERVER['REMOTE_ADDR'] ?? 'none', // for country and city; not stored
                ],
                'events' => $batch,
            ]),
        ]);
        $answer = curl_exec($request);
        $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        if ($status === 200) {
            $rejected = json_decode($answer, true)['rejected'];
            $again = array_column(array_filter($rejected, fn ($one) => $one['retryable']), 'insert_id');
            $batch = array_filter($batch, fn ($event) => in_array($event['insert_id'], $again, true));
        } elseif (in_array($status, [400, 413, 415], true)) {
            error_log('analytics: batch dropped: ' . $answer);
            $batch = [];
        }
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, json_encode([...array_values($batch), ...$left]));
        fclose($file);
    }

    private static function time(float $at): string
    {
        return gmdate('Y-m-d\\\\TH:i:s', (int) $at) . sprintf('.%03dZ', ($at - floor($at)) * 1000);
    }

    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
`;
}

/** How a page calls the class. */
export function phpHook() {
  return `<?php
session_start();

$sessions = new Sessions('/var/lib/myapp/analytics-queue.json');
$installId = $_COOKIE['install_id']; // a UUID you set once, for a year
$sessions->touch($installId, $account?->id);
`;
}
