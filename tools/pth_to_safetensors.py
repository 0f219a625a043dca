#!/usr/bin/env python3
"""Turns the weights in a PyTorch file (.pth, .pth.tar, .pt, .th, .ckpt) into a safetensors file.

Needs the packages torch and safetensors. The file is loaded with weights_only=True, so nothing in
it is run; files that hold more than tensors and plain values are refused.

  pth_to_safetensors.py resnet18.pth                      -> resnet18.safetensors
  pth_to_safetensors.py simclr.pth.tar -o backbone.safetensors --keep-prefix backbone.
"""

import argparse
import os
import pickle
import re
import sys
from pathlib import Path

NESTS = ("state_dict", "model", "net", "model_state_dict", "network", "weights")
SUFFIXES = (".pth.tar", ".pth", ".pt", ".th", ".ckpt", ".bin")


class Refusal(Exception):
    """What goes to the user as one line."""


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="FILE", help="the PyTorch file")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE",
                        help="the file to write; default: FILE with the ending .safetensors")
    parser.add_argument("--nest", metavar="NAME",
                        help="entry that holds the weights, dots for nests within nests; default: the first of "
                        + ", ".join(NESTS))
    parser.add_argument("--keep-prefix", metavar="TEXT",
                        help="take only names that begin with TEXT (after module.), without it")
    parser.add_argument("--f32", action="store_true", help="turn other floating types into F32")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    parser.add_argument("--quiet", action="store_true", help="do not list names and shapes")
    return parser.parse_args()


def shown(name):
    """A name from the file, fit for a terminal."""
    return name if name.isprintable() else repr(name)


def default_output(source):
    for suffix in SUFFIXES:
        if source.name.endswith(suffix):
            return source.with_name(source.name[: -len(suffix)] + ".safetensors")
    return source.with_name(source.name + ".safetensors")


def load(torch, path):
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise Refusal(f"{path}: cannot be read: {error.strerror or error}") from error
    except pickle.UnpicklingError as error:
        # Only the name is taken from PyTorch's message: the rest advises to run the file's code.
        wanted = re.search(r"GLOBAL (\S+)", str(error))
        if not wanted:
            raise Refusal(f"{path}: not a PyTorch file") from error
        raise Refusal(f"{path}: holds a {shown(wanted[1])}, expected tensors and plain values alone; where it was "
                      "made, save model.state_dict() with torch.save and convert that") from error
    except (RuntimeError, EOFError, ValueError, KeyError, IndexError) as error:
        raise Refusal(f"{path}: not a PyTorch file, or cut short") from error


def enter(found, nest, path):
    """Steps into the entry that the user names."""
    for name in nest.split("."):
        if not isinstance(found, dict) or name not in found:
            raise Refusal(f"{path}: no entry {nest!r}; there is {entries(found)}")
        found = found[name]
    return found


def entries(found):
    if not isinstance(found, dict):
        return f"a {type(found).__name__}"
    return some(found) if found else "nothing"


def some(names):
    first = ", ".join(shown(str(name)) for name in list(names)[:8])
    return first + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def state_dict(torch, found, path):
    """Follows the usual nests down to a dictionary of tensors."""
    trail = []
    while isinstance(found, dict):
        nest = next((name for name in NESTS if isinstance(found.get(name), dict)), None)
        if nest is None:
            break
        found = found[nest]
        trail.append(nest)
    if not isinstance(found, dict) or not any(torch.is_tensor(value) for value in found.values()):
        raise Refusal(f"{path}: no dictionary of tensors; there is {entries(found)} (try --nest)")
    return found, ".".join(trail)


def selected(torch, weights, options):
    tensors, skipped = {}, []
    for name, value in weights.items():
        if not torch.is_tensor(value):
            skipped.append(str(name))
            continue
        short = str(name)
        while short.startswith("module."):
            short = short[len("module."):]
        if options.keep_prefix:
            if not short.startswith(options.keep_prefix):
                skipped.append(str(name))
                continue
            short = short[len(options.keep_prefix):]
        if short in tensors:
            raise Refusal(f"{options.source}: two tensors would be called {short!r}, one of them {name!r}")
        if options.f32 and value.is_floating_point():
            value = value.float()
        # A copy of its own for each: the format knows neither strides nor shared memory.
        tensors[short] = value.detach().clone(memory_format=torch.contiguous_format)
    if not tensors:
        raise Refusal(f"{options.source}: no tensor name begins with {options.keep_prefix!r}; there is "
                      f"{entries(weights)}")
    return tensors, skipped


def check_types(torch, tensors, path):
    """opencd_sycl reads these types; another one is better said here than later."""
    known = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8)
    for name, tensor in tensors.items():
        if tensor.layout != torch.strided or tensor.is_quantized:
            raise Refusal(f"{path}: tensor {name!r} is sparse or quantised")
        if tensor.dtype not in known:
            raise Refusal(f"{path}: tensor {name!r} has type {tensor.dtype}, which opencd_sycl does not read")


def write(content, path):
    temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise Refusal(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        if temporary.exists():
            temporary.unlink()


def convert(options):
    try:
        import torch
        from safetensors.torch import save
    except ImportError as error:
        raise Refusal(f"{error}; install the packages torch and safetensors") from error
    out = options.out or default_output(options.source)
    if out.exists() and not options.force:
        raise Refusal(f"{out}: exists; --force replaces it")
    found = load(torch, options.source)
    if options.nest:
        found = enter(found, options.nest, options.source)
    weights, nest = state_dict(torch, found, options.source)
    tensors, skipped = selected(torch, weights, options)
    check_types(torch, tensors, options.source)
    write(save(tensors, metadata={"format": "pt"}), out)
    if not options.quiet:
        width = max(map(len, tensors))
        for name, tensor in tensors.items():
            print(f"{shown(name):{width}}  {str(tensor.dtype).removeprefix('torch.'):8}  {list(tensor.shape)}")
    numbers = sum(tensor.numel() for tensor in tensors.values())
    where = f" from entry {nest!r}" if nest else ""
    print(f"{out}: {len(tensors)} tensors, {numbers:,} numbers{where}")
    if skipped:
        print(f"left out: {some(skipped)}")


def main():
    try:
        convert(arguments())
    except Refusal as refusal:
        print(f"pth_to_safetensors: {refusal}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
