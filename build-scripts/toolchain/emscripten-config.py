# emcc's configuration, copied to .emscripten; its paths follow the toolchain's folder when it moves.
import os

from tools.utils import path_from_root

_top = os.path.dirname(path_from_root("").rstrip("/"))
LLVM_ROOT = os.path.join(_top, "llvm", "bin")
BINARYEN_ROOT = os.path.join(_top, "binaryen")
NODE_JS = os.environ.get("TOOLCHAIN_NODE") or "@NODE@"
CACHE = os.path.join(_top, "emscripten", "cache")
FROZEN_CACHE = False

# emcc empties CACHE when LLVM_ROOT differs from the one noted there: after a move, correct the note.
_note = os.path.join(CACHE, "sanity.txt")
try:
    with open(_note) as _file:
        _was = _file.read()
    _now = _was.split("|")[0] + "|" + LLVM_ROOT + "\n"
    if _was != _now:
        with open(_note, "w") as _file:
            _file.write(_now)
except OSError:
    pass
