// A shared library that is loaded when it is first needed, and not when the program starts: what a remote of another kind
// needs (libcurl alone brings some thirty libraries) costs nothing, and does not have to be installed.
#ifndef C_LIBRARY_H
#define C_LIBRARY_H

struct library {
  /// The name by which the loader finds it, and the Debian package that has it.
  const char *name, *package;
  /// Set when it was loaded.
  void *handle;
};

/// Loads it unless it is loaded. Null when that went well, else the reason as a sentence; any thread may ask.
const char *library_load(struct library *library);

/// The address of a function. A library that cannot be loaded, or lacks the function, ends the program with a sentence:
/// call `library_load` first to learn of the former.
void *library_find(struct library *library, const char *function);

/// Defines a function that a header declares: it passes its arguments on to the library's function of that name. Should the
/// library itself come to call it, it does the same.
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
