#!/usr/bin/env python3
"""Writes what Hugging Face transformers makes of positional encodings, or checks the stored files (--check).

    python3 tools/make_encoding_fixtures.py [--out FOLDER] [--check]

needs PyTorch 2 and transformers 4.5x or 5.x, no network and no GPU; the tests need neither. It writes
tests/fixtures/huggingface_encodings.json and tests/fixtures/deepseek_v3.safetensors. A part that fails is reported,
left out and listed under "failed", and the exit code is 1.

Every number comes out of the library's own functions, none from a formula of this script. The library computes in
float32 wherever it can; here the same functions also run with each cast to float32 turned into one to float64 (class
`Watch`). The file has both: `frequencies`, `slopes` and all tensors are the float64 run, `..._float32` is what the
library returns untouched, and the two must agree to float32 rounding.

The JSON file:
  versions   transformers, torch, python
  rope       cases: name, type, head_dim, base, sequence_length (null where none was passed), the two lengths of the
             configuration, `parameters` as the library takes them, frequencies, attention_factor, source. Which length
             means "original" differs by type: `dynamic` reads max_position_embeddings, `yarn`, `llama3` and `longrope`
             original_max_position_embeddings (older versions also max / original in place of factor). The cases are
             consistent under every reading: max = original * factor, and max = original for default and dynamic.
  t5         buckets of key position - query position = first .. last, as the library returns them in float32;
             `rounding_dependent` lists [position, float32 bucket, float64 bucket] where the precision decides.
  alibi      slopes for a number of heads: differences along the library's bias row.
  mla        shapes, layout and scale for deepseek_v3.safetensors: `hidden` [tokens, width] is the input of one
             attention module, `weight/<name>` its weights [out, in], `logits` [heads, query, key] what it hands to
             softmax under an all-zero mask, `probabilities` and `output` what it returns. Inputs and weights are
             float64 numbers that float32 holds exactly.
"""
import argparse
import copy
import importlib
import inspect
import json
import math
import os
import platform
import random
import sys
import traceback
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

import safetensors_io

os.environ.setdefault("HF_HUB_OFFLINE", "1")

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
JSON_NAME = "huggingface_encodings.json"
MLA_NAME = "deepseek_v3.safetensors"
FLOAT32_ROUNDING = torch.finfo(torch.float32).eps


class Watch(TorchFunctionMode):
    """Keeps what softmax is given; with `widen`, also turns every request for float32 into one for float64."""

    def __init__(self, widen):
        super().__init__()
        self.widen = widen
        self.softmax_inputs = []

    def __enter__(self):
        self.default = torch.get_default_dtype()
        if self.widen:
            torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *reason):
        torch.set_default_dtype(self.default)
        return super().__exit__(*reason)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function is F.softmax:
            self.softmax_inputs.append((args[0] if args else kwargs["input"]).detach().clone())
        if self.widen:
            args = [torch.float64 if value is torch.float32 else value for value in args]
            kwargs = {key: torch.float64 if value is torch.float32 else value for key, value in kwargs.items()}
            if function is torch.Tensor.float:
                function = torch.Tensor.double
        return function(*args, **kwargs)


def in_both_precisions(function):
    """(float64 result, untouched result) of `function`, each called under a Watch that it is given."""
    results = []
    for widen in (True, False):
        with Watch(widen) as watch, torch.no_grad():
            results.append(function(watch))
    return results


def check_agreement(name, wide, untouched, roundings):
    """Both runs must be the same computation: `roundings` float32 roundings of each entry apart at most."""
    if wide.dtype is not torch.float64:
        raise RuntimeError(f"{name}: asked for float64, got {wide.dtype}")
    if wide.shape != untouched.shape or not torch.isfinite(wide).all():
        raise RuntimeError(f"{name}: shapes {list(wide.shape)} and {list(untouched.shape)}, or not finite")
    excess = (wide - untouched.double()).abs() - roundings * FLOAT32_ROUNDING * wide.abs()
    if (excess > 0).any():
        raise RuntimeError(f"{name}: float64 {wide.tolist()} and float32 {untouched.tolist()} are different results")


