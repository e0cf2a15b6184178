#include "CGpgme.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#ifdef __APPLE__
// macOS links the library at build time.
static const char *load(void) { return 0; }
#else
#include <CLibrary.h>

static struct library gpgme = {"libgpgme.so.11", "libgpgme11", 0};

static const char *load(void) { return library_load(&gpgme); }

LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_cancel_async, (gpgme_ctx_t ctx), (ctx))
LIBRARY_FUNCTION(
    gpgme, const char *, gpgme_check_version_internal, (const char *req_version, size_t offset_sig_validity),
    (req_version, offset_sig_validity))
LIBRARY_FUNCTION(
    gpgme, gpgme_error_t, gpgme_ctx_set_engine_info,
    (gpgme_ctx_t ctx, gpgme_protocol_t proto, const char *file_name, const char *home_dir),
    (ctx, proto, file_name, home_dir))
LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_data_new_from_fd, (gpgme_data_t *dh, int fd), (dh, fd))
LIBRARY_FUNCTION(gpgme, void, gpgme_data_release, (gpgme_data_t dh), (dh))
LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_data_set_file_name, (gpgme_data_t dh, const char *file_name), (dh, file_name))
LIBRARY_FUNCTION(
    gpgme, gpgme_error_t, gpgme_get_key, (gpgme_ctx_t ctx, const char *fpr, gpgme_key_t *r_key, int secret),
    (ctx, fpr, r_key, secret))
LIBRARY_FUNCTION(gpgme, void, gpgme_key_unref, (gpgme_key_t key), (key))
LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_new, (gpgme_ctx_t *ctx), (ctx))
LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_op_decrypt, (gpgme_ctx_t ctx, gpgme_data_t cipher, gpgme_data_t plain), (ctx, cipher, plain))
LIBRARY_FUNCTION(gpgme, gpgme_decrypt_result_t, gpgme_op_decrypt_result, (gpgme_ctx_t ctx), (ctx))
LIBRARY_FUNCTION(
    gpgme, gpgme_error_t, gpgme_op_decrypt_verify, (gpgme_ctx_t ctx, gpgme_data_t cipher, gpgme_data_t plain),
    (ctx, cipher, plain))
LIBRARY_FUNCTION(
    gpgme, gpgme_error_t, gpgme_op_encrypt,
    (gpgme_ctx_t ctx, gpgme_key_t recp[], gpgme_encrypt_flags_t flags, gpgme_data_t plain, gpgme_data_t cipher),
    (ctx, recp, flags, plain, cipher))
LIBRARY_FUNCTION(
    gpgme, gpgme_error_t, gpgme_op_encrypt_ext,
    (gpgme_ctx_t ctx, gpgme_key_t recp[], const char *recpstring, gpgme_encrypt_flags_t flags, gpgme_data_t plain,
     gpgme_data_t cipher),
    (ctx, recp, recpstring, flags, plain, cipher))
LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_op_keylist_end, (gpgme_ctx_t ctx), (ctx))
LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_op_keylist_next, (gpgme_ctx_t ctx, gpgme_key_t *r_key), (ctx, r_key))
LIBRARY_FUNCTION(
    gpgme, gpgme_error_t, gpgme_op_keylist_start, (gpgme_ctx_t ctx, const char *pattern, int secret_only),
    (ctx, pattern, secret_only))
LIBRARY_FUNCTION(gpgme, gpgme_verify_result_t, gpgme_op_verify_result, (gpgme_ctx_t ctx), (ctx))
LIBRARY_FUNCTION(gpgme, void, gpgme_set_armor, (gpgme_ctx_t ctx, int yes), (ctx, yes))
LIBRARY_FUNCTION(
    gpgme, gpgme_error_t, gpgme_set_ctx_flag, (gpgme_ctx_t ctx, const char *name, const char *value), (ctx, name, value))
LIBRARY_FUNCTION(gpgme, void, gpgme_release, (gpgme_ctx_t ctx), (ctx))
LIBRARY_FUNCTION(gpgme, gpgme_error_t, gpgme_set_pinentry_mode, (gpgme_ctx_t ctx, gpgme_pinentry_mode_t mode), (ctx, mode))
LIBRARY_FUNCTION(gpgme, void, gpgme_set_status_cb, (gpgme_ctx_t c, gpgme_status_cb_t cb, void *hook_value), (c, cb, hook_value))
LIBRARY_FUNCTION(gpgme, const char *, gpgme_strerror, (gpgme_error_t err), (err))
#endif

static const char *problem;

// GPGME requires one version check before several threads use it.
static void set_up(void) {
  problem = load();
  // The reason is in thread-local memory; other threads need a copy that outlives this thread.
  if (problem) problem = strdup(problem);
  // If gpg exits while we write to it, the signal must not end this process.
  signal(SIGPIPE, SIG_IGN);
  if (!problem && !gpgme_check_version("1.11.0")) problem = "the library libgpgme is too old";
}

const char *gpg_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_up);
  return problem;
}

int gpg_code(gpgme_error_t error) { return gpgme_err_code(error); }

enum gpg_flaw gpg_flaw_of(gpgme_key_t key) {
  if (key->revoked) return GPG_REVOKED;
  if (key->expired) return GPG_EXPIRED;
  if (key->disabled || key->invalid) return GPG_DISABLED;
  if (!key->can_encrypt) return GPG_NO_ENCRYPTION;
  for (gpgme_user_id_t user = key->uids; user; user = user->next)
    if (!user->revoked && !user->invalid && user->validity >= GPGME_VALIDITY_MARGINAL) return GPG_NO_FLAW;
  return GPG_NOT_TRUSTED;
}

const char *gpg_fingerprint_of(gpgme_key_t key) { return key->fpr ? key->fpr : key->subkeys ? key->subkeys->fpr : 0; }

static gpgme_error_t note_status(void *wants_passphrase, const char *keyword, const char *arguments) {
  if (!strcmp(keyword, "NEED_PASSPHRASE_SYM")) *(int *)wants_passphrase = 1;
  return 0;
}

gpgme_error_t gpg_decrypt(gpgme_ctx_t context, gpgme_data_t from, gpgme_data_t to, int *wants_passphrase) {
  gpgme_error_t error = gpgme_set_ctx_flag(context, "full-status", "1");
  if (error) return error;
  gpgme_set_status_cb(context, note_status, wants_passphrase);
  error = gpgme_op_decrypt_verify(context, from, to);
  gpgme_set_status_cb(context, 0, 0);
  return error;
}

const char *gpg_file_name_in(gpgme_ctx_t context) {
  gpgme_decrypt_result_t result = gpgme_op_decrypt_result(context);
  return result ? result->file_name : 0;
}

int gpg_is_signed_in(gpgme_ctx_t context) {
  gpgme_verify_result_t result = gpgme_op_verify_result(context);
  return result && result->signatures;
}
