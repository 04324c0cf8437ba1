# Runs packages/vcpkg's portfile with functions in place of vcpkg's, each as its documentation has it:
#     cmake -DPORT_DIR=... -DOUT=... -DFEATURES=core;compute -P packages_vcpkg.cmake
cmake_minimum_required(VERSION 3.15)
set(PORT mpx)
set(CURRENT_PORT_DIR "${PORT_DIR}")
set(CURRENT_PACKAGES_DIR "${OUT}/installed")

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

# Neither is optimised here, to be quick.
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
    foreach(kind Release Debug)
        set(prefix "${CURRENT_PACKAGES_DIR}")
        if(kind STREQUAL Debug)
            string(APPEND prefix /debug)
        endif()
        must(${CMAKE_COMMAND} -S "${arg_SOURCE_PATH}" -B "${OUT}/${kind}" -DCMAKE_BUILD_TYPE=${kind}
             -DCMAKE_C_FLAGS_RELEASE=-O0 "-DCMAKE_INSTALL_PREFIX=${prefix}" -DCMAKE_INSTALL_LIBDIR:STRING=lib
             -DBUILD_SHARED_LIBS=OFF ${arg_OPTIONS})
    endforeach()
endfunction()

function(vcpkg_cmake_install)
    must(${CMAKE_COMMAND} --build "${OUT}/Release" --target install)
    must(${CMAKE_COMMAND} --build "${OUT}/Debug" --target install)
endfunction()

# The files of CONFIG_PATH, lib/cmake/mpx, go to share/mpx, which is one folder less deep, with the debug library's.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
    set(share "${CURRENT_PACKAGES_DIR}/share/${PORT}")
    set(debug "${CURRENT_PACKAGES_DIR}/debug")
    set(up "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
    file(GLOB configs "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*")
    file(COPY ${configs} DESTINATION "${share}")
    file(READ "${share}/mpxConfig.cmake" text)
    string(REPLACE "${up}${up}${up}" "${up}${up}" text "${text}")
    file(WRITE "${share}/mpxConfig.cmake" "${text}")
    file(READ "${debug}/${arg_CONFIG_PATH}/mpxConfig-debug.cmake" text)
    string(REPLACE "/lib/" "/debug/lib/" text "${text}")
    file(WRITE "${share}/mpxConfig-debug.cmake" "${text}")
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake" "${debug}/lib/cmake")
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
    configure_file("${arg_FILE_LIST}" "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright" COPYONLY)
endfunction()

include("${PORT_DIR}/portfile.cmake")