def find_attribute(candidates):
    """The first of 'module:attribute.attribute' under transformers that exists, and its full name."""
    errors = []
    for candidate in candidates:
        module_name, _, path = candidate.partition(":")
        try:
            found = importlib.import_module(f"transformers.{module_name}")
            for part in filter(None, path.split(".")):
                found = getattr(found, part)
        except (ImportError, AttributeError) as error:
            errors.append(f"{candidate} ({error})")
            continue
        return found, f"transformers.{candidate.replace(':', '.')}"
    raise RuntimeError(f"transformers lacks {', '.join(errors)}")


# ---- rope ------------------------------------------------------------------------------------------------------------

DEFAULT_FREQUENCIES = (
    "models.llama.modeling_llama:LlamaRotaryEmbedding.compute_default_rope_parameters",
)
PARTIAL_FREQUENCIES = (  # of version 5, where each model has its own default, and Llama's knows no partial rotation
    "models.phi.modeling_phi:PhiRotaryEmbedding.compute_default_rope_parameters",
    "models.stablelm.modeling_stablelm:StableLmRotaryEmbedding.compute_default_rope_parameters",
    "models.gpt_neox.modeling_gpt_neox:GPTNeoXRotaryEmbedding.compute_default_rope_parameters",
    "models.glm.modeling_glm:GlmRotaryEmbedding.compute_default_rope_parameters",
)


