#!/usr/bin/env bash
# Gets Emscripten (>= 3.1.69), xsimd (>= 13, the first with a wasm backend) and doctest on a
# Debian-like machine, from its own Debian mirror.
#
#   install.sh [--route auto|path|apt|unpack] [--suite NAME] [--force] [DIR]
#
#   DIR      default ./.toolchain; afterwards: source DIR/env.sh
#   path     an emcc that is new enough is on PATH: it is used
#   apt      apt offers one that is new enough (Debian 13 and later) and this is root: it is installed
#   unpack   Debian's packages are unpacked into DIR (Debian 12): no root, nothing installed
#   --suite  Debian suite for unpack: trixie (default, 3.1.69) or sid (newest)
#
# Environment: DEBIAN_MIRROR (URL that has dists/ and pool/), DEBIAN_KEYRING.
set -Eeuo pipefail
trap 'echo "toolchain: error: line $LINENO failed: $BASH_COMMAND" >&2' ERR
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
MIN_EMCC=3.1.69
MIN_XSIMD=13
LAYOUT=1   # raise when what is written into DIR changes: complete installations are then made again
ROUTE=auto SUITE=trixie FORCE=0 DIR=

say() { printf '  [toolchain %3ds] %s\n' "$SECONDS" "$*"; }
die() { printf 'toolchain: error: %s\n' "$1" >&2; shift
        for line in "$@"; do printf '    %s\n' "$line" >&2; done; exit 1; }
usage() { sed -n '2,/^set -E/{/^set -E/d;s/^# \{0,1\}//;p}' "$0"; exit "$1"; }

while [ $# -gt 0 ]; do
  case $1 in
    --route) ROUTE=${2:-}; shift 2 || usage 2 ;;
    --suite) SUITE=${2:-}; shift 2 || usage 2 ;;
    --force) FORCE=1; shift ;;
    -h|--help) usage 0 ;;
    -*) usage 2 >&2 ;;
    *) DIR=$1; shift ;;
  esac
done
case $ROUTE in auto|path|apt|unpack) ;; *) die "unknown route '$ROUTE'" ;; esac
mkdir -p "${DIR:=.toolchain}" && [ -w "$DIR" ] || die "cannot write to '$DIR'" \
  "Give a directory you may write to; root is not needed."
DIR=$(cd "$DIR" && pwd -P)
case $DIR in *[[:space:]]*) die "the toolchain's path has a space in it: '$DIR'" ;; esac

exec 9>"$DIR/.lock"   # one run at a time
if command -v flock >/dev/null && ! flock -n 9; then
  say "waiting for another run on this folder"; flock 9
fi

at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1)" = "$2" ]; }
emcc_version() { "$1" --version 2>/dev/null | sed -nE '1s/.* ([0-9]+\.[0-9]+\.[0-9]+).*/\1/p'; }
apt_candidate() { LC_ALL=C apt-cache policy emscripten 2>/dev/null |
                  sed -nE 's/^ *Candidate: ([0-9][0-9.]*).*/\1/p'; }
xsimd_major() { sed -nE 's/^#define XSIMD_VERSION_MAJOR ([0-9]+).*/\1/p' "$1/xsimd/config/xsimd_config.hpp" 2>/dev/null || true; }

WANT="layout=$LAYOUT route=$ROUTE suite=$SUITE"
if [ $FORCE = 0 ] && [ "$(cat "$DIR/.complete" 2>/dev/null)" = "$WANT" ]; then
  V=$(. "$DIR/env.sh" && emcc_version emcc) || V=
  [ -z "$V" ] || { say "already complete: emcc $V"; exit 0; }
  say "marked complete, but its emcc does not run: making it again"
fi
rm -f "$DIR/.complete"

# What every route needs. emcc starts python and node by these paths, past version-manager shims.
NODE=$(command -v node || true)
[ -n "$NODE" ] || die "node is not on PATH" "Install Node.js 20 or newer."
NODE=$("$NODE" -p process.execPath)
PYTHON=$(command -v python3 || true)
[ -n "$PYTHON" ] || die "python3 is not on PATH" "Install python3 (3.8 or newer): emcc is written in it."
PYTHON=$("$PYTHON" -c 'import sys; print(sys.executable)')

