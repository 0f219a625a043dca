#!/usr/bin/env python3
"""Golden files of the training losses: values and gradients by PyTorch's autograd in double precision.

    make_losses.py FOLDER        writes FOLDER/*.safetensors

Needs torch and safetensors. Prototype losses: cosines of two views (B x K), partners, labels, groups and prior in; the
terms [proto, group, reg, ce, total] and the gradients of the total out. Contrastive losses: unit features of two views
in; the loss and the gradients with respect to their cosines and to them out.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file

EPSILON = 1e-8
PROTOTYPE_CASES = {
    # name: form, batch, prototypes, groups, labelled rows, temperature, weights of proto, group, reg, ce
    "code_small": ("code", 5, 7, 7, 2, 0.1, (1.0, 1.0, 10.0, 1.0)),
    "code_groups": ("code", 33, 50, 10, 9, 0.1, (1.0, 1.0, 10.0, 1.0)),
    "code_unlabelled": ("code", 16, 20, 6, 0, 0.1, (1.0, 1.0, 10.0, 1.0)),
    "code_weights": ("code", 12, 30, 4, 12, 0.25, (0.5, 2.0, 3.0, 0.25)),
    "paper_small": ("paper", 5, 7, 7, 2, 0.1, (1.0, 1.0, 1.0, 1.0)),
    "paper_groups": ("paper", 33, 50, 10, 9, 0.1, (1.0, 1.0, 1.0, 1.0)),
}
CONTRASTIVE_CASES = {
    # name: pictures, features, temperature, classes (0: every picture its own), share without a class
    "nt_xent": (9, 8, 0.5, 0, 0.0),
    "nt_xent_sharp": (16, 32, 0.1, 0, 0.0),
    "sup_con": (11, 8, 0.07, 3, 0.0),
    "sup_con_some": (14, 16, 0.07, 4, 0.4),
}


def unit_rows(rows, columns):
    return torch.nn.functional.normalize(torch.randn(rows, columns, dtype=torch.float64))


def rounded(tensor):
    """What the file holds, so that both sides start from the same numbers."""
    return tensor.to(torch.float32).to(torch.float64)


def prototype_terms(form, cosines, partners, labels, mask, prior, temperature):
    p, p2 = (torch.softmax(c / temperature, dim=1) for c in cosines)
    positive = p2[partners]
    q, q2 = p @ mask.T, p2 @ mask.T
    if form == "code":
        similarity = (p * positive).sum(1)
        other, factor = q2, 0.5
    else:
        similarity = torch.nn.functional.cosine_similarity(p, positive, dim=1)
        other, factor = q2[partners], 1.0
    proto = -similarity.log().mean()
    cross = (other * (q + EPSILON).log()).sum(1) + (q * (other + EPSILON).log()).sum(1)
    group = -factor * cross.mean()
    mean = p.mean(0)
    reg = (mean * (mean / prior).log()).sum()
    known = torch.nonzero(labels >= 0).ravel()
    ce = torch.zeros((), dtype=torch.float64)
    if len(known):
        ce = -(q[known, labels[known]] + EPSILON).log().mean()
    return proto, group, reg, ce


def make_prototype_case(form, batch, prototypes, groups, labelled, temperature, weights):
    centres = unit_rows(prototypes, 6)
    cosines = [rounded(unit_rows(batch, 6) @ centres.T).requires_grad_() for _ in range(2)]
    partners = torch.randint(batch, (batch,))
    partners[: batch // 4] = batch - 1  # one row that many chose
    labels = torch.full((batch,), -1)
    labels[:labelled] = torch.randint(min(groups, 5), (labelled,))
    group_of = torch.cat([torch.arange(groups), torch.randint(groups, (prototypes - groups,))])
    mask = torch.nn.functional.one_hot(group_of, groups).T.to(torch.float64)
    prior = rounded(1.0 / (groups * mask.sum(1)[group_of]))
    terms = prototype_terms(form, cosines, partners, labels, mask, prior, temperature)
    total = sum(weight * term for weight, term in zip(weights, terms))
    diffs = torch.autograd.grad(total, cosines)
    return {
        "cosines.0": cosines[0], "cosines.1": cosines[1], "partners": partners, "labels": labels,
        "group_of": group_of, "prior": prior, "temperature": torch.tensor([temperature]),
        "weights": torch.tensor(weights), "terms": torch.stack([*terms, total]),
        "diff.0": diffs[0], "diff.1": diffs[1],
    }


def contrastive_loss(cosines, classes, temperature):
    """Of rows whose class is not negative, both views."""
    both = torch.cat([classes, classes])
    present = torch.nonzero(both >= 0).ravel()
    logits = cosines[present][:, present] / temperature
    itself = torch.eye(len(present), dtype=torch.bool)
    logs = torch.log_softmax(logits.masked_fill(itself, -torch.inf), dim=1).masked_fill(itself, 0.0)
    same = (both[present][:, None] == both[present][None, :]) & ~itself
    return -((logs * same).sum(1) / same.sum(1)).mean()


def make_contrastive_case(pictures, features, temperature, class_count, unlabelled):
    z = rounded(unit_rows(2 * pictures, features)).requires_grad_()
    classes = torch.randint(class_count, (pictures,)) if class_count else torch.arange(pictures)
    classes[torch.rand(pictures) < unlabelled] = -1
    cosines = z @ z.T
    loss = contrastive_loss(cosines, classes, temperature)
    diff_cosines, diff_z = torch.autograd.grad(loss, [cosines, z])
    return {"z": z, "classes": classes, "temperature": torch.tensor([temperature]), "loss": loss.reshape(1),
            "diff_cosines": diff_cosines, "diff_z": diff_z}


def stored(tensor):
    kind = torch.float32 if tensor.is_floating_point() else torch.int32
    return tensor.detach().to(kind).contiguous()


def main():
    folder = pathlib.Path(sys.argv[1])
    for seed, (name, case) in enumerate([*PROTOTYPE_CASES.items(), *CONTRASTIVE_CASES.items()]):
        torch.manual_seed(seed)
        make = make_prototype_case if name in PROTOTYPE_CASES else make_contrastive_case
        tensors = {key: stored(value) for key, value in make(*case).items()}
        save_file(tensors, folder / f"{name}.safetensors", {"case": name})


if __name__ == "__main__":
    main()
