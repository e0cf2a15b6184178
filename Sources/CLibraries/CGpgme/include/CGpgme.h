// GPGME, and those of its features that Swift cannot call: macros and inline functions.
//
// On Linux the library is loaded on the first call of one of its functions.
#ifndef C_GPGME_H
#define C_GPGME_H
#include <gpgme.h>

/// Loads and initialises GPGME; call it first. Returns null on success, otherwise the reason as a sentence.
const char *gpg_load(void);

/// The code of an error, without its source.
int gpg_code(gpgme_error_t error);

/// The reason why a key cannot be used for encryption.
enum gpg_flaw { GPG_NO_FLAW, GPG_REVOKED, GPG_EXPIRED, GPG_DISABLED, GPG_NO_ENCRYPTION, GPG_NOT_TRUSTED };

enum gpg_flaw gpg_flaw_of(gpgme_key_t key);

/// The key's fingerprint, which lives as long as the key; null if it has none.
const char *gpg_fingerprint_of(gpgme_key_t key);

/// Decrypts a message. Sets `*wants_passphrase` if gpg found a part that is encrypted with a passphrase, which is not the passphrase of
/// a key (gpg's doc/DETAILS, NEED_PASSPHRASE_SYM).
gpgme_error_t gpg_decrypt(gpgme_ctx_t context, gpgme_data_t from, gpgme_data_t to, int *wants_passphrase);

/// The file name stored inside the message that was decrypted last; null if it has none.
const char *gpg_file_name_in(gpgme_ctx_t context);

/// True if the message that `gpg_decrypt` decrypted last has a signature.
int gpg_is_signed_in(gpgme_ctx_t context);

#endif
