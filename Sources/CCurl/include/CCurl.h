// What Swift cannot import of libcurl: curl_easy_setopt and curl_easy_getinfo, which are variadic.
#pragma once
#include <curl/curl.h>

CURLcode nearend_curl_set_long(CURL *curl, CURLoption option, long value);
CURLcode nearend_curl_set_pointer(CURL *curl, CURLoption option, const void *value);
/// The common signature of CURLOPT_READFUNCTION and CURLOPT_WRITEFUNCTION; returns the bytes provided or accepted.
typedef size_t (*nearend_curl_transfer)(char *buffer, size_t size, size_t count, void *context);
CURLcode nearend_curl_set_transfer(CURL *curl, CURLoption option, nearend_curl_transfer transfer);
/// The answer's HTTP status; 0 until there is one.
long nearend_curl_status(CURL *curl);
/// The connection's socket; -1 without one.
int nearend_curl_socket(CURL *curl);
