// libcurl, and what of it Swift cannot call: functions with variable arguments, one for each type of argument.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

/// libcurl copies the text.
static inline CURLcode curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

/// The list stays the caller's and has to live as long as the transfer.
static inline CURLcode curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

/// For the options whose function is handed bytes: reading, writing, headers.
static inline CURLcode curl_set_bytes_function(
    CURL *handle, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_seek_function(CURL *handle, int (*value)(void *, curl_off_t, int)) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLMcode curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// The handle and the outcome of a message that says that a transfer has ended; false for any other message.
static inline int curl_message_is_end(CURLMsg *message, CURL **handle, CURLcode *outcome) {
  if (message->msg != CURLMSG_DONE) return 0;
  *handle = message->easy_handle;
  *outcome = message->data.result;
  return 1;
}
