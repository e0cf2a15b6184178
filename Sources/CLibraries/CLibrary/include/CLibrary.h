// A shared library that is loaded on first use instead of at program start: libraries that only other kinds of remote need
// (libcurl alone brings about thirty) cost nothing and need not be installed.
#ifndef C_LIBRARY_H
#define C_LIBRARY_H

struct library {
  /// The library's soname, and the Debian package that contains it.
  const char *name, *package;
  /// The handle from dlopen(3); null until the library is loaded.
  void *handle;
};

/// Loads the library unless it is loaded. Returns null on success, otherwise the reason as a sentence. Thread-safe.
const char *library_load(struct library *library);

/// Returns the address of a function. If the library cannot be loaded or lacks the function, it prints the reason and aborts;
/// call `library_load` first to handle a missing library.
void *library_find(struct library *library, const char *function);

/// Defines a function declared in a header: it forwards its arguments to the library's function of that name, also if the
/// library itself calls it.
#define LIBRARY_FUNCTION(library, result, name, parameters, arguments) \
  result name parameters { \
    static __typeof__(&name) found; \
    __typeof__(&name) function = __atomic_load_n(&found, __ATOMIC_RELAXED); \
    if (!function) { \
      function = (__typeof__(&name))library_find(&library, #name); \
      __atomic_store_n(&found, function, __ATOMIC_RELAXED); \
    } \
    return function arguments; \
  }

#endif
