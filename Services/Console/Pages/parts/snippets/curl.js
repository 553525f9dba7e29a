/**
 * One whole session by curl, with ids and times of this moment.
 *
 * The ids are written out, so that each copy is a session of its own and needs no other tool than curl.
 */
export function curl({ endpoint, key, platform, environment, newID, now }) {
  const installID = newID();
  const sessionID = newID();
  const started = new Date(now.getTime() - 60_000).toISOString();
  const ended = now.toISOString();
  const geography = platform === 'server' || platform === 'bot' ? ',\n    "ip": "none"' : '';
  return `curl -sS ${endpoint} \\
  -H 'Content-Type: application/json' \\
  -H 'X-App-Key: ${key}' \\
  --data-binary @- <<'JSON'
{
  "sent_at": "${ended}",
  "context": {
    "platform": "${platform}",
    "app_version": "1.0.0",
    "environment": "${environment}"${geography}
  },
  "events": [
    {
      "insert_id": "${newID()}",
      "name": "session_start",
      "timestamp": "${started}",
      "install_id": "${installID}",
      "session_id": "${sessionID}"
    },
    {
      "insert_id": "${newID()}",
      "name": "session_end",
      "timestamp": "${ended}",
      "install_id": "${installID}",
      "session_id": "${sessionID}",
      "duration_ms": 60000
    }
  ]
}
JSON
`;
}
