#include "CGit2.h"

#ifdef __APPLE__
// macOS links the library at build time.
const char *git_load(void) { return 0; }
#define OPTIONS git_libgit2_opts
#else
#include <CLibrary.h>

static struct library git2 = {"libgit2.so." LIBGIT2_SOVERSION, "libgit2-" LIBGIT2_SOVERSION, 0};

const char *git_load(void) { return library_load(&git2); }

#define OPTIONS ((__typeof__(&git_libgit2_opts))library_find(&git2, "git_libgit2_opts"))

LIBRARY_FUNCTION(git2, void, git_buf_dispose, (git_buf *buffer), (buffer))
LIBRARY_FUNCTION(git2, const git_signature *, git_commit_author, (const git_commit *commit), (commit))
LIBRARY_FUNCTION(git2, void, git_commit_free, (git_commit *commit), (commit))
LIBRARY_FUNCTION(git2, const git_oid *, git_commit_id, (const git_commit *commit), (commit))
LIBRARY_FUNCTION(
    git2, int, git_commit_lookup, (git_commit **commit, git_repository *repo, const git_oid *id),
    (commit, repo, id))
LIBRARY_FUNCTION(
    git2, int, git_commit_lookup_prefix, (git_commit **commit, git_repository *repo, const git_oid *id, size_t len),
    (commit, repo, id, len))
LIBRARY_FUNCTION(git2, const git_oid *, git_commit_parent_id, (const git_commit *commit, unsigned int n), (commit, n))
LIBRARY_FUNCTION(git2, unsigned int, git_commit_parentcount, (const git_commit *commit), (commit))
LIBRARY_FUNCTION(git2, const char *, git_commit_message, (const git_commit *commit), (commit))
LIBRARY_FUNCTION(git2, const git_oid *, git_commit_tree_id, (const git_commit *commit), (commit))
LIBRARY_FUNCTION(git2, void, git_config_free, (git_config *cfg), (cfg))
LIBRARY_FUNCTION(
    git2, int, git_config_get_string_buf, (git_buf *out, const git_config *cfg, const char *name),
    (out, cfg, name))
LIBRARY_FUNCTION(git2, int, git_config_open_ondisk, (git_config **out, const char *path), (out, path))
LIBRARY_FUNCTION(git2, const git_error *, git_error_last, (void), ())
LIBRARY_FUNCTION(git2, int, git_fetch_options_init, (git_fetch_options *opts, unsigned int version), (opts, version))
LIBRARY_FUNCTION(
    git2, int, git_graph_descendant_of, (git_repository *repo, const git_oid *commit, const git_oid *ancestor),
    (repo, commit, ancestor))
LIBRARY_FUNCTION(git2, int, git_libgit2_init, (void), ())
LIBRARY_FUNCTION(git2, int, git_odb_add_disk_alternate, (git_odb *odb, const char *path), (odb, path))
LIBRARY_FUNCTION(git2, int, git_odb_exists, (git_odb *db, const git_oid *id), (db, id))
LIBRARY_FUNCTION(git2, void, git_odb_free, (git_odb *db), (db))
LIBRARY_FUNCTION(git2, const void *, git_odb_object_data, (git_odb_object *object), (object))
LIBRARY_FUNCTION(git2, void, git_odb_object_free, (git_odb_object *object), (object))
LIBRARY_FUNCTION(git2, size_t, git_odb_object_size, (git_odb_object *object), (object))
LIBRARY_FUNCTION(
    git2, int, git_odb_open_wstream, (git_odb_stream **out, git_odb *db, git_object_size_t size, git_object_t type),
    (out, db, size, type))
LIBRARY_FUNCTION(git2, int, git_odb_read, (git_odb_object **out, git_odb *db, const git_oid *id), (out, db, id))
LIBRARY_FUNCTION(
    git2, int, git_odb_read_header, (size_t *len_out, git_object_t *type_out, git_odb *db, const git_oid *id),
    (len_out, type_out, db, id))