def rope_cases():
    """(name, head_dim, base, original length, maximal length, sequence length, parameters)"""
    for head_dim in (16, 64):
        for base in (10000.0, 500000.0):
            for name, original, maximal, length, parameters in rope_variants(head_dim // 2, base):
                yield f"{name}_d{head_dim}_b{base:.0f}", head_dim, base, original, maximal, length, parameters


def rope_variants(pairs, base):
    yield "default", 64, 64, None, {"rope_type": "default"}
    yield "default_partial", 64, 64, None, {"rope_type": "default", "partial_rotary_factor": 0.5}
    yield "linear", 64, 256, None, {"rope_type": "linear", "factor": 4.0}
    yield "linear_partial", 64, 256, None, {"rope_type": "linear", "factor": 4.0, "partial_rotary_factor": 0.5}
    yield "proportional", 64, 64, None, {"rope_type": "proportional", "partial_rotary_factor": 0.5}
    for length in (32, 64, 65, 100, 256):
        yield f"dynamic_{length}", 64, 64, length, {"rope_type": "dynamic", "factor": 2.0}

    def yarn(original, factor, **more):
        return original, int(original * factor), None, {
            "rope_type": "yarn", "factor": factor, "original_max_position_embeddings": original, **more}
    yield "yarn", *yarn(64, 4.0)
    yield "yarn_factor1", *yarn(64, 1.0)
    yield "yarn_betas", *yarn(64, 16.0, beta_fast=16.0, beta_slow=2.0)
    yield "yarn_attention", *yarn(64, 4.0, attention_factor=0.875)
    yield "yarn_mscale", *yarn(64, 4.0, mscale=1.0, mscale_all_dim=0.75)
    yield "yarn_mscale_equal", *yarn(64, 4.0, mscale=1.0, mscale_all_dim=1.0)  # as DeepSeek-V3 has it
    yield "yarn_untruncated", *yarn(64, 4.0, truncate=False)
    yield "yarn_original4096", *yarn(4096, 4.0)  # the only one whose ramp starts above channel 0
    for original in (64, 8192) if base == 500000.0 else (64,):
        yield f"llama3_original{original}", original, 8 * original, None, {
            "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": original}
    for suffix, more in (("", {}), ("_attention", {"attention_factor": 1.25})):
        for length in (32, 128):  # factors that float32 holds exactly
            yield f"longrope{suffix}_{length}", 64, 256, length, {
                "rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 64,
                "short_factor": [1 + c / 16 for c in range(pairs)],
                "long_factor": [1 + 3 * c / 8 for c in range(pairs)], **more}


# What a parameter has to change; a version that ignores it is found here.
ROPE_EFFECTS = (("default", "default_partial"), ("linear", "linear_partial"), ("dynamic_64", "dynamic_256"),
                ("yarn", "yarn_untruncated"), ("yarn", "yarn_mscale"), ("yarn", "yarn_attention"),
                ("longrope_32", "longrope_128"), ("longrope_32", "longrope_attention_32"))


def has_rope_parameters():
    """Version 5 keeps base and scaling in one dict `rope_parameters`, version 4 in rope_theta and rope_scaling."""
    llama, _ = find_attribute(["models.llama.configuration_llama:LlamaConfig"])
    return isinstance(getattr(llama(), "rope_parameters", None), dict)


def rope_arguments(base, parameters):
    """A configuration's arguments for `parameters`, under either interface."""
    if has_rope_parameters():
        arguments = {"rope_parameters": {"rope_theta": base, **parameters}}
    else:
        scaling = {key: value for key, value in parameters.items() if key != "partial_rotary_factor"}
        arguments = {"rope_theta": base, "rope_scaling": None if scaling["rope_type"] == "default" else scaling}
        if scaling["rope_type"] == "longrope":  # version 4 reads it here
            arguments["original_max_position_embeddings"] = scaling["original_max_position_embeddings"]
    if "partial_rotary_factor" in parameters:
        arguments["partial_rotary_factor"] = parameters["partial_rotary_factor"]
    return arguments


def rope_function(parameters):
    """The library's function for this type and its name, or nothing when this version has no such type."""
    functions, where = find_attribute(["modeling_rope_utils:ROPE_INIT_FUNCTIONS"])
    kind = parameters["rope_type"]
    if kind in functions:
        return functions[kind], f"{where}[{kind!r}]"
    if kind == "default":
        return find_attribute(PARTIAL_FREQUENCIES if "partial_rotary_factor" in parameters else DEFAULT_FREQUENCIES)
    return None, where


def make_rope_case(name, head_dim, base, original, maximal, length, parameters):
    """The case's entry, or nothing when this version has no such type."""
    function, source = rope_function(parameters)
    if function is None:
        return None
    llama, _ = find_attribute(["models.llama.configuration_llama:LlamaConfig"])
    config = llama(hidden_size=2 * head_dim, num_attention_heads=2, num_key_value_heads=2, head_dim=head_dim,
                   max_position_embeddings=maximal, **rope_arguments(base, copy.deepcopy(parameters)))
    device = [torch.device("cpu")] if "device" in inspect.signature(function).parameters else []
    options = {} if length is None else {"seq_len": length}
    (wide, attention_factor), (untouched, _) = in_both_precisions(lambda _: function(config, *device, **options))
    check_agreement(name, wide, untouched, 64)  # interpolation loses some, by factors up to 16
    rotated = head_dim if parameters["rope_type"] == "proportional" else \
        int(head_dim * parameters.get("partial_rotary_factor", 1.0))
    if wide.shape != (rotated // 2,):
        raise RuntimeError(f"{name}: {list(wide.shape)} frequencies for {rotated} rotated channels")
    return {"name": name, "type": parameters["rope_type"], "head_dim": head_dim, "base": base,
            "max_position_embeddings": maximal, "original_max_position_embeddings": original,
            "sequence_length": length, "parameters": parameters, "attention_factor": float(attention_factor),
            "frequencies": wide.tolist(), "frequencies_float32": untouched.double().tolist(), "source": source}


def make_rope(report):
    cases, missing = {}, set()
    for case in rope_cases():
        try:
            made = make_rope_case(*case)
        except Exception as error:  # pylint: disable=broad-except
            report(f"rope {case[0]}", error)
            continue
        if made is None:
            missing.add(case[-1]["rope_type"])
        else:
            cases[case[0]] = made
    for kind in sorted(missing):
        print(f"rope: this version of transformers has no type {kind!r}; left out")
    for plain, changed in ROPE_EFFECTS:
        for tail in (f"_d{head_dim}_b{base}" for head_dim in (16, 64) for base in (10000, 500000)):
            first, second = cases.get(plain + tail), cases.get(changed + tail)
            same = first and second and all(first[key] == second[key] for key in ("frequencies", "attention_factor"))
            if same:
                report(f"rope {changed}{tail}", RuntimeError(f"is {plain}{tail}: its parameters have no effect"))
                del cases[changed + tail]
    if not cases:
        raise RuntimeError("no case was made")
    return {"missing_types": sorted(missing), "cases": list(cases.values())}


# ---- t5 --------------------------------------------------------------------------------------------------------------

T5_BUCKETS = (
    "models.t5.modeling_t5:T5Attention._relative_position_bucket",
    "models.mt5.modeling_mt5:MT5Attention._relative_position_bucket",
    "models.longt5.modeling_longt5:LongT5Attention._relative_position_bucket",
)
T5_FIRST, T5_LAST = -300, 300


def make_t5(_):
    function, source = find_attribute(T5_BUCKETS)
    tables = []
    for buckets, max_distance in ((32, 128), (16, 64), (8, 20)):
        for bidirectional in (True, False):
            def numbers(_, options=(bidirectional, buckets, max_distance)):
                return function(torch.arange(T5_FIRST, T5_LAST + 1), *options)
            wide, untouched = (found.tolist() for found in in_both_precisions(numbers))
            if min(untouched) != 0 or max(untouched) != buckets - 1:
                raise RuntimeError(f"{buckets} buckets, numbered {min(untouched)} to {max(untouched)}")
            tables.append({"buckets": buckets, "max_distance": max_distance, "bidirectional": bidirectional,
                           "values": untouched, "rounding_dependent":
                           [[T5_FIRST + i, a, b] for i, (a, b) in enumerate(zip(untouched, wide)) if a != b]})
    return {"source": source, "first": T5_FIRST, "last": T5_LAST, "tables": tables}


# ---- alibi -----------------------------------------------------------------------------------------------------------

def make_alibi(_):
    function, source = find_attribute(["models.bloom.modeling_bloom:build_alibi_tensor"])
    cases = []
    for heads in (4, 6, 8, 12, 16):
        def slopes(watch, heads=heads):
            dtype = torch.float64 if watch.widen else torch.float32
            bias = function(torch.ones(1, 8, dtype=torch.int64), heads, dtype).reshape(heads, 8)
            first = bias[:, 1] - bias[:, 0]
            straight = first[:, None] * torch.arange(8, dtype=dtype)
            if (bias - straight).abs().max() > 4 * torch.finfo(dtype).eps * straight.max():
                raise RuntimeError(f"the bias for {heads} heads is not slope times position")
            return first
        wide, untouched = in_both_precisions(slopes)
        check_agreement(f"{heads} slopes", wide, untouched, 64)  # up to the 16th power of a rounded base
        cases.append({"heads": heads, "slopes": wide.tolist(), "slopes_float32": untouched.double().tolist()})
    return {"source": source, "cases": cases}


# ---- mla -------------------------------------------------------------------------------------------------------------

MLA_TOKENS = 24
MLA_BASE = 10000.0
MLA_CONFIG = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 4, "qk_nope_head_dim": 8,
              "qk_rope_head_dim": 8, "v_head_dim": 8, "kv_lora_rank": 16, "q_lora_rank": 12,
              "max_position_embeddings": 64, "attention_bias": False, "attention_dropout": 0.0}
MLA_LAYOUT = {
    "queries": "q_b_proj(rms_norm(q_a_proj(hidden))): per head qk_nope_head_dim content channels, then "
               "qk_rope_head_dim rotated ones",
    "latent": "kv_a_proj_with_mqa(hidden): kv_lora_rank latent channels, then qk_rope_head_dim rotated key channels "
              "that all heads share and that no norm touches",
    "keys_values": "kv_b_proj(rms_norm(latent)): per head qk_nope_head_dim key channels, then v_head_dim value ones",
    "rotation": "pair c turns by position * base^(-2 c / qk_rope_head_dim); it is channels (2 c, 2 c + 1) with "
                "rope_interleave, else (c, c + qk_rope_head_dim / 2)",
    "logits": "scale * (content query . content key + rotated query . rotated key), positions 0 .. tokens - 1",
}


def draw(source, centre, size, *shape):
    """Normal draws that float32 holds exactly, as float64."""
    values = [source.gauss(centre, size) for _ in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float32).double().reshape(shape)


def draw_mla(attention):
    """Norms away from 1, everything else of a size that keeps activations and logits near 1. Every token's input has
    mean square 1, as if an RMS norm stood in front: a model that has one there can be given it."""
    source = random.Random("phasor deepseek_v3")
    hidden = draw(source, 0.0, 1.0, 1, MLA_TOKENS, MLA_CONFIG["hidden_size"])
    hidden = (hidden / hidden.square().mean(-1, keepdim=True).sqrt()).float().double()
    weights = {}
    for name, parameter in sorted(attention.state_dict().items()):
        norm = parameter.dim() == 1
        weights[name] = draw(source, float(norm), 0.2 if norm else parameter.shape[-1] ** -0.5, *parameter.shape)
    return hidden, weights


def run_mla(modeling, config, hidden, weights, watch):
    """The module's logits, probabilities and output."""
    attention = modeling.DeepseekV3Attention(config, layer_idx=0).double().eval()
    attention.load_state_dict(weights)
    rotation = modeling.DeepseekV3RotaryEmbedding(config=config)(hidden, torch.arange(MLA_TOKENS)[None])
    watch.softmax_inputs.clear()
    output, probabilities = attention(
        hidden_states=hidden, position_embeddings=rotation,
        attention_mask=torch.zeros(1, 1, MLA_TOKENS, MLA_TOKENS, dtype=torch.float64))[:2]
    if len(watch.softmax_inputs) != 1 or probabilities is None:
        raise RuntimeError(f"{len(watch.softmax_inputs)} calls of softmax in one attention; is it the eager one?")
    return {"logits": watch.softmax_inputs[0][0].double(), "probabilities": probabilities[0].double(),
            "output": output[0].double()}


def described_logits(hidden, weights, scale, epsilon, interleave):
    """The logits as MLA_LAYOUT puts them into words: nothing of this is stored, it checks the words."""
    heads, nope, rope, rank = (MLA_CONFIG[key] for key in (
        "num_attention_heads", "qk_nope_head_dim", "qk_rope_head_dim", "kv_lora_rank"))

    def norm(x, name):
        return x / (x.pow(2).mean(-1, keepdim=True) + epsilon).sqrt() * weights[f"{name}.weight"]

    def turn(x):  # [..., tokens, rope]
        angles = torch.outer(torch.arange(float(MLA_TOKENS)).double(),
                             MLA_BASE ** (-torch.arange(0, rope, 2).double() / rope))
        a, b = (x[..., 0::2], x[..., 1::2]) if interleave else x.chunk(2, -1)
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)
    query = norm(hidden[0] @ weights["q_a_proj.weight"].T, "q_a_layernorm") @ weights["q_b_proj.weight"].T
    query = query.reshape(MLA_TOKENS, heads, nope + rope).transpose(0, 1)
    latent = hidden[0] @ weights["kv_a_proj_with_mqa.weight"].T
    key = norm(latent[:, :rank], "kv_a_layernorm") @ weights["kv_b_proj.weight"].T
    key = key.reshape(MLA_TOKENS, heads, -1).transpose(0, 1)[..., :nope]
    content = query[..., :nope] @ key.transpose(1, 2)
    return scale * (content + turn(query[..., nope:]) @ turn(latent[:, rank:]).T)


