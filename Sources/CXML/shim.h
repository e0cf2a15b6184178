// The part of libxml2 that reads a document while it arrives.
#include <libxml/xmlversion.h>
// Debian's libxml2 knows ICU, whose types differ from those of the ICU that Swift's Foundation brings; we need neither.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

/// `XML_SAX2_MAGIC`, a macro that Swift does not see as an unsigned number.
static inline unsigned int xml_sax2_mark(void) { return XML_SAX2_MAGIC; }
