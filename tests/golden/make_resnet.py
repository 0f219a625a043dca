#!/usr/bin/env python3
"""Golden files of residual networks: two views forward, gradients, running statistics, evaluation and
ten Adam steps by PyTorch in double precision, from start values that the file holds.

    make_resnet.py FOLDER        writes FOLDER/resnet18.safetensors, cifar_resnet.safetensors, bottleneck.safetensors

Needs torch and safetensors. Of tensors with more than SAMPLES elements the results hold every n-th one only.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch import nn

SAMPLES = 2048
STEPS = 10
LEARNING_RATE = 1e-3


class OptionA(nn.Module):
    """Every second pixel, and as many zero channels before as after."""

    def __init__(self, channels):
        super().__init__()
        self.channels = channels

    def forward(self, x):
        more = self.channels - x.shape[1]
        return nn.functional.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, more // 2, more // 2))


class Block(nn.Module):
    def __init__(self, kernels, channels, stride, strided, option_a):
        super().__init__()
        self.length = len(kernels)
        for i, kernel in enumerate(kernels):
            step = stride if i == strided else 1
            conv = nn.Conv2d(channels[i], channels[i + 1], kernel, step, kernel // 2, bias=False)
            setattr(self, f"conv{i + 1}", conv)
            setattr(self, f"bn{i + 1}", nn.BatchNorm2d(channels[i + 1]))
        across = nn.Conv2d(channels[0], channels[-1], 1, stride, bias=False)
        if stride == 1 and channels[0] == channels[-1]:
            self.downsample = nn.Identity()
        elif option_a:
            self.downsample = OptionA(channels[-1])
        else:
            self.downsample = nn.Sequential(across, nn.BatchNorm2d(channels[-1]))

    def forward(self, x):
        y = x
        for i in range(1, self.length + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            y = torch.relu(y) if i < self.length else y
        return torch.relu(y + self.downsample(x))


class ResNet(nn.Module):
    def __init__(self, blocks, width, bottleneck=False, imagenet_stem=False, option_a=False, classes=0):
        super().__init__()
        kernel, stride = (7, 2) if imagenet_stem else (3, 1)
        self.conv1 = nn.Conv2d(3, width, kernel, stride, kernel // 2, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, 1) if imagenet_stem else nn.Identity()
        self.stages = len(blocks)
        channels = width
        for stage, count in enumerate(blocks):
            inner = width * 2**stage
            layer = []
            for i in range(count):
                step = 2 if i == 0 and stage > 0 else 1
                if bottleneck:
                    layer.append(Block((1, 3, 1), (channels, inner, inner, 4 * inner), step, 1, option_a))
                else:
                    layer.append(Block((3, 3), (channels, inner, inner), step, 0, option_a))
                channels = inner * (4 if bottleneck else 1)
            setattr(self, f"layer{stage + 1}", nn.Sequential(*layer))
        self.linear = nn.Linear(channels, classes) if classes else nn.Identity()

    def forward(self, x):
        x = self.maxpool(torch.relu(self.bn1(self.conv1(x))))
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.linear(x.mean((2, 3)))


def sampled(tensor):
    flat = tensor.detach().reshape(-1)
    return flat[:: -(-flat.numel() // SAMPLES)].clone()


def state(model):
    return {name: t for name, t in model.state_dict().items() if "num_batches" not in name}


def golden(path, seed, images, **config):
    torch.manual_seed(seed)
    model = ResNet(**config).double()
    for name, tensor in state(model).items():  # away from the special values 0 and 1
        tensor.copy_((tensor + 0.1 * torch.randn_like(tensor)).float())
        if name.endswith("running_var"):
            tensor.abs_()
    # Behind a max-pool nearly all values are positive, so that ReLU does nothing and the next batch norm takes the
    # bias away again: its gradient is zero (1e-14 here), in f32 it is rounding, and Adam makes full steps of that.
    # PyTorch itself then ends 4e-3 to 2e-2 off in f32. With a lower bias ReLU cuts, and it ends 2e-7 off.
    if config.get("imagenet_stem"):
        model.bn1.bias.data -= 1.0
    result = {f"start.{name}": t.clone() for name, t in state(model).items()}

    views = [torch.randn(images).float().double() for _ in range(2)]
    outputs = [model(view) for view in views]
    diffs = [torch.randn_like(y).float().double() for y in outputs]
    loss = sum((y * d).sum() for y, d in zip(outputs, diffs))
    loss.backward()
    for i in range(2):
        result |= {f"images.{i}": views[i], f"diff.{i}": diffs[i], f"output.{i}": outputs[i].detach()}
    result |= {f"grad.{name}": sampled(p.grad) for name, p in model.named_parameters()}
    result |= {f"running.{n}": t.clone() for n, t in state(model).items() if "running" in n}
    model.eval()
    with torch.no_grad():
        result["evaluation"] = model(views[0])
    model.train()

    adam = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    adam.step()
    for _ in range(STEPS - 1):
        adam.zero_grad()
        sum((model(view) * d).sum() for view, d in zip(views, diffs)).backward()
        adam.step()
    result |= {f"after.{name}": sampled(t) for name, t in state(model).items()}
    save_file({name: t.float().contiguous() for name, t in result.items()}, path)
    print(path, sum(p.numel() for p in model.parameters()), "parameters", path.stat().st_size, "bytes")


def main():
    folder = pathlib.Path(sys.argv[1])
    golden(folder / "resnet18.safetensors", 1, (8, 3, 20, 20), blocks=(2, 2, 2, 2), width=8)
    golden(folder / "cifar_resnet.safetensors", 2, (4, 3, 16, 16), blocks=(1, 1, 1), width=16, option_a=True,
           classes=10)
    golden(folder / "bottleneck.safetensors", 3, (4, 3, 40, 40), blocks=(1, 1), width=16, bottleneck=True,
           imagenet_stem=True)


if __name__ == "__main__":
    main()
