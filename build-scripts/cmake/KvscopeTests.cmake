# kvscope_tests: the doctest executable, the same sources natively and as WebAssembly under Node.
add_executable(kvscope_tests ${test_sources})
# Compiled a third faster; the engine that they test keeps its own options.
set_source_files_properties(${test_sources} PROPERTIES COMPILE_OPTIONS -O1)
target_link_libraries(kvscope_tests PRIVATE kvscope_engine kvscope_doctest)
target_compile_definitions(kvscope_tests PRIVATE
  KVSCOPE_TESTS_DIR="${CMAKE_SOURCE_DIR}/tests"
  KVSCOPE_MODELS_DIR="${CMAKE_SOURCE_DIR}/.models"
  DOCTEST_CONFIG_COLORS_NONE)

if(EMSCRIPTEN)
  # .cjs: package.json says "type": "module", Emscripten's classic glue is not one.
  set_target_properties(kvscope_tests PROPERTIES SUFFIX .cjs)
  target_compile_options(kvscope_tests PRIVATE -fwasm-exceptions)
  target_link_options(kvscope_tests PRIVATE
    -O1 -fwasm-exceptions -sNODERAWFS -sENVIRONMENT=node -sEXIT_RUNTIME -sSTACK_SIZE=1MB
    -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB)
  if(KVSCOPE_THREADS)
    # Node starts workers only when the main thread is idle: have them ready before main().
    target_link_options(kvscope_tests PRIVATE -sENVIRONMENT=node,worker -sPTHREAD_POOL_SIZE=8)
  endif()
endif()

enable_testing()
if(EMSCRIPTEN)
  # Node 20 has relaxed SIMD behind a flag, later ones do not know the flag any more.
  set(node ${CMAKE_CROSSCOMPILING_EMULATOR})
  if(KVSCOPE_RELAXED)
    execute_process(COMMAND ${node} --v8-options OUTPUT_VARIABLE options ERROR_QUIET)
    if(options MATCHES "--experimental-wasm-relaxed-simd")
      list(APPEND node --experimental-wasm-relaxed-simd)
    endif()
  endif()
  add_test(NAME engine COMMAND ${node} $<TARGET_FILE:kvscope_tests>)
else()
  add_test(NAME engine COMMAND kvscope_tests)
endif()
