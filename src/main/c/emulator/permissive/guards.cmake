# The permissive build (COMCH4J_PERMISSIVE): guards.py makes a function in front of each that unchecked.tsv knows. The
# device's own is compiled under another name, strict_…; its sources know nothing of this. Needs Python. 3.0 and 2.5.

if(NOT COMCH4J_PERMISSIVE)
  function(emu_guards)
  endfunction()
  function(emu_guarded pair out)
    set(${out} "${pair}" PARENT_SCOPE)
  endfunction()
  return()
endif()

find_program(PYTHON3 python3 REQUIRED)
set(EMU_PERMISSIVE ${CMAKE_CURRENT_LIST_DIR})
set(EMU_ABI ${COMCH4J_ROOT}/src/test/abi)
set(EMU_GUARDED ${CMAKE_CURRENT_BINARY_DIR}/guards)
file(MAKE_DIRECTORY ${EMU_GUARDED})

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${EMU_PERMISSIVE}/unchecked.tsv ${EMU_PERMISSIVE}/guards.py)

# emu_write_guards(TARGET HEADERS regex TABLES … INCLUDES … [ONLY table]): for what is declared in these headers.
function(emu_write_guards target)
  cmake_parse_arguments(ARG "" "HEADERS;ONLY" "TABLES;INCLUDES" ${ARGN})
  set(arguments ${EMU_GUARDED}/of_${target} --headers ${ARG_HEADERS} --rules ${EMU_PERMISSIVE}/unchecked.tsv)
  foreach(table ${ARG_TABLES})
    list(APPEND arguments --table ${EMU_ABI}/${table})
  endforeach()
  foreach(header guard.h ${ARG_INCLUDES})
    list(APPEND arguments --include ${header})
  endforeach()
  if(ARG_ONLY)
    list(APPEND arguments --only ${EMU_ABI}/${ARG_ONLY})
  endif()
  execute_process(COMMAND ${PYTHON3} ${EMU_PERMISSIVE}/guards.py ${arguments} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "guards.py: ended with ${status}")
  endif()
endfunction()

set(core HEADERS "doca_(?!comch|cc|comm_channel|dpa).*" TABLES doca-3.0.tsv doca-3.0-dpa-host.tsv
  INCLUDES doca_buf_inventory.h doca_buf_pool.h doca_buf_array.h doca_sync_event.h)
emu_write_guards(doca_common ${core})
emu_write_guards(doca_common_2_5 ${core} ONLY doca-2.5.tsv)
emu_write_guards(doca_comch HEADERS "doca_comch.*" TABLES doca-3.0.tsv
  INCLUDES doca_comch.h doca_comch_consumer.h doca_comch_msgq.h doca_comch_producer.h)
emu_write_guards(doca_cc HEADERS "doca_cc.*" TABLES doca-2.5.tsv INCLUDES cc/cc.h)
emu_write_guards(doca_comm_channel HEADERS doca_comm_channel.h TABLES doca-2.5.tsv INCLUDES doca_comm_channel.h)
emu_write_guards(doca_dpa HEADERS doca_dpa.h TABLES doca-3.0.tsv INCLUDES doca_dpa.h)

# emu_guards(TARGET [WITH target]): puts the guards into a library. WITH is one whose functions its sources call.
function(emu_guards target)
  cmake_parse_arguments(ARG "" "WITH" "" ${ARGN})
  foreach(name ${target} ${ARG_WITH})
    target_compile_options(${target} PRIVATE "SHELL:-include ${EMU_GUARDED}/of_${name}.h")
  endforeach()
  add_library(${target}_guards OBJECT ${EMU_GUARDED}/of_${target}.c)
  set_target_properties(${target}_guards PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target}_guards PRIVATE
    ${EMU_PERMISSIVE} $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES> ${COMCH4J_ROOT}/headers/2.5)
  target_link_libraries(${target}_guards PRIVATE comch4j_flags)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_guards>)
endfunction()

# Two names of one function, that of an older release and the newer one, as the symbols that have guards.
function(emu_guarded pair out)
  file(GLOB lists ${EMU_GUARDED}/*.txt)
  set(guarded "")
  foreach(list ${lists})
    file(STRINGS ${list} names)
    list(APPEND guarded ${names})
  endforeach()
  string(REPLACE " " ";" names "${pair}")
  set(symbols "")
  foreach(name ${names})
    if(name IN_LIST guarded)
      list(APPEND symbols strict_${name})
    else()
      list(APPEND symbols ${name})
    endif()
  endforeach()
  list(JOIN symbols " " symbols)
  set(${out} "${symbols}" PARENT_SCOPE)
endfunction()
