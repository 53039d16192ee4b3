"""Records what the Python package gguf makes of each block format, for tests/engine/dequantise.cpp.

    pip install gguf==0.19.0 && python tests/reference/dequantise.py

Formats that the package can quantise get a fixed pseudo-random vector, quantised by the package;
K-quants, which it only reads, get pseudo-random blocks with scales of ordinary size. The values are
those of gguf.quants.dequantize, computed in float32: kvscope must give the same bits.
"""

from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, quants

QUANTISED = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"]
# Byte offsets of the float16 fields in a block.
K_SCALES = {"Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}
ROW = 128
K_BLOCKS = 2
COLUMNS = 96  # hex digits in a line


def main() -> None:
    rng = np.random.default_rng(20251129)
    lines = [
        "// Written by dequantise.py: per format the bytes of some blocks and the float32 bits of their",
        "// values, both as hex in memory order (little endian).",
        "// clang-format off",
        "#pragma once",
        "",
        "#include <string_view>",
        "",
        "namespace kvscope::reference {",
        "",
        "struct Dequantised {",
        "  std::string_view type;",
        "  std::string_view blocks;",
        "  std::string_view values;",
        "};",
        "",
        "inline constexpr Dequantised dequantised[] = {",
    ]
    for name in QUANTISED + list(K_SCALES):
        blocks = quantised(name, rng) if name in QUANTISED else random_k_blocks(name, rng)
        values = quants.dequantize(blocks, GGMLQuantizationType[name]).astype("<f4")
        assert np.isfinite(values).all()
        lines += [f'    {{"{name}",', *hex_lines(blocks.tobytes()), "     ,", *hex_lines(values.tobytes()), "    },"]
    lines += ["};", "", "}  // namespace kvscope::reference", ""]
    (Path(__file__).parent / "dequantise.hpp").write_text("\n".join(lines))


def quantised(name: str, rng: np.random.Generator) -> np.ndarray:
    # Rows of very different size, so that scales differ and some are subnormal halves.
    x = rng.standard_normal(ROW).astype(np.float32)
    x *= np.repeat(np.float32([1.0, 0.02, 300.0, 3e-6]), ROW // 4)
    return np.ascontiguousarray(quants.quantize(x, GGMLQuantizationType[name])).view(np.uint8)


def random_k_blocks(name: str, rng: np.random.Generator) -> np.ndarray:
    block_bytes = GGML_QUANT_SIZES[GGMLQuantizationType[name]][1]
    blocks = rng.integers(0, 256, (K_BLOCKS, block_bytes), dtype=np.uint8)
    for offset in K_SCALES[name]:
        scales = (rng.standard_normal(K_BLOCKS) * 0.01).astype("<f2")
        blocks[:, offset : offset + 2] = scales.view(np.uint8).reshape(K_BLOCKS, 2)
    return blocks


def hex_lines(data: bytes) -> list[str]:
    digits = data.hex()
    return [f'     "{digits[i : i + COLUMNS]}"' for i in range(0, len(digits), COLUMNS)]


if __name__ == "__main__":
    main()
