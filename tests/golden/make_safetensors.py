#!/usr/bin/env python3
"""Makes the golden safetensors files with the Python library (packages torch and safetensors).

python.safetensors    written by the library: types by falling alignment, then names
declared.safetensors  the same tensors in the order of TENSORS, as a writer that keeps the caller's
                      order must write them; the library is asked to read it before it is kept

Both hold what tests/files/safetensors_tests.cpp expects, byte for byte.
"""

import json
import pathlib
import struct

import torch
from safetensors.torch import load, save

METADATA = {"format": "pt", "note": "línea\n\"quoted\" \x01\x7f"}
TENSORS = {
    "conv1.weight": torch.tensor([[0.0, -1.5, 3.25], [1e-45, float("inf"), 1 / 3]]),
    "half": torch.tensor([1.0, -2.0, 65504.0, 2.0**-24, float("-inf")], dtype=torch.float16),
    "brain": torch.tensor([1.0, -0.0, 3.140625], dtype=torch.bfloat16),
    "empty": torch.zeros(0, 3),
    "scalar": torch.tensor(1 / 3, dtype=torch.float64),
    "bn1.num_batches_tracked": torch.tensor(2**40 + 1, dtype=torch.int64),
    "labels": torch.tensor([-1, 2**31 - 1], dtype=torch.int32),
    "größe\t": torch.tensor([0, 128, 255], dtype=torch.uint8),
}
NAMES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
         torch.int64: "I64", torch.int32: "I32", torch.uint8: "U8"}


def bytes_of(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def in_declared_order():
    header, data = {"__metadata__": METADATA}, b""
    for name, tensor in TENSORS.items():
        begin = len(data)
        data += bytes_of(tensor)
        header[name] = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def check(content):
    tensors = load(content)
    assert tensors.keys() == TENSORS.keys()
    for name, tensor in tensors.items():
        assert tensor.dtype == TENSORS[name].dtype and tensor.shape == TENSORS[name].shape, name
        assert bytes_of(tensor) == bytes_of(TENSORS[name]), name


def main():
    folder = pathlib.Path(__file__).parent
    files = {"python.safetensors": save(TENSORS, METADATA), "declared.safetensors": in_declared_order()}
    for name, content in files.items():
        check(content)
        (folder / name).write_bytes(content)
        print(f"{name}: {len(content)} bytes, read back by the library")


if __name__ == "__main__":
    main()
