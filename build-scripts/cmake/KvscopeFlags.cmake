# Compiler flags: kvscope_flags for every file, kvscope_no_exceptions for engine code only
# (tests may throw: doctest's REQUIRE stops a test that way).
add_library(kvscope_flags INTERFACE)
add_library(kvscope_no_exceptions INTERFACE)

set(CMAKE_CXX_FLAGS_RELEASE "-DNDEBUG")
if(KVSCOPE_DEBUG)
  set(CMAKE_CXX_FLAGS_RELEASE "")
  target_compile_options(kvscope_flags INTERFACE -O1 -g)
  target_compile_definitions(kvscope_flags INTERFACE KVSCOPE_DEBUG=1)
else()
  target_compile_options(kvscope_flags INTERFACE -O3)
endif()

# Designated initialisers leave members at their defaults on purpose.
target_compile_options(kvscope_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
target_compile_options(kvscope_no_exceptions INTERFACE -fno-exceptions -fno-rtti)

if(EMSCRIPTEN)
  # All browsers with SIMD128 have these three; without the flags the compiler may not use them.
  target_compile_options(kvscope_flags INTERFACE -msimd128 -mbulk-memory -mnontrapping-fptoint
                                                 -msign-ext)
  if(KVSCOPE_RELAXED)
    target_compile_options(kvscope_flags INTERFACE -mrelaxed-simd)
    target_compile_definitions(kvscope_flags INTERFACE KVSCOPE_RELAXED=1)
  endif()
  if(KVSCOPE_THREADS)
    target_compile_options(kvscope_flags INTERFACE -pthread)
    target_link_options(kvscope_flags INTERFACE -pthread -Wno-pthreads-mem-growth)
    target_compile_definitions(kvscope_flags INTERFACE KVSCOPE_THREADS=1)
  endif()
  return()
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
target_link_libraries(kvscope_flags INTERFACE Threads::Threads)
target_compile_definitions(kvscope_flags INTERFACE KVSCOPE_THREADS=1)

# x86-64 of the last ten years: the kernels' AVX2 twin runs the tests as fast as the wasm would.
include(CheckCXXSourceRuns)
set(CMAKE_REQUIRED_FLAGS "-mavx2 -mfma -mf16c")
check_cxx_source_runs("#include <immintrin.h>
int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }"
  KVSCOPE_HAVE_AVX2)
unset(CMAKE_REQUIRED_FLAGS)
if(KVSCOPE_HAVE_AVX2)
  target_compile_options(kvscope_flags INTERFACE -mavx2 -mfma -mf16c)
endif()

if(KVSCOPE_SANITIZE OR KVSCOPE_FUZZ)
  # vptr checks need type information, which the engine is built without.
  set(sanitize -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_compile_options(kvscope_flags INTERFACE ${sanitize})
  target_link_options(kvscope_flags INTERFACE ${sanitize})
  target_compile_definitions(kvscope_flags INTERFACE KVSCOPE_SANITIZE=1)
endif()
if(KVSCOPE_FUZZ)
  target_compile_options(kvscope_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
