#include <curl/curl.h>

// Swift cannot call variadic C functions, so each use of one that we need is spelled out here.

struct curl_post {
    const char *url;
    struct curl_slist *headers;
    const char *body;
    long body_bytes;
    long connect_ms_max;
    long total_ms_max;
    // NULL for the system's certificates.
    const char *ca_file;
    curl_write_callback on_bytes;
    void *context;
};

// HTTPS only, certificate and name always checked, no redirects, no signals (other threads would get them).
static inline CURLcode curl_prepare_post(CURL *handle, const struct curl_post *post) {
    CURLcode code = CURLE_OK;
    if (!code) code = curl_easy_setopt(handle, CURLOPT_URL, post->url);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "https");
    if (!code) code = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!code && post->ca_file) code = curl_easy_setopt(handle, CURLOPT_CAINFO, post->ca_file);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_POST, 1L);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_HTTPHEADER, post->headers);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, post->body_bytes);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_POSTFIELDS, post->body);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, post->connect_ms_max);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, post->total_ms_max);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, post->on_bytes);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, post->context);
    return code;
}

static inline long curl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
