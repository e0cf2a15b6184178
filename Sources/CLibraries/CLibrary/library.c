#include "CLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/// Returns true if a file of this name is in the program's folder. A program linked with the run path $ORIGIN, as by `swift
/// build`, would load it instead of the system's library.
static int lies_beside_program(const char *name) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  char *slash = strrchr(path, '/');
  if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= sizeof path) return 0;
  strcpy(slash + 1, name);
  return access(path, F_OK) == 0;
}

/// Keeps OpenSSL, if the library uses it, from freeing its locks when the process exits: another thread may still be closing
/// a connection then, and would crash. The flag must be in the first call (OPENSSL_init_crypto(3)).
static void keep_openssl(void *library) {
  const uint64_t no_atexit = 0x00080000;
  int (*initialize)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
  if (initialize) initialize(no_atexit, NULL);
}

const char *library_load(struct library *library) {
  static _Thread_local char reason[512];
  pthread_mutex_lock(&turn);
  int is_planted = !library->handle && lies_beside_program(library->name);
  if (!library->handle && !is_planted) {
    library->handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
    if (library->handle) keep_openssl(library->handle);
  }
  int is_loaded = library->handle != NULL;
  if (is_planted) {
    snprintf(
        reason, sizeof reason, "the library %s was not loaded: a file of that name is in the program's folder; remove it",
        library->name);
  } else if (!is_loaded) {
    snprintf(
        reason, sizeof reason, "the library %s cannot be loaded (%s): install the package %s", library->name, dlerror(),
        library->package);
  }
  pthread_mutex_unlock(&turn);
  return is_loaded ? NULL : reason;
}

void *library_find(struct library *library, const char *function) {
  const char *problem = library_load(library);
  void *address = problem ? NULL : dlsym(library->handle, function);
  if (address) return address;
  if (problem) {
    fprintf(stderr, "%s\n", problem);
  } else {
    fprintf(stderr, "the library %s is too old: it has no function %s\n", library->name, function);
  }
  abort();
}
