#include "CSSH2.h"

#ifdef __APPLE__
// macOS links the library at build time.
const char *ssh2_load(void) { return 0; }
#else
#include <CLibrary.h>

static struct library ssh2 = {"libssh2.so.1", "libssh2-1", 0};

const char *ssh2_load(void) { return library_load(&ssh2); }

LIBRARY_FUNCTION(ssh2, const char *, libssh2_version, (int required), (required))
LIBRARY_FUNCTION(ssh2, int, libssh2_init, (int flags), (flags))
LIBRARY_FUNCTION(
    ssh2, LIBSSH2_SESSION *, libssh2_session_init_ex,
    (LIBSSH2_ALLOC_FUNC((*my_alloc)), LIBSSH2_FREE_FUNC((*my_free)), LIBSSH2_REALLOC_FUNC((*my_realloc)), void *abstract),
    (my_alloc, my_free, my_realloc, abstract))
LIBRARY_FUNCTION(ssh2, int, libssh2_session_free, (LIBSSH2_SESSION * session), (session))
LIBRARY_FUNCTION(ssh2, void, libssh2_session_set_blocking, (LIBSSH2_SESSION * session, int blocking), (session, blocking))
LIBRARY_FUNCTION(ssh2, int, libssh2_session_handshake, (LIBSSH2_SESSION * session, libssh2_socket_t sock), (session, sock))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_session_disconnect_ex,
    (LIBSSH2_SESSION * session, int reason, const char *description, const char *lang),
    (session, reason, description, lang))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_session_method_pref, (LIBSSH2_SESSION * session, int method_type, const char *prefs),
    (session, method_type, prefs))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_session_last_error, (LIBSSH2_SESSION * session, char **errmsg, int *errmsg_len, int want_buf),
    (session, errmsg, errmsg_len, want_buf))
LIBRARY_FUNCTION(ssh2, int, libssh2_session_last_errno, (LIBSSH2_SESSION * session), (session))
LIBRARY_FUNCTION(ssh2, int, libssh2_session_block_directions, (LIBSSH2_SESSION * session), (session))
LIBRARY_FUNCTION(
    ssh2, const char *, libssh2_session_hostkey, (LIBSSH2_SESSION * session, size_t *len, int *type),
    (session, len, type))
LIBRARY_FUNCTION(
    ssh2, void, libssh2_keepalive_config, (LIBSSH2_SESSION * session, int want_reply, unsigned interval),
    (session, want_reply, interval))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_keepalive_send, (LIBSSH2_SESSION * session, int *seconds_to_next), (session, seconds_to_next))
LIBRARY_FUNCTION(
    ssh2, char *, libssh2_userauth_list, (LIBSSH2_SESSION * session, const char *username, unsigned int username_len),
    (session, username, username_len))
LIBRARY_FUNCTION(ssh2, int, libssh2_userauth_authenticated, (LIBSSH2_SESSION * session), (session))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_userauth_publickey_fromfile_ex,
    (LIBSSH2_SESSION * session, const char *username, unsigned int username_len, const char *publickey,
     const char *privatekey, const char *passphrase),
    (session, username, username_len, publickey, privatekey, passphrase))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_userauth_publickey,
    (LIBSSH2_SESSION * session, const char *username, const unsigned char *pubkeydata, size_t pubkeydata_len,
     LIBSSH2_USERAUTH_PUBLICKEY_SIGN_FUNC((*sign_callback)), void **abstract),
    (session, username, pubkeydata, pubkeydata_len, sign_callback, abstract))
LIBRARY_FUNCTION(
    ssh2, LIBSSH2_CHANNEL *, libssh2_channel_open_ex,
    (LIBSSH2_SESSION * session, const char *channel_type, unsigned int channel_type_len, unsigned int window_size,
     unsigned int packet_size, const char *message, unsigned int message_len),
    (session, channel_type, channel_type_len, window_size, packet_size, message, message_len))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_channel_process_startup,
    (LIBSSH2_CHANNEL * channel, const char *request, unsigned int request_len, const char *message,
     unsigned int message_len),
    (channel, request, request_len, message, message_len))
LIBRARY_FUNCTION(
    ssh2, ssize_t, libssh2_channel_read_ex, (LIBSSH2_CHANNEL * channel, int stream_id, char *buf, size_t buflen),
    (channel, stream_id, buf, buflen))
LIBRARY_FUNCTION(
    ssh2, ssize_t, libssh2_channel_write_ex, (LIBSSH2_CHANNEL * channel, int stream_id, const char *buf, size_t buflen),
    (channel, stream_id, buf, buflen))
LIBRARY_FUNCTION(ssh2, int, libssh2_channel_eof, (LIBSSH2_CHANNEL * channel), (channel))
LIBRARY_FUNCTION(ssh2, int, libssh2_channel_send_eof, (LIBSSH2_CHANNEL * channel), (channel))
LIBRARY_FUNCTION(ssh2, int, libssh2_channel_close, (LIBSSH2_CHANNEL * channel), (channel))
LIBRARY_FUNCTION(ssh2, int, libssh2_channel_wait_closed, (LIBSSH2_CHANNEL * channel), (channel))
LIBRARY_FUNCTION(ssh2, int, libssh2_channel_free, (LIBSSH2_CHANNEL * channel), (channel))
LIBRARY_FUNCTION(ssh2, int, libssh2_channel_get_exit_status, (LIBSSH2_CHANNEL * channel), (channel))
LIBRARY_FUNCTION(
    ssh2, int, libssh2_channel_get_exit_signal,
    (LIBSSH2_CHANNEL * channel, char **exitsignal, size_t *exitsignal_len, char **errmsg, size_t *errmsg_len,
     char **langtag, size_t *langtag_len),
    (channel, exitsignal, exitsignal_len, errmsg, errmsg_len, langtag, langtag_len))
LIBRARY_FUNCTION(ssh2, void, libssh2_free, (LIBSSH2_SESSION * session, void *ptr), (session, ptr))
#endif

int ssh2_is_at_least(int version) { return libssh2_version(version) != 0; }
