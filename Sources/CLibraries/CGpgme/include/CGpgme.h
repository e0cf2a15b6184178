// GPGME, and what of it Swift cannot call: macros and inline functions.
//
// On Linux the library is loaded when the first of its functions is called.
#ifndef C_GPGME_H
#define C_GPGME_H
#include <gpgme.h>

/// Loads GPGME and sets it up. Null when that went well, else the reason as a sentence. To be called before anything else.
const char *gpg_load(void);

/// The number in an error, without where it came from.
int gpg_code(gpgme_error_t error);

/// Why a key cannot be used for encryption.
enum gpg_flaw { GPG_NO_FLAW, GPG_REVOKED, GPG_EXPIRED, GPG_DISABLED, GPG_NO_ENCRYPTION, GPG_NOT_TRUSTED };

enum gpg_flaw gpg_flaw_of(gpgme_key_t key);

/// The fingerprint, which lives as long as the key; null if there is none.
const char *gpg_fingerprint_of(gpgme_key_t key);

/// The name of the file that was decrypted last, as it was encrypted with it; null if it had none.
const char *gpg_file_name_in(gpgme_ctx_t context);

/// True if the file that was decrypted last has a signature, by `gpgme_op_decrypt_verify`.
int gpg_is_signed_in(gpgme_ctx_t context);

#endif
