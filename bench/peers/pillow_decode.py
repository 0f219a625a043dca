#!/usr/bin/env python3
"""The rate at which Pillow turns a folder of pictures into RGB bytes, on one core.

usage: pillow_decode.py FOLDER [--size 224] [--repeats 5]        (needs Pillow and numpy)

The same work as `opencd_sycl bench data` on folders: read, decode, turn upright, convert to RGB, resize the
shorter side, cut the middle square, hand over the bytes. Prints one JSON object; cpu_rate counts the
processor's time alone, for machines that are busy with other things.
"""
import argparse
import json
import os
import pathlib
import statistics
import time

import numpy as np
from PIL import Image, ImageOps, __version__


def square(path, size):
    with Image.open(path) as file:
        image = ImageOps.exif_transpose(file).convert("RGB")
    width, height = image.size
    if (width, height) != (size, size):
        short = min(width, height)
        wide = size if width == short else size * width // short
        high = size if height == short else size * height // short
        image = image.resize((wide, high), Image.BILINEAR)
        left, top = int(round((wide - size) / 2.0)), int(round((high - size) / 2.0))
        image = image.crop((left, top, left + size, top + size))
    return np.asarray(image)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    files = [p for p in sorted(options.folder.rglob("*")) if p.suffix.lower() in (".jpg", ".jpeg", ".png")]
    samples, cpu_samples = [], []
    for _ in range(options.repeats + 1):
        started, cpu_started = time.perf_counter(), time.process_time()
        for path in files:
            square(path, options.size)
        samples.append(1000 * (time.perf_counter() - started))
        cpu_samples.append(1000 * (time.process_time() - cpu_started))
    samples, cpu_samples = samples[1:], cpu_samples[1:]  # the first reads the files from disk
    median = statistics.median(samples)
    print(json.dumps({
        "name": "decode", "peer": f"Pillow {__version__}", "params": {"pictures": len(files), "size": options.size},
        "samples_ms": samples, "median_ms": median, "rate": 1000 * len(files) / median,
        "cpu_rate": 1000 * len(files) / statistics.median(cpu_samples), "unit": "img/s"}))


main()
