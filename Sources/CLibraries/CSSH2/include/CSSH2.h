// libssh2, and constants of it that Swift cannot see.
//
// On Linux the library is loaded when the first of its functions is called.
#ifndef C_SSH2_H
#define C_SSH2_H
#include <libssh2.h>

/// Loads libssh2. Null when that went well, else the reason as a sentence. To be called before anything else.
const char *ssh2_load(void);

/// Whether the library is at least of this version, such as 0x010b00 for 1.11.
int ssh2_is_at_least(int version);

#endif
