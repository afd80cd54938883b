# phasor_embed(<target> <file> <function>) makes the bytes of a file part of a target. The function, named with its
# namespaces and declared by the caller as
#
#   namespace a::b { std::string_view name(); }
#
# returns them. The file is read again whenever it changes.
#
# The same file, run as a script, writes the source: an array of bytes, which no compiler limits as it does string
# literals.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} bytes HEX)
  string(REGEX REPLACE "(................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "::[^:]*$" "" namespace "${FUNCTION}")
  string(REGEX REPLACE "^.*::" "" name "${FUNCTION}")
  file(WRITE ${OUTPUT} "#include <string_view>

namespace ${namespace} {
namespace {

// The last byte is not part of the file.
const unsigned char bytes[] = {
${bytes}0};

}  // namespace

std::string_view ${name}();
std::string_view ${name}() { return {reinterpret_cast<const char*>(bytes), sizeof(bytes) - 1}; }

}  // namespace ${namespace}
")
  return()
endif()

set(PHASOR_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(phasor_embed target file function)
  string(REPLACE "::" "_" source ${function})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded/${source}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${source} -DFUNCTION=${function} -P ${PHASOR_EMBED_SCRIPT}
    DEPENDS ${file} ${PHASOR_EMBED_SCRIPT}
    COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
