# find_package(phasor) for other programs: headers, static libraries and targets, by
#   cmake --install build/release --prefix PREFIX --component development
# examples/ has a program that uses them.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/phasor)
set(targets phasor_flags phasor_library)
foreach(layer IN LISTS PHASOR_LAYERS)
  list(APPEND targets phasor_${layer})
endforeach()
set_target_properties(phasor_library PROPERTIES EXPORT_NAME phasor)
install(TARGETS ${targets} EXPORT phasor_targets
  ARCHIVE DESTINATION ${PHASOR_LIBRARY_FOLDER} COMPONENT development)
install(EXPORT phasor_targets NAMESPACE phasor:: DESTINATION ${package_folder} COMPONENT development)
# Kernels are nobody's interface.
install(DIRECTORY src/phasor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "engine/cpu" EXCLUDE PATTERN "engine/cuda" EXCLUDE)
configure_package_config_file(cmake/phasor-config.cmake.in ${CMAKE_BINARY_DIR}/phasor-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/phasor-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/phasor-config.cmake ${CMAKE_BINARY_DIR}/phasor-config-version.cmake
  DESTINATION ${package_folder} COMPONENT development)
