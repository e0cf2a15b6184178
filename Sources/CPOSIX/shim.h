// What the C library offers and Swift's Glibc module leaves out. A file imports this or Glibc, not both: they disagree
// about a few types.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

// Macros and functions with variable arguments, which Swift cannot see.

/// Where the error number of this thread's last system call is.
static inline int *posix_errno(void) { return &errno; }

/// The time of `futimens` that leaves a time as it is.
static inline long posix_utime_omit(void) { return UTIME_OMIT; }

/// `openat` with the mode that a new file gets; 0 where none is created.
static inline int posix_openat(int folder, const char *name, int flags, mode_t mode) {
  return openat(folder, name, flags, mode);
}

/// `fcntl` with a number.
static inline int posix_fcntl(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}
