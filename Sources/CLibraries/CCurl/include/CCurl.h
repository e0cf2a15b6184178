// libcurl, and what of it Swift cannot call: functions with variable arguments, one for each type of argument.
//
// On Linux the library is loaded when the first of its functions is called; it brings some thirty others with it.
#ifndef C_CURL_H
#define C_CURL_H
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/// Loads libcurl. Null when that went well, else the reason as a sentence. To be called before anything else.
const char *curl_load(void);

CURLcode curl_set_number(CURL *handle, CURLoption option, long value);
CURLcode curl_set_size(CURL *handle, CURLoption option, curl_off_t value);

/// libcurl copies the text.
CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value);

/// The list stays the caller's and has to live as long as the transfer.
CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value);

/// For the options whose function is handed bytes: reading, writing, headers.
CURLcode curl_set_bytes_function(CURL *handle, CURLoption option, size_t (*value)(char *, size_t, size_t, void *));
CURLcode curl_set_seek_function(CURL *handle, int (*value)(void *, curl_off_t, int));
CURLMcode curl_multi_set_number(CURLM *multi, CURLMoption option, long value);

/// The handle and the outcome of a message that says that a transfer has ended; false for any other message.
static inline int curl_message_is_end(CURLMsg *message, CURL **handle, CURLcode *outcome) {
  if (message->msg != CURLMSG_DONE) return 0;
  *handle = message->easy_handle;
  *outcome = message->data.result;
  return 1;
}

#endif
