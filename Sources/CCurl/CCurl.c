#include "CCurl.h"

CURLcode nearend_curl_set_long(CURL *curl, CURLoption option, long value) { return curl_easy_setopt(curl, option, value); }

CURLcode nearend_curl_set_pointer(CURL *curl, CURLoption option, const void *value) {
  return curl_easy_setopt(curl, option, value);
}

CURLcode nearend_curl_set_transfer(CURL *curl, CURLoption option, nearend_curl_transfer transfer) {
  return curl_easy_setopt(curl, option, transfer);
}

long nearend_curl_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

int nearend_curl_socket(CURL *curl) {
  curl_socket_t descriptor = CURL_SOCKET_BAD;
  curl_easy_getinfo(curl, CURLINFO_ACTIVESOCKET, &descriptor);
  return descriptor;
}
