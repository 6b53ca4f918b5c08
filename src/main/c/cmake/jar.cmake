# Builds the native libraries and puts them where Maven packs them into the jar,
# target/classes/native/linux-<processor>/: those of this machine, built in target/native, and with -DCROSS=aarch64
# those of the DPU's Arm cores as well, built in target/native-aarch64. With -DPERMISSIVE=ON the device that is packed
# is one that checks as little as a real one, built in target/native-permissive.
#
# For the tool, the SDK folders of all releases, and what of them is another on a DPU, are packed into
# target/tool/sdk/linux-<processor>.tar.
#
#   cmake [-DCROSS=aarch64] [-DPERMISSIVE=ON] -P src/main/c/cmake/jar.cmake
cmake_minimum_required(VERSION 3.18)
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
get_filename_component(target ${source}/../../../target ABSOLUTE)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ended with ${status}")
  endif()
endfunction()

function(pack processor build)
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -DCMAKE_BUILD_TYPE=Release ${ARGN})
  run(${CMAKE_COMMAND} --build ${build} --parallel ${cores}) # without a number, make starts all at once
  file(GLOB libraries ${build}/lib/*.so)
  list(FILTER libraries EXCLUDE REGEX "libdoca_argp") # for C programs only
  file(REMOVE_RECURSE ${target}/classes/native/linux-${processor})
  file(COPY ${libraries} DESTINATION ${target}/classes/native/linux-${processor})
endfunction()

function(pack_sdk processor build)
  set(folders 1.2 2.5 2.6 3.0 dpu)
  file(REMOVE_RECURSE ${build}/sdk)
  foreach(folder ${folders})
    run(${CMAKE_COMMAND} --install ${build} --prefix ${build}/sdk/${folder} --component sdk-${folder} OUTPUT_QUIET)
  endforeach()
  file(MAKE_DIRECTORY ${target}/tool/sdk)
  # The same, byte for byte, whoever builds it, and when.
  run(tar --create --file ${target}/tool/sdk/linux-${processor}.tar --directory ${build}/sdk --sort name
    --mtime 2025-01-01T00:00:00Z --owner 0 --group 0 --numeric-owner --mode u=rwX,go=rX ${folders})
endfunction()

cmake_host_system_information(RESULT host QUERY OS_PLATFORM)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
pack(${host} ${target}/native -DCOMCH4J_RELEASES=ON)
pack_sdk(${host} ${target}/native)
if(PERMISSIVE)
  pack(${host} ${target}/native-permissive -DCOMCH4J_PERMISSIVE=ON)
endif()
foreach(processor ${CROSS})
  if(NOT processor STREQUAL host)
    pack(${processor} ${target}/native-${processor} -DCMAKE_TOOLCHAIN_FILE=${source}/cmake/${processor}-linux-gnu.cmake)
    pack_sdk(${processor} ${target}/native-${processor})
  endif()
endforeach()
