#include "phasor/report/gzip.h"

#include "phasor/base/error.h"

#ifdef PHASOR_HAVE_ZLIB
#include <zlib.h>
#endif

namespace phasor {

#ifdef PHASOR_HAVE_ZLIB

bool has_gzip() { return true; }

std::string gzip(std::string_view bytes) {
  constexpr int kGzip = 16;  // added to the window's bits: gzip's header, not zlib's
  constexpr int kMemory = 9;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    fail("zlib cannot start: {}", stream.msg == nullptr ? "out of memory" : stream.msg);
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int end = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) fail("zlib cannot compress {} bytes", bytes.size());
  return packed;
}

#else

bool has_gzip() { return false; }

std::string gzip(std::string_view bytes) {
  fail("Phasor was built without zlib: {} bytes stay as they are", bytes.size());
}

#endif

}  // namespace phasor
