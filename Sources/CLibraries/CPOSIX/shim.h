// C library features that Swift cannot call: GNU or Darwin extensions, macros, and variadic functions. `_GNU_SOURCE` is not
// defined, because types would then differ from those of Swift's Glibc module.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/stat.h>
#include <malloc.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

extern int renameat2(int from, const char *old_name, int to, const char *new_name, unsigned int flags);
extern int syncfs(int descriptor);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
#endif

/// Keeps this process's memory, which holds keys, out of core dumps and inaccessible to the user's other processes. Its child
/// processes write no core dumps either.
static inline void posix_keep_memory_private(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

/// The address of this thread's errno.
static inline int *posix_errno(void) { return &errno; }

/// `openat` with the mode of a file that it creates; 0 if `flags` create none.
static inline int posix_openat(int folder, const char *name, int flags, mode_t mode) {
  return openat(folder, name, flags, mode);
}

/// `fcntl` with an integer argument.
static inline int posix_fcntl(int descriptor, int command, int argument) {
  return fcntl(descriptor, command, argument);
}

/// The `tv_nsec` with which `futimens` leaves a timestamp unchanged.
static inline long posix_utime_omit(void) { return UTIME_OMIT; }

/// Reads a file's modification time, in seconds and nanoseconds since 1970.
static inline void posix_modified(const struct stat *facts, int64_t *seconds, int64_t *nanoseconds) {
#ifdef __linux__
  *seconds = facts->st_mtim.tv_sec;
  *nanoseconds = facts->st_mtim.tv_nsec;
#else
  *seconds = facts->st_mtimespec.tv_sec;
  *nanoseconds = facts->st_mtimespec.tv_nsec;
#endif
}

/// Reads the times of a file's last change of content, and of content or attributes, as whole numbers of nanoseconds since 1970
/// that wrap around. They are for comparing: one after 2262 is another number than every other time, but not a later one.
static inline void posix_change_times(const struct stat *facts, int64_t *modified, int64_t *changed) {
#ifdef __linux__
  const struct timespec *content = &facts->st_mtim, *any = &facts->st_ctim;
#else
  const struct timespec *content = &facts->st_mtimespec, *any = &facts->st_ctimespec;
#endif
  *modified = (int64_t)((uint64_t)content->tv_sec * 1000000000u + (uint64_t)content->tv_nsec);
  *changed = (int64_t)((uint64_t)any->tv_sec * 1000000000u + (uint64_t)any->tv_nsec);
}

/// Sets a file's modification time, and its access time to the same.
static inline int posix_set_modified(const char *path, int64_t seconds, int64_t nanoseconds) {
  struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
  return utimensat(AT_FDCWD, path, times, 0);
}

/// Raises SIGALRM once, after this many microseconds.
static inline int posix_alarm(int64_t microseconds) {
  struct itimerval timer = {{0, 0}, {microseconds / 1000000, microseconds % 1000000}};
  return setitimer(ITIMER_REAL, &timer, NULL);
}

/// Swaps two names in one folder; EINVAL if the file system does not support it.
static inline int posix_exchange(int folder, const char *a, const char *b) {
#ifdef __linux__
  return renameat2(folder, a, folder, b, 1 << 1 /* RENAME_EXCHANGE */);
#else
  return renameatx_np(folder, a, folder, b, RENAME_SWAP);
#endif
}

/// Renames within one folder, unless the new name exists; EINVAL if the file system does not support it.
static inline int posix_move(int folder, const char *from, const char *to) {
#ifdef __linux__
  return renameat2(folder, from, folder, to, 1 << 0 /* RENAME_NOREPLACE */);
#else
  return renameatx_np(folder, from, folder, to, RENAME_EXCL);
#endif
}

/// Makes all writes to the file system of `descriptor` durable; ENOSYS if the system has no such call.
static inline int posix_sync_all(int descriptor) {
#ifdef __linux__
  return syncfs(descriptor);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Takes a read lease on a file that is open for reading; EAGAIN if another process has it open for writing. A process that
/// later opens it for writing blocks until the lease is released; the kernel announces that with SIGURG, which is ignored by
/// default. ENOSYS if the system has no leases.
static inline int posix_take_lease(int descriptor) {
#ifdef __linux__
  fcntl(descriptor, 10 /* F_SETSIG */, SIGURG);
  return fcntl(descriptor, 1024 /* F_SETLEASE */, F_RDLCK);
#else
  errno = ENOSYS;
  return -1;
#endif
}

/// Makes all threads share one heap instead of the C library's arena per thread, so that threads that alternate do not each
/// hold memory. Freed memory returns to the system at once: blocks of 1 MiB or more by themselves, and smaller ones in steps of
/// 1 MiB. By default, the first large block that is freed raises both limits, up to 32 and 64 MiB (mallopt(3)).
static inline void posix_keep_heap_small(void) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

/// A `send` that does not block. Returns the number of bytes sent, or -1 with errno.
static inline ssize_t posix_send_now(int socket, const void *bytes, size_t count) {
  return send(socket, bytes, count, MSG_DONTWAIT);
}

/// True if the peer has closed the connection and everything that it sent was read. Never blocks.
static inline bool posix_has_ended(int socket) {
  char byte;
  ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/// Sends one datagram to a Unix socket; a name that begins with `@` is an abstract one. Returns 0, or -1 with errno.
static inline int posix_send_datagram(const char *name, const char *bytes, size_t count) {
  struct sockaddr_un address = {0};
  size_t length = strlen(name);
  if (length == 0 || length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, name, length);
  if (name[0] == '@') address.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (descriptor < 0) return -1;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(descriptor, bytes, count, MSG_DONTWAIT, (struct sockaddr *)&address, size);
  int failure = errno;
  close(descriptor);
  errno = failure;
  return sent < 0 ? -1 : 0;
}

/// Connects to a Unix socket. The socket never blocks, neither here nor later. Returns it, or -1 with errno.
static inline int posix_connect_local(const char *path) {
  struct sockaddr_un address = {0};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, length);
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  if (descriptor < 0) return -1;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int failure = errno;
  close(descriptor);
  errno = failure;
  return -1;
}

/// Sets the receive timeout of a socket in milliseconds; 0 means none.
static inline int posix_set_receive_limit(int descriptor, int64_t milliseconds) {
  struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  return setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

/// Sets the send timeout of a socket in milliseconds; 0 means none.
static inline int posix_set_send_limit(int descriptor, int64_t milliseconds) {
  struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
  return setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

/// Returns the port that a socket is bound to, or -1 with errno.
static inline int posix_local_port(int descriptor) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return -1;
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

/// Splits a timestamp into local date and time: year, month from 1, day, weekday from 0 for Sunday, hour, minute.
static inline void posix_local_time(int64_t seconds, int parts[6]) {
  time_t time = (time_t)seconds;
  struct tm local = {0};
  localtime_r(&time, &local);
  parts[0] = local.tm_year + 1900;
  parts[1] = local.tm_mon + 1;
  parts[2] = local.tm_mday;
  parts[3] = local.tm_wday;
  parts[4] = local.tm_hour;
  parts[5] = local.tm_min;
}

/// Returns the offset of local time from UTC at a timestamp, in seconds east.
static inline int64_t posix_utc_offset(int64_t seconds) {
  time_t time = (time_t)seconds;
  struct tm local = {0};
  localtime_r(&time, &local);
  return local.tm_gmtoff;
}

/// Converts year, month, day, hour, minute and second, in UTC or in local time, to seconds since 1970. Returns false for a date
/// or time of day that does not exist. Of an hour that repeats in autumn, it may return either one; see mktime(3).
static inline bool posix_time_of_date(const int parts[6], bool isUTC, int64_t *seconds) {
  struct tm date = {
    .tm_year = parts[0] - 1900, .tm_mon = parts[1] - 1, .tm_mday = parts[2],
    .tm_hour = parts[3], .tm_min = parts[4], .tm_sec = parts[5], .tm_isdst = -1,
  };
  if (parts[3] < 0 || parts[3] > 23 || parts[4] < 0 || parts[4] > 59 || parts[5] < 0 || parts[5] > 59) return false;
  *seconds = (int64_t)(isUTC ? timegm(&date) : mktime(&date));
  return date.tm_year == parts[0] - 1900 && date.tm_mon == parts[1] - 1 && date.tm_mday == parts[2];
}

/// Closes every descriptor above 2 in the spawned program.
static inline void posix_inherit_nothing(posix_spawn_file_actions_t *actions) {
#ifdef __linux__
  posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
}

/// Ignores SIGPIPE, so that a write to a pipe without readers fails with EPIPE instead of ending this process.
static inline void posix_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

/// Microseconds of the monotonic clock.
static inline int64_t posix_monotonic_microseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/// Returns when a file was created, in nanoseconds since 1970; 0 if the file system does not know.
static inline uint64_t posix_birth_time(int descriptor) {
#ifdef __linux__
  struct statx facts;
  // 0x1000 is AT_EMPTY_PATH, which is not defined without _GNU_SOURCE.
  if (syscall(SYS_statx, descriptor, "", 0x1000, STATX_BTIME, &facts) != 0 || !(facts.stx_mask & STATX_BTIME)) return 0;
  return (uint64_t)facts.stx_btime.tv_sec * 1000000000u + facts.stx_btime.tv_nsec;
#else
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return 0;
  return (uint64_t)facts.st_birthtimespec.tv_sec * 1000000000u + (uint64_t)facts.st_birthtimespec.tv_nsec;
#endif
}

/// Returns 1 if the `size` bytes at `text` contain the `length` bytes at `pattern`.
static inline int posix_contains(const void *text, size_t size, const void *pattern, size_t length) {
  return memmem(text, size, pattern, length) != NULL;
}
