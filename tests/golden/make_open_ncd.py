#!/usr/bin/env python3
"""Golden file of whole training steps of OpenNCD above the encoder, by PyTorch in double precision.

    make_open_ncd.py FOLDER        writes FOLDER/open_ncd_{code,paper,balanced,shares}.safetensors

Needs torch and safetensors. Features of two views, labels, groups, and the start of head and prototypes in; losses and
gradients of the first step, and all parameters after three steps of Adam out. Every known class has two labelled rows,
so that the partner of a labelled row is no matter of chance. `balanced` and `shares` are `code` with the group loss
of opencd+ and with its regulariser, in which labelled rows have the share of the training set.
"""

import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

ROWS, FEATURES, DIMENSIONS, PROTOTYPES, GROUPS, KNOWN = 24, 20, 8, 15, 6, 3
TEMPERATURE, RATE, STEPS, EPSILON = 0.1, 2e-3, 3, 1e-8
ROUNDS, SHARPNESS = 3, 2.0
SHARE = 30 / 400  # labelled rows of the training set
WEIGHTS = {"code": (1.0, 1.0, 10.0, 1.0), "paper": (1.0, 1.0, 1.0, 1.0), "balanced": (1.0, 1.0, 10.0, 1.0),
           "shares": (1.0, 1.0, 10.0, 1.0)}


def rounded(tensor):
    """What the file holds, so that both sides start from the same numbers."""
    return tensor.to(torch.float32).to(torch.float64)


class Head(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(FEATURES, FEATURES), nn.BatchNorm1d(FEATURES), nn.ReLU(),
                         nn.Linear(FEATURES, DIMENSIONS))
        self.double()
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.copy_(rounded(torch.randn_like(parameter) * 0.3 + (parameter.dim() == 1) * 0.5))


def partners_of(z, labels):
    cosines = z @ z.T
    cosines.fill_diagonal_(-2.0)
    partners = cosines.argmax(1)
    for row in range(ROWS):
        if labels[row] >= 0:
            same = torch.nonzero((labels == labels[row]) & (torch.arange(ROWS) != row)).ravel()
            partners[row] = same[0] if len(same) else row
    return partners


@torch.no_grad()
def balanced(q):
    """Sinkhorn and Knopp: every group gets the same share of the batch."""
    targets = q ** SHARPNESS
    for _ in range(ROUNDS):
        targets = targets / (GROUPS * targets.mean(0, keepdim=True))
        targets = targets / targets.sum(1, keepdim=True)
    return targets


def losses(form, head, prototypes, features, labels, mask, prior):
    z = [F.normalize(head(view)) for view in features]
    units = F.normalize(prototypes)
    p, p2 = (F.softmax(view @ units.T / TEMPERATURE, dim=1) for view in z)
    partners = partners_of(z[0].detach(), labels)
    q, q2 = p @ mask.T, p2 @ mask.T
    if form == "paper":
        similarity, other, factor = F.cosine_similarity(p, p2[partners], dim=1), q2[partners], 1.0
    else:
        similarity, other, factor = (p * p2[partners]).sum(1), q2, 0.5
    targets, other_targets = (balanced(q), balanced(q2)) if form == "balanced" else (q, other)
    cross = (other_targets * (q + EPSILON).log()).sum(1) + (targets * (other + EPSILON).log()).sum(1)
    known, others = torch.nonzero(labels >= 0).ravel(), torch.nonzero(labels < 0).ravel()
    mean = SHARE * p[known].mean(0) + (1 - SHARE) * p[others].mean(0) if form == "shares" else p.mean(0)
    terms = torch.stack([-similarity.log().mean(), -factor * cross.mean(), (mean * (mean / prior).log()).sum(),
                         -(q[known, labels[known]] + EPSILON).log().mean()])
    return terms, (terms * torch.tensor(WEIGHTS[form], dtype=torch.float64)).sum()


def make_case(form):
    torch.manual_seed(7)
    head = Head()
    prototypes = nn.Parameter(rounded(torch.randn(PROTOTYPES, DIMENSIONS, dtype=torch.float64)))
    features = [rounded(torch.randn(ROWS, FEATURES, dtype=torch.float64)).requires_grad_() for _ in range(2)]
    labels = torch.full((ROWS,), -1)
    labels[:2 * KNOWN] = torch.arange(2 * KNOWN) % KNOWN
    group_of = torch.arange(PROTOTYPES) % GROUPS
    mask = F.one_hot(group_of, GROUPS).T.double()
    prior = 1.0 / (GROUPS * mask.sum(1)[group_of])

    tensors = {f"features.{v}": view.detach().clone() for v, view in enumerate(features)}
    named = {**{f"head.{name}": p for name, p in head.named_parameters()}, "prototypes": prototypes}
    for name, parameter in named.items():
        tensors[f"start.{name}"] = parameter.detach().clone()
    adam = torch.optim.Adam(named.values(), lr=RATE)
    for step in range(STEPS):
        adam.zero_grad()
        terms, total = losses(form, head, prototypes, features, labels, mask, prior)
        total.backward()
        if step == 0:
            tensors["terms"] = torch.cat([terms, total[None]]).detach()
            for v, view in enumerate(features):
                tensors[f"diff.{v}"] = view.grad.clone()
            for name, parameter in named.items():
                tensors[f"grad.{name}"] = parameter.grad.clone()
        adam.step()
    for name, parameter in named.items():
        tensors[f"after.{name}"] = parameter.detach()
    result = {name: tensor.float().contiguous() for name, tensor in tensors.items()}
    result["labels"] = labels.to(torch.int32)
    result["group_of"] = group_of.to(torch.int32)
    return result


def main():
    folder = pathlib.Path(sys.argv[1])
    for form in WEIGHTS:
        save_file(make_case(form), folder / f"open_ncd_{form}.safetensors")


if __name__ == "__main__":
    main()