LIBRARY_FUNCTION(git2, int, git_odb_stream_finalize_write, (git_oid *out, git_odb_stream *stream), (out, stream))
LIBRARY_FUNCTION(git2, void, git_odb_stream_free, (git_odb_stream *stream), (stream))
LIBRARY_FUNCTION(
    git2, int, git_odb_stream_write, (git_odb_stream *stream, const char *buffer, size_t len),
    (stream, buffer, len))
LIBRARY_FUNCTION(
    git2, int, git_odb_write, (git_oid *out, git_odb *odb, const void *data, size_t len, git_object_t type),
    (out, odb, data, len, type))
LIBRARY_FUNCTION(git2, int, git_oid_fromstr, (git_oid *out, const char *str), (out, str))
LIBRARY_FUNCTION(git2, int, git_oid_fromstrn, (git_oid *out, const char *str, size_t length), (out, str, length))
LIBRARY_FUNCTION(git2, int, git_push_options_init, (git_push_options *opts, unsigned int version), (opts, version))
LIBRARY_FUNCTION(
    git2, int, git_reference_create,
    (git_reference **out, git_repository *repo, const char *name, const git_oid *id, int force,
     const char *log_message),
    (out, repo, name, id, force, log_message))
LIBRARY_FUNCTION(git2, void, git_reference_free, (git_reference *ref), (ref))
LIBRARY_FUNCTION(
    git2, int, git_reference_name_to_id, (git_oid *out, git_repository *repo, const char *name),
    (out, repo, name))
LIBRARY_FUNCTION(
    git2, int, git_remote_connect,
    (git_remote *remote, git_direction direction, const git_remote_callbacks *callbacks,
     const git_proxy_options *proxy_opts, const git_strarray *custom_headers),
    (remote, direction, callbacks, proxy_opts, custom_headers))
LIBRARY_FUNCTION(
    git2, int, git_remote_create_options_init, (git_remote_create_options *opts, unsigned int version),
    (opts, version))
LIBRARY_FUNCTION(
    git2, int, git_remote_create_with_opts,
    (git_remote **out, const char *url, const git_remote_create_options *opts), (out, url, opts))
LIBRARY_FUNCTION(git2, int, git_remote_disconnect, (git_remote *remote), (remote))
LIBRARY_FUNCTION(
    git2, int, git_remote_download, (git_remote *remote, const git_strarray *refspecs, const git_fetch_options *opts),
    (remote, refspecs, opts))
LIBRARY_FUNCTION(git2, void, git_remote_free, (git_remote *remote), (remote))
LIBRARY_FUNCTION(
    git2, int, git_remote_init_callbacks, (git_remote_callbacks *opts, unsigned int version),
    (opts, version))
LIBRARY_FUNCTION(
    git2, int, git_remote_ls, (const git_remote_head ***out, size_t *size, git_remote *remote),
    (out, size, remote))
LIBRARY_FUNCTION(
    git2, int, git_remote_push, (git_remote *remote, const git_strarray *refspecs, const git_push_options *opts),
    (remote, refspecs, opts))
LIBRARY_FUNCTION(git2, void, git_repository_free, (git_repository *repo), (repo))
LIBRARY_FUNCTION(
    git2, int, git_repository_init, (git_repository **out, const char *path, unsigned is_bare),
    (out, path, is_bare))
LIBRARY_FUNCTION(git2, int, git_repository_odb, (git_odb **out, git_repository *repo), (out, repo))
LIBRARY_FUNCTION(git2, int, git_repository_open_bare, (git_repository **out, const char *bare_path), (out, bare_path))
LIBRARY_FUNCTION(
    git2, int, git_transport_smart, (git_transport **out, git_remote *owner, void *payload),
    (out, owner, payload))
#endif

int git_set_number(int option, int value) { return OPTIONS(option, value); }

int git_set_search_path(int level, const char *path) { return OPTIONS(GIT_OPT_SET_SEARCH_PATH, level, path); }
