#include <microhttpd.h>
#include <string.h>

// Swift cannot call variadic C functions, so each use of one that we need is spelled out here.

struct microhttpd_settings {
    unsigned int flags;
    int listen_fd;
    unsigned int threads;
    unsigned int connections_max;
    size_t connection_memory_bytes;
    MHD_AccessHandlerCallback on_access;
    MHD_RequestCompletedCallback on_completed;
    MHD_NotifyConnectionCallback on_connection;
    MHD_AcceptPolicyCallback on_accept;
    void *(*on_target)(void *context, const char *target, struct MHD_Connection *connection);
    void *context;
};

// We decode paths and queries ourselves, so that "%2F" stays apart from "/".
static inline size_t microhttpd_leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

static inline struct MHD_Daemon *microhttpd_start(const struct microhttpd_settings *settings) {
    return MHD_start_daemon(
        settings->flags,
        0,
        settings->on_accept, settings->context,
        settings->on_access, settings->context,
        MHD_OPTION_LISTEN_SOCKET, settings->listen_fd,
        MHD_OPTION_THREAD_POOL_SIZE, settings->threads,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections_max,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory_bytes,
        MHD_OPTION_NOTIFY_COMPLETED, settings->on_completed, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, settings->on_connection, settings->context,
        MHD_OPTION_URI_LOG_CALLBACK, settings->on_target, settings->context,
        MHD_OPTION_UNESCAPE_CALLBACK, &microhttpd_leave_escaped, (void *)0,
        MHD_OPTION_END);
}

static inline void *microhttpd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : (void *)0;
}

static inline int microhttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *microhttpd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : (const struct sockaddr *)0;
}

static inline size_t microhttpd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}
