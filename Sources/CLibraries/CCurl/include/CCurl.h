// libcurl, and those of its functions that Swift cannot call: variadic ones, wrapped once per argument type.
//
// On Linux the library is loaded on the first call of one of its functions; it brings about thirty others with it.
#ifndef C_CURL_H
#define C_CURL_H
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/// Loads libcurl; call it first. Returns null on success, otherwise the reason as a sentence.
const char *curl_load(void);

CURLcode curl_set_number(CURL *handle, CURLoption option, long value);
CURLcode curl_set_size(CURL *handle, CURLoption option, curl_off_t value);

/// libcurl copies the text.
CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value);

/// The caller owns the list and must keep it alive as long as the transfer.
CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value);

/// Sets a callback that receives bytes: reading, writing, headers.
CURLcode curl_set_bytes_function(CURL *handle, CURLoption option, size_t (*value)(char *, size_t, size_t, void *));
CURLcode curl_set_seek_function(CURL *handle, int (*value)(void *, curl_off_t, int));
CURLMcode curl_multi_set_number(CURLM *multi, CURLMoption option, long value);

/// Returns true if the message reports the end of a transfer, with its handle and result.
static inline int curl_message_is_end(CURLMsg *message, CURL **handle, CURLcode *outcome) {
  if (message->msg != CURLMSG_DONE) return 0;
  *handle = message->easy_handle;
  *outcome = message->data.result;
  return 1;
}

#endif
