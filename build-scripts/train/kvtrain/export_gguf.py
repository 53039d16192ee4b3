"""Writes the model as GGUF that llama.cpp reads unchanged: matrices in Q4_0, norms in F32."""

import json
from pathlib import Path

import gguf
import numpy as np

from . import qat
from .tokenizer import BOS, EOS, UNKNOWN

NAME = "kvscope-tiny"
DESCRIPTION = "A small Korean and English model of an everyday world; outside its word lists it guesses."




def export(model, vocabulary, path, head=None, licence="MIT"):
    """head: {"layer", "head"} of the head that the page proposes, or None. Returns the size in bytes."""
    s = model.shape
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name(NAME)
    writer.add_license(licence)
    writer.add_description(DESCRIPTION)
    writer.add_context_length(s.context)
    writer.add_embedding_length(s.dim)
    writer.add_block_count(s.n_layers)
    writer.add_feed_forward_length(s.ffn)
    writer.add_head_count(s.n_heads)
    writer.add_head_count_kv(s.n_kv_heads)
    writer.add_key_length(s.head_dim)
    writer.add_value_length(s.head_dim)
    writer.add_rope_dimension_count(s.head_dim)
    writer.add_rope_freq_base(s.rope_theta)
    writer.add_layer_norm_rms_eps(s.rms_eps)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
    pieces = vocabulary["pieces"]
    assert len(set(pieces)) == len(pieces) == s.vocab, "pieces are not unique: llama.cpp would abort"
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(pieces)
    writer.add_token_scores(vocabulary["scores"])
    writer.add_token_types(vocabulary["types"])
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(EOS)
    writer.add_unk_token_id(UNKNOWN)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(True)
    if head:
        writer.add_uint32("kvscope.head.layer", head["layer"])
        writer.add_uint32("kvscope.head.head", head["head"])
    for name, parameter in model.named_parameters():
        values = parameter.detach().float()
        if values.dim() == 1:
            writer.add_tensor(name, values.numpy())
            continue
        packed = gguf.quants.quantize(values.numpy(), gguf.GGMLQuantizationType.Q4_0)
        back = gguf.quants.dequantize(packed, gguf.GGMLQuantizationType.Q4_0)
        assert np.array_equal(back, qat.q4_0(values).numpy()), f"{name}: the file would not hold what was trained"
        writer.add_tensor(name, packed, raw_dtype=gguf.GGMLQuantizationType.Q4_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return Path(path).stat().st_size


def load_vocabulary(out):
    return json.loads((Path(out) / "vocab.json").read_text())
