#!/bin/sh
# From the seed to web/models/kvscope-tiny.gguf, its card and its expected values, with one command.
# Goes on from the last checkpoint if it was interrupted; KVSCOPE_TRAIN_OUT chooses another work folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv="$root/.venv-train"
out=${KVSCOPE_TRAIN_OUT:-"$root/build/train"}
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv" && printf "*\n" > "$venv/.gitignore"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
export PYTHONDONTWRITEBYTECODE=1 OMP_WAIT_POLICY=ACTIVE
cd "$here"
if [ ! -f "$out/corpus.json" ]; then  # the last that it writes
  "$venv/bin/python" -m kvtrain prepare --preset full --out "$out"
fi
"$venv/bin/python" -m kvtrain train --preset full --out "$out"
node "$root/build-scripts/build.mjs" --only simd  # the engine that judges the file
"$venv/bin/python" -m kvtrain.finish --out "$out"
