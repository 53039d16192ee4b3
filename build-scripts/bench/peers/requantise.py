#!/usr/bin/env python3
"""Writes a GGUF's 4-bit matrices again as Q4_0, the format that native llama.cpp runs fastest (it repacks it).
Everything else is copied. usage: requantise.py MODEL.gguf OUT.gguf"""
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, quants

FILE_TYPE_Q4_0 = 2  # llama.cpp's LLAMA_FTYPE_MOSTLY_Q4_0
FOUR_BITS = (GGMLQuantizationType.Q4_1, GGMLQuantizationType.Q4_K)


def copy_metadata(reader, writer):
    for key, field in reader.fields.items():
        if key.startswith('GGUF.') or key in ('general.architecture', 'general.file_type'):
            continue
        if field.types[0] == GGUFValueType.ARRAY:
            writer.add_array(key, field.contents())
        else:
            writer.add_key_value(key, field.contents(), field.types[0])
    writer.add_file_type(FILE_TYPE_Q4_0)


def copy_tensors(reader, writer):
    for tensor in reader.tensors:
        if tensor.tensor_type in FOUR_BITS:
            values = quants.dequantize(tensor.data, tensor.tensor_type)
            q4_0 = GGMLQuantizationType.Q4_0
            writer.add_tensor(tensor.name, quants.quantize(values, q4_0), raw_dtype=q4_0)
        else:
            writer.add_tensor(tensor.name, np.array(tensor.data), raw_dtype=tensor.tensor_type)


def main(source, out):
    reader = GGUFReader(source)
    writer = GGUFWriter(out, reader.fields['general.architecture'].contents())
    copy_metadata(reader, writer)
    copy_tensors(reader, writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(*sys.argv[1:3])
