#!/usr/bin/env python3
"""The work of `opencd_sycl bench train` in PyTorch, on the CPU, eager: the peer that our speed is measured by.

Two views through ResNet-18 (CIFAR stem) and the projection head, cosines to prototypes, softmax, the gradient of
half the mean squared length of p, backward through what is trained, one Adam step. Frozen stages run as the authors'
code runs them: batch norm with the statistics of the batch, no gradients. Prints one JSON object.

    pytorch_step.py --batch 512 --crop 28 --freeze-until stage3 --layout channels_last -r 3
"""

import argparse
import json
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, inputs, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != channels:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, channels, 1, stride, bias=False),
                                            nn.BatchNorm2d(channels))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        stages, channels = [], width
        for stage in range(4):
            inner = width * 2**stage
            stages.append(nn.Sequential(Block(channels, inner, 1 if stage == 0 else 2), Block(inner, inner, 1)))
            channels = inner
        self.stages = nn.ModuleList(stages)

    def forward(self, x, frozen):
        with torch.set_grad_enabled(frozen == 0 and torch.is_grad_enabled()):
            x = self.stem(x)
        for number, stage in enumerate(self.stages, 1):
            with torch.set_grad_enabled(number > frozen and torch.is_grad_enabled()):
                x = stage(x)
        return x.mean((2, 3))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--crop", type=int, default=28)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--prototypes", type=int, default=50)
    parser.add_argument("--freeze-until", default="stage3", choices=["none", "stage1", "stage2", "stage3", "stage4"])
    parser.add_argument("--layout", default="default", choices=["default", "channels_last"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--part", default="step", choices=["step", "inference"])
    parser.add_argument("-r", "--repeats", type=int, default=3)
    return parser.parse_args()


def make_step(args):
    torch.manual_seed(0)
    frozen = 0 if args.freeze_until == "none" else int(args.freeze_until[-1])
    encoder = Encoder(args.width)
    features = 8 * args.width
    head = nn.Sequential(nn.Linear(features, features), nn.BatchNorm1d(features), nn.ReLU(inplace=True),
                         nn.Linear(features, 32))
    prototypes = nn.Parameter(torch.randn(args.prototypes, 32))
    views = [torch.rand(args.batch, 3, args.crop, args.crop) for _ in range(2)]
    if args.layout == "channels_last":
        encoder = encoder.to(memory_format=torch.channels_last)
        views = [view.to(memory_format=torch.channels_last) for view in views]
    trained = [p for stage in encoder.stages[frozen:] for p in stage.parameters()]
    trained += list(encoder.stem.parameters()) if frozen == 0 else []
    for parameter in encoder.parameters():
        parameter.requires_grad_(any(parameter is p for p in trained))
    adam = torch.optim.Adam([*trained, *head.parameters(), prototypes], lr=2e-3)

    def step():
        adam.zero_grad()
        loss = 0.0
        for view in views:
            z = F.normalize(head(encoder(view, frozen)), dim=1)
            p = F.softmax(z @ F.normalize(prototypes, dim=1).T / 0.1, dim=1)
            loss = loss + 0.5 * (p * p).sum() / args.batch
        loss.backward()
        adam.step()

    @torch.inference_mode()
    def infer():
        encoder(views[0], frozen)

    if args.part == "inference":
        encoder.eval()
        return infer
    return step


def main():
    args = parse_arguments()
    torch.set_num_threads(args.threads)
    run = make_step(args)
    run()
    samples = []
    for _ in range(args.repeats):
        start = time.perf_counter()
        run()
        samples.append(1e3 * (time.perf_counter() - start))
    print(json.dumps({"peer": f"PyTorch {torch.__version__}", "params": vars(args), "samples_ms": samples,
                      "median_ms": statistics.median(samples)}))


if __name__ == "__main__":
    main()
