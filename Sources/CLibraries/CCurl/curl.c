#include "CCurl.h"

#ifdef __APPLE__
// macOS links the library, which is part of the system, at build time.
const char *curl_load(void) { return 0; }
#define SETOPT curl_easy_setopt
#define MULTI_SETOPT curl_multi_setopt
#else
#include <CLibrary.h>

static struct library curl = {"libcurl.so.4", "libcurl4", 0};

const char *curl_load(void) { return library_load(&curl); }

LIBRARY_FUNCTION(curl, CURLcode, curl_global_init, (long flags), (flags))
LIBRARY_FUNCTION(curl, CURL *, curl_easy_init, (void), ())
LIBRARY_FUNCTION(curl, void, curl_easy_cleanup, (CURL * handle), (handle))
LIBRARY_FUNCTION(curl, CURLcode, curl_easy_pause, (CURL * handle, int directions), (handle, directions))
LIBRARY_FUNCTION(curl, const char *, curl_easy_strerror, (CURLcode code), (code))
LIBRARY_FUNCTION(curl, CURLM *, curl_multi_init, (void), ())
LIBRARY_FUNCTION(curl, CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))
LIBRARY_FUNCTION(curl, CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *handle), (multi, handle))
LIBRARY_FUNCTION(curl, CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *handle), (multi, handle))
LIBRARY_FUNCTION(curl, CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running))
LIBRARY_FUNCTION(curl, CURLMcode, curl_multi_wakeup, (CURLM * multi), (multi))
LIBRARY_FUNCTION(curl, CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))
LIBRARY_FUNCTION(
    curl, CURLMcode, curl_multi_poll,
    (CURLM * multi, struct curl_waitfd waited[], unsigned int count, int timeout, int *ready),
    (multi, waited, count, timeout, ready))
LIBRARY_FUNCTION(
    curl, struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))
LIBRARY_FUNCTION(curl, void, curl_slist_free_all, (struct curl_slist * list), (list))

#define SETOPT ((__typeof__(&curl_easy_setopt))library_find(&curl, "curl_easy_setopt"))
#define MULTI_SETOPT ((__typeof__(&curl_multi_setopt))library_find(&curl, "curl_multi_setopt"))
#endif

CURLcode curl_set_number(CURL *handle, CURLoption option, long value) { return SETOPT(handle, option, value); }

CURLcode curl_set_size(CURL *handle, CURLoption option, curl_off_t value) { return SETOPT(handle, option, value); }

CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) { return SETOPT(handle, option, value); }

CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return SETOPT(handle, option, value);
}

CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) { return SETOPT(handle, option, value); }

CURLcode curl_set_bytes_function(CURL *handle, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
  return SETOPT(handle, option, value);
}

CURLcode curl_set_seek_function(CURL *handle, int (*value)(void *, curl_off_t, int)) {
  return SETOPT(handle, CURLOPT_SEEKFUNCTION, value);
}

CURLMcode curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return MULTI_SETOPT(multi, option, value);
}
