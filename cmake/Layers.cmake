include(${CMAKE_CURRENT_LIST_DIR}/Batches.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/Embed.cmake)

# Layers in which nothing computes for long; the others are optimised as far as the compiler can.
set(PHASOR_LIGHT_LAYERS base checkpoint encoding run train bench study paper report)

# phasor_layer_sources(<variable> <layer>): what is compiled for a layer, the same in every kind of library.
function(phasor_layer_sources variable layer)
  set(folder ${CMAKE_SOURCE_DIR}/src/phasor/${layer})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(layer STREQUAL "engine")
    # Kernels are compiled alone: batches would save little there, and what the compiler makes of one must not depend on
    # its neighbours.
    set(batched ${sources})
    if(NOT PHASOR_HAVE_ONEDNN)
      list(FILTER batched EXCLUDE REGEX "gemm_onednn\\.cpp$")
    endif()
  elseif(sources)
    phasor_batches(batched ${layer} ${CMAKE_SOURCE_DIR}/src ${sources})
  endif()
  if(layer IN_LIST PHASOR_LIGHT_LAYERS)
    set_source_files_properties(${batched} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")
  endif()
  set(${variable} ${batched} PARENT_SCOPE)
endfunction()

# version.cpp, which says what a build was made from.
set(PHASOR_VERSION_FILE ${CMAKE_BINARY_DIR}/version.cpp)
add_custom_target(phasor_version BYPRODUCTS ${PHASOR_VERSION_FILE}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${PHASOR_VERSION_FILE} -DVERSION=${PROJECT_VERSION}
    -P ${CMAKE_SOURCE_DIR}/cmake/write_version.cmake
  COMMENT "Looking up the commit" VERBATIM)

# phasor_layer_needs(<target> <layer>): libraries and definitions of the machine that a layer is compiled with.
function(phasor_layer_needs target layer)
  if(layer STREQUAL "base")
    target_sources(${target} PRIVATE ${PHASOR_VERSION_FILE})
    add_dependencies(${target} phasor_version)
    target_link_libraries(${target} PUBLIC fmt::fmt nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX)
  endif()
  if(layer STREQUAL "engine")
    target_compile_definitions(${target} PRIVATE PHASOR_HAVE_OPENBLAS)
    if(PHASOR_HAVE_ONEDNN)
      target_compile_definitions(${target} PRIVATE PHASOR_HAVE_ONEDNN)
      target_include_directories(${target} SYSTEM PRIVATE ${PHASOR_ONEDNN_INCLUDE})
      target_link_libraries(${target} PRIVATE ${PHASOR_ONEDNN_LIBRARY})
    endif()
  endif()
  if(layer MATCHES "^(engine|linalg)$")
    target_include_directories(${target} SYSTEM PRIVATE ${PHASOR_OPENBLAS_INCLUDE})
    target_link_libraries(${target} PRIVATE ${PHASOR_OPENBLAS_LIBRARY})
  endif()
  if(layer STREQUAL "paper")
    phasor_embed(${target} ${CMAKE_SOURCE_DIR}/src/phasor/paper/data/claims.json phasor::paper::embedded_claims)
    phasor_embed(${target} ${CMAKE_SOURCE_DIR}/src/phasor/paper/data/published.json phasor::paper::embedded_published)
  endif()
  if(layer STREQUAL "report")
    if(ZLIB_FOUND)
      target_compile_definitions(${target} PRIVATE PHASOR_HAVE_ZLIB ZLIB_CONST)  # its input is const
      target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
    endif()
    phasor_embed(${target} ${PHASOR_PAGE} phasor::embedded_page)
  endif()
endfunction()

# Makes phasor_library, which everything else links: one static library phasor_<layer> per line of the layer table, with
# what it may include; or, with PHASOR_LEVELS, the layers together as a shared library.
function(phasor_add_layers table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} lines REGEX "^[a-z]+:")
  add_library(phasor_library INTERFACE)
  set(layers)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^[a-z]+" layer ${line})
    string(REGEX REPLACE "^[a-z]+: *" "" below "${line}")
    separate_arguments(below)
    list(APPEND layers ${layer})
    if(NOT PHASOR_LEVELS)
      phasor_layer_sources(sources ${layer})
      file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/phasor/${layer}/*.h)
      add_library(phasor_${layer} STATIC ${sources} ${headers})
      set_target_properties(phasor_${layer} PROPERTIES LINKER_LANGUAGE CXX)
      target_link_libraries(phasor_${layer} PUBLIC phasor_flags)
      list(TRANSFORM below PREPEND phasor_)
      target_link_libraries(phasor_${layer} PUBLIC ${below})
      phasor_arch(phasor_${layer} "${PHASOR_ARCH}")
      phasor_layer_needs(phasor_${layer} ${layer})
      target_link_libraries(phasor_library INTERFACE phasor_${layer})
    endif()
  endforeach()
  set(PHASOR_LAYERS ${layers} PARENT_SCOPE)
  if(PHASOR_LEVELS)
    include(${CMAKE_SOURCE_DIR}/cmake/Levels.cmake)
    phasor_add_levels(${layers})
  endif()

  add_custom_target(check_layers ALL
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_layers.sh ${CMAKE_SOURCE_DIR}
    COMMENT "Checking that no include points upwards" VERBATIM)
endfunction()
