# kvscope: the WebAssembly module. The options name the variant, and so the files:
#   kvscope-simd.mjs, kvscope-relaxed.mjs, kvscope-relaxed-threads.mjs, each with its .wasm.
set(variant simd)
if(KVSCOPE_RELAXED)
  set(variant relaxed)
endif()
if(KVSCOPE_THREADS)
  string(APPEND variant -threads)
endif()

file(GLOB binding_sources CONFIGURE_DEPENDS engine/bindings/*.cpp)
if(NOT binding_sources)
  return()
endif()
if(EMSCRIPTEN_VERSION VERSION_LESS 4)
  # Embind's JavaScript; bindings/types.cpp stands in for its C++, which registers all types there are.
  set(js ${EMSCRIPTEN_ROOT_PATH}/src/embind)
  set(embind "SHELL:--js-library ${js}/embind.js" "SHELL:--js-library ${js}/emval.js")
else()
  list(FILTER binding_sources EXCLUDE REGEX "/types.cpp$")
  set(embind -lembind)
endif()
add_executable(kvscope ${binding_sources})
target_link_libraries(kvscope PRIVATE kvscope_engine kvscope_no_exceptions)
if(NOT KVSCOPE_DEBUG)
  # Called a few times a token, by one thread. (A target's own option would come before -O3.)
  set_source_files_properties(${binding_sources} PROPERTIES
                              COMPILE_OPTIONS "-Oz;-fno-threadsafe-statics")
endif()
# Embind without RTTI must not ask for the names of types that it was not told of.
target_compile_definitions(kvscope PRIVATE EMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0)
set(classes ${CMAKE_SOURCE_DIR}/engine/bindings/classes.js)
set_target_properties(kvscope PROPERTIES OUTPUT_NAME kvscope-${variant} SUFFIX .mjs
                                         LINK_DEPENDS ${classes})

target_link_options(kvscope PRIVATE
  ${embind} --post-js ${classes} -fno-exceptions -fno-rtti
  -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createKvscope
  -sENVIRONMENT=worker             # with node as well, the glue would import 'module' statically
  -sDYNAMIC_EXECUTION=0            # no new Function: a strict CSP is enough
  -sFILESYSTEM=0 -sSUPPORT_LONGJMP=0 -sTEXTDECODER=2
  # The oldest with SIMD128 (Safari 16.4): older browsers' work-arounds are left out of the glue.
  -sMIN_CHROME_VERSION=91 -sMIN_FIREFOX_VERSION=89 -sMIN_SAFARI_VERSION=160400
  # Memory grows in steps of 1 MiB, so that the peak is what is needed and not a fifth more.
  -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -sMEMORY_GROWTH_LINEAR_STEP=1MB
  -sINITIAL_MEMORY=2MB -sSTACK_SIZE=256KB
  -sMALLOC=emmalloc                # few, large blocks: the small allocator does as well as dlmalloc
  -sINCOMING_MODULE_JS_API=[instantiateWasm])

if(KVSCOPE_DEBUG)
  target_link_options(kvscope PRIVATE -O1 -g -gsource-map -sASSERTIONS=1)
else()
  # Of the linker's own optimiser: -O3 is no faster (prefill and decode, measured), 5 KB larger.
  # A second round finds another 0.5 KB.
  target_link_options(kvscope PRIVATE -Oz -sBINARYEN_EXTRA_PASSES=-Oz)
  if(KVSCOPE_CLOSURE)
    target_link_options(kvscope PRIVATE --closure 1)
  endif()
endif()
if(KVSCOPE_THREADS)
  # The page chooses: createKvscope({ pthreadPoolSize: threads - 1 }).
  target_link_options(kvscope PRIVATE "-sPTHREAD_POOL_SIZE=Module[\"pthreadPoolSize\"]"
                                      -sDEFAULT_PTHREAD_STACK_SIZE=128KB)
endif()
if(EMSCRIPTEN_VERSION VERSION_GREATER_EQUAL 4 AND NOT KVSCOPE_RELAXED)
  target_link_options(kvscope PRIVATE -sEMBIND_AOT=1)
endif()
