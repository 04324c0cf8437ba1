# Runs packages/vcpkg's portfile with functions in place of vcpkg's, each as its documentation has it:
#     cmake -DPORT_DIR=... -DOUT=... -DFEATURES=core;compute -P packages_vcpkg.cmake
cmake_minimum_required(VERSION 3.15)
set(PORT mpx)
set(CURRENT_PORT_DIR "${PORT_DIR}")
set(CURRENT_PACKAGES_DIR "${OUT}/installed")
set(kinds "release::" "debug:/debug:")

function(must)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "${ARGN}: ${code}")
    endif()
endfunction()

function(vcpkg_check_linkage)
endfunction()

# FEATURES feature option ...: -Doption=ON or OFF for each, into the variable that OUT_FEATURE_OPTIONS names.
function(vcpkg_check_features)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
    set(options)
    while(arg_FEATURES)
        list(GET arg_FEATURES 0 feature)
        list(GET arg_FEATURES 1 option)
        list(REMOVE_AT arg_FEATURES 0 1)
        if(feature IN_LIST FEATURES)
            list(APPEND options "-D${option}=ON")
        else()
            list(APPEND options "-D${option}=OFF")
        endif()
    endwhile()
    set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

# Both are compiled as Debug here, which is quicker.
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    foreach(kind ${kinds})
        string(REPLACE ":" ";" kind "${kind}")
        list(GET kind 0 name)
        list(GET kind 1 folder)
        must(${CMAKE_COMMAND} -S "${arg_SOURCE_PATH}" -B "${OUT}/${name}" -DCMAKE_BUILD_TYPE=Debug ${arg_OPTIONS}
             -DBUILD_SHARED_LIBS=OFF "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}${folder}" -DCMAKE_INSTALL_LIBDIR:STRING=lib)
    endforeach()
endfunction()

function(vcpkg_cmake_install)
    must(${CMAKE_COMMAND} --build "${OUT}/release" --target install)
    must(${CMAKE_COMMAND} --build "${OUT}/debug" --target install)
endfunction()

# The configs go to share/mpx: that of the library for debugging beside the other, and the prefix is where share is.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
    set(share "${CURRENT_PACKAGES_DIR}/share/${PORT}")
    file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
    file(RENAME "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}" "${share}")
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake" "${CURRENT_PACKAGES_DIR}/debug/lib/cmake")
    file(GLOB configs "${share}/*.cmake")
    foreach(config ${configs})
        file(READ "${config}" text)
        string(REGEX REPLACE "get_filename_component\\(_IMPORT_PREFIX \"\\\${CMAKE_CURRENT_LIST_FILE}\" PATH\\)(\nget_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\))*"
               "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)" text "${text}")
        file(WRITE "${config}" "${text}")
    endforeach()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
    configure_file("${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" COPYONLY)
endfunction()

include("${PORT_DIR}/portfile.cmake")
