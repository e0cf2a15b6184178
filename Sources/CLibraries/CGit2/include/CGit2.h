// libgit2, and what of it Swift cannot call or lay out: functions with variable arguments, and our own extensions of its
// structures, which have to begin with the structure that they extend.
//
// On Linux the library is loaded when the first of its functions is called.
#ifndef C_GIT2_H
#define C_GIT2_H
#include <git2.h>
#include <git2/sys/transport.h>

/// Loads libgit2. Null when that went well, else the reason as a sentence. To be called before anything else.
const char *git_load(void);

int git_set_number(int option, int value);

/// Where configuration of one level is sought; an empty path is nowhere.
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
