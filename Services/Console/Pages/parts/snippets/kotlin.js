/** Kotlin for Android: `AnalyticsQueue` keeps and sends events; the standard library only. */
export function kotlinQueue({ endpoint, key }) {
  return `import android.content.Context
import org.json.JSONArray
import org.json.JSONObject
import java.io.File
import java.net.HttpURLConnection
import java.net.URL
import java.time.Instant
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import kotlin.random.Random

/** Keeps events in a file until the server has answered for each of them; one thread does everything. */
class AnalyticsQueue(context: Context) {
    private val file = File(context.filesDir, "session-events.json")
    private val thread = Executors.newSingleThreadScheduledExecutor()
    private val events = mutableListOf<JSONObject>()
    private var pausedUntilMs = 0L
    private var pauseMs = 1_000L

    init {
        thread.execute {
            val saved = runCatching { JSONArray(file.readText()) }.getOrDefault(JSONArray())
            for (index in 0 until saved.length()) events += saved.getJSONObject(index)
        }
    }

    fun add(event: JSONObject) = thread.execute {
        events += event
        save()
        sendNow()
    }

    fun send() = thread.execute { sendNow() }

    private fun sendNow() {
        val oldest = Instant.now().minusSeconds(7L * 86_400) // the server takes events of seven days
        events.removeAll { Instant.parse(it.getString("timestamp")).isBefore(oldest) }
        if (events.isEmpty() || System.currentTimeMillis() < pausedUntilMs) return
        val batch = events.take(500)
        try {
            post(batch)
        } catch (error: Exception) { // no network, or an answer that is none
            pauseLonger()
        }
        save()
    }

    private fun post(batch: List<JSONObject>) {
        val body = JSONObject()
            .put("sent_at", Instant.now().toString()) // set anew at each attempt: it corrects a wrong device clock
            .put("events", JSONArray(batch))
        val connection = URL(ENDPOINT).openConnection() as HttpURLConnection
        try {
            connection.requestMethod = "POST"
            connection.doOutput = true
            connection.connectTimeout = 10_000
            connection.readTimeout = 15_000
            connection.setRequestProperty("Content-Type", "application/json")
            connection.setRequestProperty("X-App-Key", WRITE_KEY)
            connection.outputStream.use { it.write(body.toString().toByteArray()) }
            when (connection.responseCode) {
                200 -> {
                    val again = retryable(connection.inputStream.bufferedReader().use { it.readText() })
                    forget(batch, except = again)
                    pauseMs = 1_000L
                    if (again.isNotEmpty()) pause(60_000L)
                }
                400, 413, 415 -> forget(batch) // a fault of the app: sending it again changes nothing
                401, 403 -> pausedUntilMs = Long.MAX_VALUE // key revoked or app archived: keep, stop
                429, 503 -> pause((connection.getHeaderField("Retry-After")?.toLongOrNull() ?: 5L) * 1_000L)
                else -> pauseLonger()
            }
        } finally {
            connection.disconnect()
        }
    }

    private fun retryable(answer: String): Set<String> {
        val rejected = JSONObject(answer).getJSONArray("rejected")
        return (0 until rejected.length()).map { rejected.getJSONObject(it) }
            .filter { it.getBoolean("retryable") && !it.isNull("insert_id") }
            .map { it.getString("insert_id") }
            .toSet()
    }

    private fun forget(batch: List<JSONObject>, except: Set<String> = emptySet()) {
        val settled = batch.map { it.getString("insert_id") }.toSet() - except
        events.removeAll { it.getString("insert_id") in settled }
    }

    private fun pauseLonger() {
        pause((pauseMs * Random.nextDouble(0.8, 1.2)).toLong())
        pauseMs = minOf(pauseMs * 2, 300_000L)
    }

    private fun pause(milliseconds: Long) {
        pausedUntilMs = System.currentTimeMillis() + milliseconds
        thread.schedule({ sendNow() }, milliseconds, TimeUnit.MILLISECONDS)
    }

    private fun save() {
        val next = File(file.path + ".next")
        next.writeText(JSONArray(events).toString())
        next.renameTo(file)
    }

    private companion object {
        const val ENDPOINT = "${endpoint}"
        const val WRITE_KEY = "${key}"
    }
}
`;
}

