#include "phasor/figure/deflate.h"

#include "phasor/base/error.h"

#ifdef PHASOR_HAVE_ZLIB
#include <zlib.h>
#endif

namespace phasor::figure {

#ifdef PHASOR_HAVE_ZLIB

bool has_deflate() { return true; }

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int end = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                            reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  if (end != Z_OK) fail("zlib cannot compress {} bytes", bytes.size());
  packed.resize(size);
  return packed;
}

#else

bool has_deflate() { return false; }

std::string deflated(std::string_view bytes) {
  fail("Phasor was built without zlib: {} bytes stay as they are", bytes.size());
}

#endif

}  // namespace phasor::figure