own_emcc=$(command -v emcc || true)
case $own_emcc in "$DIR"/*) own_emcc= ;; esac
own_version=$([ -z "$own_emcc" ] || emcc_version "$own_emcc" || true)
apt_version=$(apt_candidate || true)
if [ $ROUTE = auto ]; then
  if [ -n "$own_version" ] && at_least "$own_version" $MIN_EMCC; then ROUTE=path
  elif [ "$(id -u)" = 0 ] && [ -n "$apt_version" ] && at_least "$apt_version" $MIN_EMCC; then ROUTE=apt
  else ROUTE=unpack; fi
fi
say "route $ROUTE (emcc on PATH: ${own_version:-none}; apt offers: ${apt_version:-none}; needed: $MIN_EMCC)"

. "$HERE/private-apt.sh"
. "$HERE/unpack.sh"
EM_ROOT= EM_CONF= TOOL_PATH=
case $ROUTE in
  path)
    [ -n "$own_version" ] && at_least "$own_version" $MIN_EMCC ||
      die "the emcc on PATH is ${own_version:-missing}, needed is $MIN_EMCC or newer"
    TOOL_PATH=$(dirname "$own_emcc")
    EM_ROOT=$("$TOOL_PATH/em-config" EMSCRIPTEN_ROOT 2>/dev/null) ||
      EM_ROOT=$(dirname "$(readlink -f "$own_emcc")")
    EM_CONF=${EM_CONFIG:-}
    use_or_fetch_headers ;;
  apt)
    [ "$(id -u)" = 0 ] || die "route apt needs root" "Use --route unpack, which does not."
    say "apt-get install emscripten $apt_version, libxsimd-dev, doctest-dev"
    DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
      emscripten libxsimd-dev doctest-dev >"$DIR/apt.log" 2>&1 ||
      { tail -n 20 "$DIR/apt.log" >&2; die "apt-get install failed (log: $DIR/apt.log)"; }
    EM_ROOT=/usr/share/emscripten TOOL_PATH=/usr/bin
    use_or_fetch_headers ;;
  unpack)
    unpack_emscripten
    EM_ROOT=$DIR/emscripten TOOL_PATH=$DIR/emscripten:$DIR/binaryen/bin EM_CONF=$EM_ROOT/.emscripten ;;
esac
rm -rf "$APT_DIR"

# emcc's tools are CommonJS; a package.json above that says "type": "module" must not reach them.
echo '{ "type": "commonjs" }' > "$DIR/package.json"
{
  echo '# Written by build-scripts/toolchain/install.sh; source it from bash, zsh or sh.'
  echo "_tc='$DIR'"
  echo 'if [ -n "${BASH_SOURCE:-}" ]; then _tc=$(cd "$(dirname "${BASH_SOURCE:-}")" && pwd -P); fi'
  if [ $ROUTE = unpack ]; then   # follows the folder when it moves
    echo 'export EMSCRIPTEN_ROOT="$_tc/emscripten" EM_CONFIG="$_tc/emscripten/.emscripten"'
    echo '_path="$_tc/emscripten:$_tc/binaryen/bin"'
  else
    echo "export EMSCRIPTEN_ROOT='$EM_ROOT'"
    [ -z "$EM_CONF" ] || echo "export EM_CONFIG='$EM_CONF'"
    echo "_path='$TOOL_PATH'"
  fi
  cat <<E2
export TOOLCHAIN_DIR="\$_tc"
[ ! -d "\$_tc/xsimd/include" ] || export XSIMD_INCLUDE_DIR="\$_tc/xsimd/include"
[ ! -d "\$_tc/doctest/include" ] || export DOCTEST_INCLUDE_DIR="\$_tc/doctest/include"
export EMSCRIPTEN_CMAKE_TOOLCHAIN="\$EMSCRIPTEN_ROOT/cmake/Modules/Platform/Emscripten.cmake"
[ ! -x '$PYTHON' ] || export EMSDK_PYTHON='$PYTHON'
[ ! -x '$NODE' ] || export TOOLCHAIN_NODE='$NODE'
case ":\$PATH:" in *":\$_path:"*) ;; *) PATH="\$_path:\$PATH"; export PATH ;; esac
unset _tc _path
E2
} > "$DIR/env.sh"

. "$DIR/env.sh"
V=$(emcc_version emcc) || true
[ -n "$V" ] || die "emcc does not run" "$(emcc --version 2>&1 | tail -n 5)"
say "check: compiling and running a small module with emcc $V"
mkdir -p "$DIR/.check"
echo 'int main() { return 42; }' > "$DIR/.check/t.cpp"
em++ -std=c++20 -O1 -msimd128 -sEXIT_RUNTIME=1 "$DIR/.check/t.cpp" -o "$DIR/.check/t.cjs" >"$DIR/.check/log" 2>&1 ||
  { tail -n 20 "$DIR/.check/log" >&2; die "the check does not compile"; }
rc=0; "$NODE" "$DIR/.check/t.cjs" || rc=$?
[ $rc = 42 ] || die "the check returned $rc instead of 42"
rm -rf "$DIR/.check"
echo "$WANT" > "$DIR/.complete"
say "done: emcc $V, $(du -sm "$DIR" | cut -f1) MB"