def require_close(what, a, b, limit):
    distance = (a - b).abs().max().item()
    if not distance <= limit:
        raise RuntimeError(f"{what}: {distance:.1e} apart, more than {limit:.1e}")


def make_mla(_):
    """(entry of the JSON file, tensors, metadata)"""
    modeling, source = find_attribute(["models.deepseek_v3.modeling_deepseek_v3"])
    config_class, _ = find_attribute(["models.deepseek_v3.configuration_deepseek_v3:DeepseekV3Config"])
    config = config_class(**MLA_CONFIG, **rope_arguments(MLA_BASE, {"rope_type": "default"}))
    config._attn_implementation = "eager"  # pylint: disable=protected-access
    attention = modeling.DeepseekV3Attention(config, layer_idx=0)
    scale, epsilon = float(attention.scaling), float(attention.q_a_layernorm.variance_epsilon)
    hidden, weights = draw_mla(attention)

    truth, untouched = in_both_precisions(lambda watch: run_mla(modeling, config, hidden, weights, watch))
    shape = (MLA_CONFIG["num_attention_heads"], MLA_TOKENS, MLA_TOKENS)
    if truth["logits"].shape != shape or attention.kv_a_layernorm.variance_epsilon != epsilon:
        raise RuntimeError(f"logits {list(truth['logits'].shape)}, norms with different epsilons?")
    require_close("softmax of the logits and the module's probabilities",
                  truth["logits"].softmax(-1), truth["probabilities"], 1e-14)
    require_close("the described layout and the module's logits",
                  described_logits(hidden, weights, scale, epsilon, bool(config.rope_interleave)),
                  truth["logits"], 1e-13)
    for name in truth:
        require_close(f"float64 and float32 {name}", truth[name], untouched[name],
                      256 * FLOAT32_ROUNDING * truth[name].abs().max().item())
    errors = {name: float(f"{(truth[name] - untouched[name]).abs().max().item():.1e}") for name in truth}

    tensors = {"hidden": hidden[0], **{f"weight/{name}": value for name, value in weights.items()}, **truth}
    entry = {"source": source, "file": MLA_NAME, "tokens": MLA_TOKENS, "base": MLA_BASE, "config": MLA_CONFIG,
             "rope_interleave": bool(config.rope_interleave), "scale": scale, "norm_epsilon": epsilon,
             "layout": MLA_LAYOUT, "tensors": {name: list(value.shape) for name, value in tensors.items()},
             "float32_error": errors}
    metadata = {"script": "tools/make_encoding_fixtures.py", "described_in": JSON_NAME, "computed_in": "float64",
                **versions()}
    return entry, tensors, metadata


