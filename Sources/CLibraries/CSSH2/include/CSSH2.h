// libssh2, and those of its constants that Swift cannot see.
//
// On Linux the library is loaded on the first call of one of its functions.
#ifndef C_SSH2_H
#define C_SSH2_H
#include <libssh2.h>

/// Loads libssh2; call it first. Returns null on success, otherwise the reason as a sentence.
const char *ssh2_load(void);

/// Returns true if the library's version is at least this one, such as 0x010b00 for 1.11.
int ssh2_is_at_least(int version);

#endif
