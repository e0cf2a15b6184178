// expat, which reads an XML document while it arrives.
#include <expat.h>
