# Emscripten and its LLVM out of Debian packages, unpacked into DIR. Programs of another Debian
# release run through their own loader and libraries. Sourced by install.sh, after private-apt.sh.

# xsimd and doctest in folders with nothing else in them: em++ must never see /usr/include.
unpack_headers() {
  local name package
  for name in xsimd doctest; do
    case $name in xsimd) package=libxsimd-dev ;; *) package=doctest-dev ;; esac
    rm -rf "${DIR:?}/$name"
    unpack "$DIR/$name" $package --strip-components=2 --exclude='*/share/doc'
  done
  local major; major=$(xsimd_major "$DIR/xsimd/include")
  [ "${major:-0}" -ge $MIN_XSIMD ] || die "xsimd $major of Debian $SUITE is older than $MIN_XSIMD"
}

use_or_fetch_headers() {
  local major; major=$(xsimd_major /usr/include)
  if [ "${major:-0}" -ge $MIN_XSIMD ] && [ -f /usr/include/doctest/doctest.h ]; then
    mkdir -p "$DIR"/{xsimd,doctest}/include
    ln -sfn /usr/include/xsimd "$DIR/xsimd/include/xsimd"
    ln -sfn /usr/include/doctest "$DIR/doctest/include/doctest"
  elif command -v apt-get >/dev/null; then
    private_apt; download libxsimd-dev doctest-dev; unpack_headers
  else
    say "xsimd and doctest are not installed here: CMake will fetch them"
  fi
}

# The shared libraries of clang, lld and binaryen, as apt resolves them (glibc included).
needed_libraries() {
  papt apt-get install --print-uris -y --no-install-recommends "clang-$LLVM" "lld-$LLVM" "llvm-$LLVM" binaryen 2>/dev/null |
  sed -nE "s/^'[^']*' ([^_ ]+)_.*/\1/p" |
  grep -xE "libc6|libstdc\+\+6|libgcc-s1|zlib1g|libzstd1|libxml2(-[0-9]+)?|libicu[0-9]+|liblzma5|libedit2|libtinfo6|libbsd0|libmd0|libffi[0-9]+|libz3-4|libllvm$LLVM|libclang-cpp$LLVM"
}

# wrap FOLDER NAME PROGRAM [arguments a clang driver gets first]: a wrapper that finds loader and
# libraries beside itself, so that DIR can move; clang finds its headers from argv[0].
wrap() {
  local file=$DIR/$1/bin/$2
  {
    echo '#!/bin/sh'
    echo 's=$0; [ ! -L "$s" ] || s=$(readlink -f "$s"); d=${s%/*}'
    [ -z "${4:-}" ] || echo 'case ${1:-} in -cc1*) ;; *) set -- '"$4"' "$@" ;; esac'
    echo 'exec "$d/../../lib/'"$LOADER"'" --library-path "$d/../../lib" --argv0 "$s" "$d/../libexec/'"$3"'" "$@"'
  } > "$file"
  chmod +x "$file"
}

take_llvm() {   # take_llvm NAME [driver arguments]
  local real; real=$(readlink -f "$UNPACKED/usr/lib/llvm-$LLVM/bin/$1")
  [ -e "$DIR/llvm/libexec/${real##*/}" ] || cp "$real" "$DIR/llvm/libexec/"
  wrap llvm "$1" "${real##*/}" "${2:-}"
}

# Copies the libraries that PROGRAM loads into lib/; fails when one is missing.
take_libraries_of() {
  local listing; listing=$("$DIR/lib/$LOADER" --inhibit-cache --library-path "$LIBRARY_PATH" --list "$1")
  ! grep -q 'not found' <<<"$listing" || return 1
  awk -v u="$UNPACKED/" '$2 == "=>" && index($3, u) == 1 {print $1, $3}' <<<"$listing" |
  while read -r so file; do [ -e "$DIR/lib/$so" ] || cp -L "$file" "$DIR/lib/$so"; done
}

