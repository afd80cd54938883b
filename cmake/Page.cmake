# PHASOR_PAGE: the report's page, one HTML file that web/ is built into by npm. Without npm, or where its packages cannot
# be installed, it is an empty file: everything else works, and 'phasor report' says how to get the page.
set(PHASOR_PAGE ${CMAKE_BINARY_DIR}/web/page.html)
set(page_reason "PHASOR_WEB is off")
set(page_works FALSE)
if(PHASOR_WEB)
  find_program(PHASOR_NPM npm)
  find_program(PHASOR_NODE NAMES node nodejs)
  set(page_reason "npm was not found")
  if(PHASOR_NPM AND PHASOR_NODE)
    set(page_works TRUE)
    # npm leaves this file behind when it is through.
    set(installed ${CMAKE_SOURCE_DIR}/web/node_modules/.package-lock.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/package-lock.json)
    if(NOT EXISTS ${installed} OR ${CMAKE_SOURCE_DIR}/web/package-lock.json IS_NEWER_THAN ${installed})
      message(STATUS "Installing the npm packages of web/")
      execute_process(COMMAND ${PHASOR_NPM} ci --no-audit --no-fund WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/web
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE npm_error)
      if(failed)
        set(page_works FALSE)
        set(page_reason "npm cannot install what web/ needs")
        message(WARNING "${page_reason}: ${npm_error}")
      else()
        file(TOUCH ${installed})
      endif()
    endif()
  endif()
endif()

if(page_works)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
  add_custom_command(OUTPUT ${PHASOR_PAGE}
    COMMAND ${PHASOR_NODE} build.mjs --out ${PHASOR_PAGE}
    DEPENDS ${page_sources} ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/package-lock.json
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/web COMMENT "Building the report's page" VERBATIM)
else()
  message(STATUS "Reports have no HTML page: ${page_reason}")
  file(WRITE ${PHASOR_PAGE} "")
endif()
