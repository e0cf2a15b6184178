// expat, an incremental XML parser.
#include <expat.h>
