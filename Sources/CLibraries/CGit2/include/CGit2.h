// libgit2, and those of its features that Swift cannot call or lay out: variadic functions, and our extensions of its
// structures, which must begin with the structure that they extend.
//
// On Linux the library is loaded on the first call of one of its functions.
#ifndef C_GIT2_H
#define C_GIT2_H
#include <git2.h>
#include <git2/sys/transport.h>

/// Loads libgit2; call it first. Returns null on success, otherwise the reason as a sentence.
const char *git_load(void);

int git_set_number(int option, int value);

/// Sets the search path for configuration files of one level; an empty path disables the level.
int git_set_search_path(int level, const char *path);

typedef struct {
  git_smart_subtransport base;
  void *context;
} git_context_subtransport;

typedef struct {
  git_smart_subtransport_stream base;
  void *context;
} git_context_stream;

#endif
