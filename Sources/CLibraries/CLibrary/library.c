#include "CLibrary.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

const char *library_load(struct library *library) {
  static _Thread_local char reason[512];
  pthread_mutex_lock(&turn);
  if (!library->handle) library->handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
  const char *trouble = library->handle ? NULL : dlerror();
  if (trouble) {
    snprintf(
        reason, sizeof reason, "the library %s cannot be loaded (%s): install the package %s", library->name, trouble,
        library->package);
  }
  pthread_mutex_unlock(&turn);
  return trouble ? reason : NULL;
}

void *library_find(struct library *library, const char *function) {
  const char *trouble = library_load(library);
  void *address = trouble ? NULL : dlsym(library->handle, function);
  if (address) return address;
  if (trouble) {
    fprintf(stderr, "%s\n", trouble);
  } else {
    fprintf(stderr, "the library %s is too old: it has no function %s\n", library->name, function);
  }
  abort();
}
