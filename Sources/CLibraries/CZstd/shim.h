// Zstandard, a fast compression (RFC 8878).
#include <zstd.h>