# ---- files -----------------------------------------------------------------------------------------------------------

def versions():
    import transformers  # pylint: disable=import-outside-toplevel
    return {"transformers": transformers.__version__, "torch": str(torch.__version__),
            "python": platform.python_version()}


def write_json(path, content):
    """Small values on one line; of a long section one line per entry, and per element of its lists of objects."""
    def text(value, indent):
        flat = json.dumps(value, allow_nan=False)
        nested = isinstance(value, dict) and len(flat) > 120 and indent < 2
        objects = isinstance(value, list) and value and isinstance(value[0], dict)
        if not nested and not objects:
            return flat
        pad = "\n" + "  " * (indent + 1)
        items = [f"{json.dumps(key)}: {text(item, indent + 1)}" for key, item in value.items()] if nested else \
            [json.dumps(item, allow_nan=False) for item in value]
        opening, closing = "{}" if nested else "[]"
        return opening + pad + ("," + pad).join(items) + "\n" + "  " * indent + closing
    path.write_text(text(content, 0) + "\n", encoding="utf-8")


def json_differences(stored, made, path=""):
    """Where two contents differ by more than the rounding of their numbers; versions and sources do not count."""
    if path.rsplit(".", 1)[-1] in ("versions", "source", "float32_error"):
        return []
    if isinstance(stored, dict) and isinstance(made, dict):
        return [line for key in sorted(stored.keys() | made.keys())
                for line in json_differences(stored.get(key), made.get(key), f"{path}.{key}")]
    if isinstance(stored, list) and isinstance(made, list) and len(stored) == len(made):
        names = [a["name"] if isinstance(a, dict) and "name" in a else i for i, a in enumerate(stored)]
        return [line for name, a, b in zip(names, stored, made) for line in json_differences(a, b, f"{path}[{name}]")]
    if isinstance(stored, float) and isinstance(made, float):
        roundings = 8 * (FLOAT32_ROUNDING if "float32" in path else sys.float_info.epsilon)
        return [] if abs(stored - made) <= roundings * abs(stored) else [f"{path}: {stored!r}, made {made!r}"]
    return [] if stored == made else [f"{path}: {str(stored)[:60]}, made {str(made)[:60]}"]


