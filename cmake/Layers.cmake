include(${CMAKE_CURRENT_LIST_DIR}/Embed.cmake)

# Makes one library phasor_<layer> per line of the layer table; its sources are the layer's folder.
function(phasor_add_layers table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} lines REGEX "^[a-z]+:")
  set(all)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^[a-z]+" layer ${line})
    string(REGEX REPLACE "^[a-z]+: *" "" below "${line}")
    separate_arguments(below)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/phasor/${layer}/*.cpp)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/phasor/${layer}/*.h)
    add_library(phasor_${layer} STATIC ${sources} ${headers})
    set_target_properties(phasor_${layer} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(phasor_${layer} PUBLIC phasor_flags fmt::fmt)
    foreach(dependency IN LISTS below)
      target_link_libraries(phasor_${layer} PUBLIC phasor_${dependency})
    endforeach()
    list(APPEND all phasor_${layer})
  endforeach()

  target_link_libraries(phasor_base PUBLIC nlohmann_json::nlohmann_json)

  # The CPU backend.
  file(GLOB cpu_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/phasor/engine/cpu/*.cpp)
  list(FILTER cpu_sources EXCLUDE REGEX "gemm_(onednn|openblas)\\.cpp$")
  target_sources(phasor_engine PRIVATE ${cpu_sources})
  target_link_libraries(phasor_engine PUBLIC OpenMP::OpenMP_CXX)
  if(PHASOR_HAVE_ONEDNN)
    target_sources(phasor_engine PRIVATE ${CMAKE_SOURCE_DIR}/src/phasor/engine/cpu/gemm_onednn.cpp)
    target_compile_definitions(phasor_engine PRIVATE PHASOR_HAVE_ONEDNN)
    target_include_directories(phasor_engine SYSTEM PRIVATE ${PHASOR_ONEDNN_INCLUDE})
    target_link_libraries(phasor_engine PRIVATE ${PHASOR_ONEDNN_LIBRARY})
  endif()
  target_sources(phasor_engine PRIVATE ${CMAKE_SOURCE_DIR}/src/phasor/engine/cpu/gemm_openblas.cpp)
  target_compile_definitions(phasor_engine PRIVATE PHASOR_HAVE_OPENBLAS)
  foreach(layer engine spectrum)
    target_include_directories(phasor_${layer} SYSTEM PRIVATE ${PHASOR_OPENBLAS_INCLUDE})
    target_link_libraries(phasor_${layer} PRIVATE ${PHASOR_OPENBLAS_LIBRARY})
  endforeach()

  phasor_embed(phasor_paper ${CMAKE_SOURCE_DIR}/src/phasor/paper/data/claims.json phasor::paper::embedded_claims)
  phasor_embed(phasor_paper ${CMAKE_SOURCE_DIR}/src/phasor/paper/data/published.json
    phasor::paper::embedded_published)

  if(ZLIB_FOUND)
    target_compile_definitions(phasor_report PRIVATE PHASOR_HAVE_ZLIB ZLIB_CONST)  # its input is const
    target_link_libraries(phasor_report PRIVATE ZLIB::ZLIB)
  endif()
  phasor_embed(phasor_report ${PHASOR_PAGE} phasor::embedded_page)

  add_library(phasor_library INTERFACE)
  target_link_libraries(phasor_library INTERFACE ${all})
  add_custom_target(check_layers ALL
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_layers.sh ${CMAKE_SOURCE_DIR}
    COMMENT "Checking that no include points upwards" VERBATIM)
endfunction()
