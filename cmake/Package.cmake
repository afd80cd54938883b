# What `cmake --install` puts where, and the Debian package that cpack makes of it (scripts/package.sh).
set_target_properties(phasor PROPERTIES INSTALL_RPATH ${CMAKE_INSTALL_FULL_LIBDIR}/phasor)
install(TARGETS phasor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(PHASOR_DEBIAN_RELEASE "1" CACHE STRING "What follows the version in the package's name, e.g. 1~deb12")

# The man page and the completions are the program's own output.
if(PHASOR_LEVELS AND NOT CMAKE_CROSSCOMPILING)
  set(share ${CMAKE_BINARY_DIR}/share)
  set(documents ${share}/phasor.1.gz ${share}/phasor.bash ${share}/_phasor ${share}/phasor.fish
    ${share}/changelog.Debian.gz ${share}/copyright)
  add_custom_command(OUTPUT ${documents}
    COMMAND ${CMAKE_SOURCE_DIR}/packaging/documents.sh $<TARGET_FILE:phasor> ${share} ${PROJECT_VERSION}-${PHASOR_DEBIAN_RELEASE}
    DEPENDS phasor ${CMAKE_SOURCE_DIR}/packaging/documents.sh ${CMAKE_SOURCE_DIR}/packaging/copyright
    COMMENT "Writing the man page and completions" VERBATIM)
  add_custom_target(phasor_documents ALL DEPENDS ${documents})
  install(FILES ${share}/phasor.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${share}/phasor.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME phasor)
  install(FILES ${share}/_phasor DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${share}/phasor.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${share}/changelog.Debian.gz ${share}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/phasor)
  file(GLOB guides ${CMAKE_SOURCE_DIR}/docs/*.md)
  install(FILES ${guides} ${CMAKE_SOURCE_DIR}/examples/study.json DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/phasor)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME phasor)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${PHASOR_DEBIAN_RELEASE})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Phasor authors <phasor@example.org>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "laboratory for positional encodings in Transformers")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Phasor trains small Transformers with a positional encoding that you name
or invent, takes their attention logits apart into content and position,
measures spectra, ablates heads to find where position lives, and reports
with statistics over seeds. It reproduces the experiments of arXiv 2505.13027.")
include(CPack)