unpack_emscripten() {
  private_apt
  local version libs package tool file excludes
  version=$(field emscripten Version)
  at_least "${version%%[+~-]*}" $MIN_EMCC || die "Debian $SUITE has emscripten $version, needed is $MIN_EMCC"
  LLVM=$(field emscripten Depends | sed -nE 's/.*\bclang-([0-9]+).*/\1/p')
  [ -n "$LLVM" ] || die "cannot tell which LLVM emscripten $version wants"
  mapfile -t libs < <(needed_libraries)
  [ ${#libs[@]} -ge 8 ] || die "apt cannot resolve clang-$LLVM, lld-$LLVM and binaryen in Debian $SUITE"
  download emscripten node-acorn binaryen "clang-$LLVM" "lld-$LLVM" "llvm-$LLVM" "llvm-$LLVM-linker-tools" \
           "libclang-common-$LLVM-dev" libxsimd-dev doctest-dev "${libs[@]}"

  say "unpacking emscripten $version and LLVM $LLVM"
  UNPACKED=$DIR/.unpack
  rm -rf "$UNPACKED" "${DIR:?}"/{emscripten,llvm,binaryen,lib}
  mkdir -p "$DIR"/{lib,llvm/bin,llvm/libexec,llvm/lib/clang,binaryen/bin,binaryen/libexec}
  for package in binaryen "clang-$LLVM" "lld-$LLVM" "llvm-$LLVM" "llvm-$LLVM-linker-tools" \
                 "libclang-common-$LLVM-dev" "${libs[@]}"; do
    unpack "$UNPACKED" "$package" --exclude='*/share/doc' --exclude='*/share/man' \
           --exclude='*/share/locale' --exclude='*/gconv'
  done
  # 1.3 of 1.7 GB that nothing here uses: tests, docs, libraries for dynamic linking, Wasm Workers,
  # WasmFS, OpenGL and the sanitizers. emcc builds one that is asked for all the same.
  local lib='./usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten'
  excludes=(--exclude='*/share/doc' --exclude='*/share/man')
  for file in test docs media out 'ChangeLog*'; do excludes+=(--exclude="./usr/share/emscripten/$file"); done
  for file in /pic /lto-pic '*-ww[.-]*' '*/libwasmfs*' '*/libGL*' '*asan*' '*/liblsan*' '*/libwebgpu*' \
              '*emmalloc-*verbose*' '/lto/libsanitizer*' '/lto/libubsan_rt*'; do
    excludes+=(--exclude="$lib$file")
  done
  unpack "$UNPACKED" emscripten "${excludes[@]}"
  unpack "$UNPACKED" node-acorn --exclude='*/share/doc'

  LOADER=$(find "$UNPACKED/usr/lib" "$UNPACKED/usr/lib64" -name 'ld-linux*.so.*' -print -quit 2>/dev/null || true)
  [ -n "$LOADER" ] || die "libc6 of Debian $SUITE has no ld-linux"
  cp -L "$LOADER" "$DIR/lib/"; LOADER=${LOADER##*/}
  for tool in clang clang++; do take_llvm $tool -no-canonical-prefixes; done
  for tool in wasm-ld llvm-ar llvm-ranlib llvm-nm llvm-objcopy llvm-strip llvm-objdump llvm-dwarfdump llvm-dwp; do
    [ ! -e "$UNPACKED/usr/lib/llvm-$LLVM/bin/$tool" ] || take_llvm $tool
  done
  cp -rL "$UNPACKED/usr/lib/llvm-$LLVM/lib/clang/$LLVM" "$DIR/llvm/lib/clang/$LLVM"
  for file in "$UNPACKED"/usr/bin/wasm*; do
    tool=${file##*/}
    case $tool in wasm-ld*|wasm-fuzz*|wasm-reduce|wasm-shell) continue ;; esac
    cp -L "$file" "$DIR/binaryen/libexec/$tool"; wrap binaryen "$tool" "$tool"
  done
  LIBRARY_PATH=$(find "$UNPACKED/usr/lib" -name '*.so*' ! -path '*/clang/*' -printf '%h\n' | sort -u | paste -sd:)
  for file in "$DIR"/llvm/libexec/* "$DIR"/binaryen/libexec/*; do
    take_libraries_of "$file" || die "${file##*/} needs shared libraries that are not among the packages"
  done

  mv "$UNPACKED/usr/share/emscripten" "$DIR/emscripten"
  mv "$UNPACKED/usr/share/nodejs" "$DIR/emscripten/node_modules"   # acorn
  sed "s#@NODE@#$NODE#" "$HERE/emscripten-config.py" > "$DIR/emscripten/.emscripten"
  unpack_headers
  ( cd "$DEBS" && sha256sum ./*.deb | sed 's/%3a/:/' ) > "$DIR/manifest.txt"
  rm -rf "$UNPACKED"
}