def tensor_differences(path, tensors):
    stored, _ = safetensors_io.load(path)
    if stored.keys() != tensors.keys():
        return [f"{path.name}: other tensors: {sorted(stored.keys() ^ tensors.keys())}"]
    found = []
    for name, tensor in tensors.items():
        if stored[name].shape != tensor.shape or stored[name].dtype != tensor.dtype:
            found.append(f"{path.name}: {name} is {stored[name].dtype} {list(stored[name].shape)}")
            continue
        scale = sys.float_info.epsilon * tensor.abs().max().item()
        worst = (stored[name] - tensor).abs().max().item() / scale
        if worst > 64:
            found.append(f"{path.name}: {name} is {worst:.0f} roundings of its largest entry away")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the stored files instead of writing them")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the fixtures")
    arguments = parser.parse_args()
    try:
        import transformers  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise SystemExit(f"needs Hugging Face transformers: {error}") from error
    transformers.logging.set_verbosity_error()
    print(", ".join(f"{name} {version}" for name, version in versions().items()))

    failed = []

    def report(what, error):
        failed.append(f"{what}: {type(error).__name__}: {error}")
        print(f"{what}: FAILED", file=sys.stderr)
        traceback.print_exception(type(error), error, error.__traceback__)

    content, tensors, metadata = {"versions": versions()}, None, None
    for name, make in {"rope": make_rope, "t5": make_t5, "alibi": make_alibi, "mla": make_mla}.items():
        try:
            content[name] = make(report)
            if name == "mla":
                content[name], tensors, metadata = content[name]
            print(f"{name}: {len(content[name].get('cases', content[name].get('tables', [1])))} made")
        except Exception as error:  # pylint: disable=broad-except
            content.pop(name, None)
            report(name, error)

    json_path, mla_path = arguments.out / JSON_NAME, arguments.out / MLA_NAME
    differences = []
    if arguments.check:
        stored = json.loads(json_path.read_text(encoding="utf-8"))
        differences = json_differences(stored, json.loads(json.dumps(content)))
        differences += tensor_differences(mla_path, tensors) if tensors else []
        print("\n".join(differences) if differences else f"{arguments.out}: as stored")
    else:
        if failed:
            content["failed"] = failed
        arguments.out.mkdir(parents=True, exist_ok=True)
        write_json(json_path, content)
        print(f"{json_path}: {json_path.stat().st_size} bytes")
        if tensors:
            safetensors_io.save(mla_path, tensors, metadata)
            print(f"{mla_path}: {mla_path.stat().st_size} bytes, {len(tensors)} tensors")
    for line in failed:
        print(f"FAILED {line}", file=sys.stderr)
    return 1 if failed or differences else 0


if __name__ == "__main__":
    sys.exit(main())
