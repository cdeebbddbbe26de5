# pe_batches(TARGET): with PE_BATCHES the target's files compile several at a time (scripts/batches.py), which spares most of what each
# would compile again; those with flags of their own stay apart.
function(pe_batches target)
  if(NOT PE_BATCHES OR NOT PE_PYTHON)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(apart "")
  set(together "")
  foreach(source IN LISTS sources)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(options OR alone OR NOT source MATCHES "\\.cpp$")
      list(APPEND apart ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  execute_process(COMMAND ${PE_PYTHON} -B ${PROJECT_SOURCE_DIR}/scripts/batches.py --include ${PROJECT_SOURCE_DIR}/lib
                          --include ${PROJECT_SOURCE_DIR}/cmd --include ${PROJECT_SOURCE_DIR}/tests
                          --out ${CMAKE_CURRENT_BINARY_DIR}/batches/${target} ${together}
                  OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" batches "${batches}")
  set_target_properties(${target} PROPERTIES SOURCES "${batches};${apart}")
endfunction()