/** The session of the app in the foreground. */
export function kotlinSession() {
  return `import android.content.Context
import android.content.pm.ApplicationInfo
import android.content.res.Configuration
import android.os.Build
import android.os.SystemClock
import org.json.JSONObject
import java.time.Instant
import java.util.Locale
import java.util.UUID

class AppSession(private val app: Context, private val queue: AnalyticsQueue) {
    /** The account's id after signing in, null after signing out. Never an e-mail address or telephone number. */
    @Volatile var userId: String? = null

    private var sessionId: String? = null
    private var startedAt = 0L

    @Synchronized fun start() {
        if (sessionId != null) return
        sessionId = UUID.randomUUID().toString()
        startedAt = SystemClock.elapsedRealtime() // does not move when the clock is set
        track("session_start", null)
    }

    @Synchronized fun end() {
        if (sessionId == null) return
        track("session_end", (SystemClock.elapsedRealtime() - startedAt).coerceIn(0L, 86_400_000L))
        sessionId = null
    }

    private fun track(name: String, durationMs: Long?) {
        val event = JSONObject()
            .put("insert_id", UUID.randomUUID().toString())
            .put("name", name)
            .put("timestamp", Instant.now().toString())
            .put("install_id", installId)
            .put("session_id", sessionId)
            .put("context", context())
        userId?.let { event.put("user_id", it) }
        durationMs?.let { event.put("duration_ms", it) }
        queue.add(event)
    }

    /** Made once; Auto Backup brings it back after a reinstall. */
    private val installId: String by lazy {
        val saved = app.getSharedPreferences("sessions", Context.MODE_PRIVATE)
        saved.getString("install_id", null) ?: UUID.randomUUID().toString().also {
            saved.edit().putString("install_id", it).commit()
        }
    }

    private fun context(): JSONObject {
        val build = app.packageManager.getPackageInfo(app.packageName, 0)
        val isDebug = app.applicationInfo.flags and ApplicationInfo.FLAG_DEBUGGABLE != 0
        val configuration = app.resources.configuration
        val mode = configuration.uiMode and Configuration.UI_MODE_TYPE_MASK
        val deviceType = when {
            mode == Configuration.UI_MODE_TYPE_TELEVISION -> "tv"
            mode == Configuration.UI_MODE_TYPE_WATCH -> "watch"
            configuration.smallestScreenWidthDp >= 600 -> "tablet"
            else -> "phone"
        }
        return JSONObject()
            .put("platform", "android")
            .put("environment", if (isDebug) "development" else "production")
            .put("app_version", build.versionName)
            .put("os_name", "Android")
            .put("os_version", Build.VERSION.RELEASE)
            .put("device_model", Build.MODEL)
            .put("device_type", deviceType)
            .put("locale", Locale.getDefault().toLanguageTag())
    }
}
`;
}

/** The application class that starts and ends sessions. */
export function kotlinHook() {
  return `import android.app.Application
import androidx.lifecycle.DefaultLifecycleObserver
import androidx.lifecycle.LifecycleOwner
import androidx.lifecycle.ProcessLifecycleOwner

// implementation("androidx.lifecycle:lifecycle-process:2.8.7"); the manifest needs android.permission.INTERNET
// and android:name=".App" in <application>.
class App : Application() {
    lateinit var session: AppSession
        private set

    override fun onCreate() {
        super.onCreate()
        val queue = AnalyticsQueue(this)
        session = AppSession(this, queue)
        ProcessLifecycleOwner.get().lifecycle.addObserver(object : DefaultLifecycleObserver {
            override fun onStart(owner: LifecycleOwner) = session.start()
            override fun onStop(owner: LifecycleOwner) = session.end()
        })
        queue.send() // what the last run left
    }
}
`;
}
