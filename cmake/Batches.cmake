# phasor_batches(<variable> <name> <base> <source>...) sets the variable to what is compiled instead of the sources: files
# that include PHASOR_BATCH of them each. Most of a small file's compile time goes into the headers it includes; a batch
# reads them once. Names of local things must differ within a layer, and the compiler says where they do not.
#
# Sources are included by their names below <base>, which must be an include path, so that the text of a batch is the same
# in every clone and a compiler cache knows it again. PHASOR_BATCH=1 compiles every source alone, as clang-tidy wants it.
set(PHASOR_BATCH "12" CACHE STRING "Sources that are compiled together; 1: each alone")

function(phasor_batches variable name base)
  if(PHASOR_BATCH LESS_EQUAL 1)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  # Batches of nearly equal size, none of them empty.
  list(LENGTH ARGN count)
  math(EXPR batches "(${count} + ${PHASOR_BATCH} - 1) / ${PHASOR_BATCH}")
  set(made)
  set(taken 0)
  foreach(batch RANGE 1 ${batches})
    math(EXPR last "${count} * ${batch} / ${batches}")
    math(EXPR size "${last} - ${taken}")
    list(SUBLIST ARGN ${taken} ${size} members)
    set(taken ${last})
    set(text "// Generated: compiles these together.\n")
    foreach(member IN LISTS members)
      file(RELATIVE_PATH member ${base} ${member})
      string(APPEND text "#include \"${member}\"  // NOLINT\n")
    endforeach()
    set(file ${CMAKE_BINARY_DIR}/batches/${name}_${batch}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND made ${file})
  endforeach()
  set(${variable} ${made} PARENT_SCOPE)
endfunction()
