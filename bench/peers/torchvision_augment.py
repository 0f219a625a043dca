#!/usr/bin/env python3
"""Views per second of the published OpenNCD augmentation with torchvision on Pillow pictures, one thread.

    python bench/peers/torchvision_augment.py [--pictures 1024] [--repeats 5]

Two views of every 32 x 32 picture, as the authors' data loader makes them: flip, 28 x 28 resized crop, colour
jitter with probability 0.8, grayscale with 0.25, to tensor, normalise. Prints one line of JSON.
Needs numpy, Pillow, torch and torchvision.
"""
import argparse
import json
import statistics
import time

import numpy as np
import PIL
import torch
import torchvision
from PIL import Image
from torchvision import transforms


def opencd_transform():
    return transforms.Compose([
        transforms.RandomHorizontalFlip(),
        transforms.RandomResizedCrop(28, scale=(0.2, 1.0)),
        transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
        transforms.RandomGrayscale(p=0.25),
        transforms.ToTensor(),
        transforms.Normalize((0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)),
    ])


def smooth_pictures(count):
    """The same kind of pictures as `opencd_sycl bench data` takes."""
    picture, y, x, c = np.meshgrid(np.arange(count), np.arange(32), np.arange(32), np.arange(3), indexing="ij")
    wave = np.sin(0.2 * x + picture) + np.cos(0.15 * y + 0.01 * picture * c)
    return (127.5 + 60.0 * wave).astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pictures = smooth_pictures(options.pictures)
    transform = opencd_transform()

    def epoch():
        for picture in pictures:
            image = Image.fromarray(picture)
            transform(image)
            transform(image)

    samples = []
    for _ in range(options.repeats):
        start = time.perf_counter()
        epoch()
        samples.append(time.perf_counter() - start)
    print(json.dumps({
        "name": "torchvision_opencd",
        "views_per_second": 2 * options.pictures / statistics.median(samples),
        "samples_s": samples,
        "versions": {"torch": torch.__version__, "torchvision": torchvision.__version__, "pillow": PIL.__version__},
    }))


if __name__ == "__main__":
    main()
