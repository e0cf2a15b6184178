// libgit2, and what of it Swift cannot call or lay out: functions with variable arguments, and our own extensions of its
// structures, which have to begin with the structure that they extend.
#include <git2.h>
#include <git2/sys/transport.h>

static inline int git_set_number(int option, int value) { return git_libgit2_opts(option, value); }

/// Where configuration of one level is sought; an empty path is nowhere.
static inline int git_set_search_path(int level, const char *path) {
  return git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, path);
}

typedef struct {
  git_smart_subtransport base;
  void *context;
} git_context_subtransport;

typedef struct {
  git_smart_subtransport_stream base;
  void *context;
} git_context_stream;
