#pragma once

#include <stddef.h>

/// A file of the web client, as it was when the program was built.
typedef struct {
  const char *path;
  const char *contentType;
  const unsigned char *bytes;
  size_t size;
} HubClientFile;

/// The file at `index`, which is less than the count.
const HubClientFile *hubClientFile(size_t index);
extern const size_t hubClientFileCount;
