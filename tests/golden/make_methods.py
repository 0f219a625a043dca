#!/usr/bin/env python3
"""Golden files of one training step of each method above the encoder, by PyTorch in double precision.

    make_methods.py FOLDER        writes FOLDER/step_NAME.safetensors for all METHODS

Needs torch and safetensors. Features of two views, labels and the start of all parameters in; the losses in the order
in which the program tells them, and the gradients of features and parameters out. Every known class has two labelled
rows, so that the partner of a labelled row is no matter of chance.
"""

import math
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

ROWS, FEATURES, KNOWN, CLASSES = 20, 12, 3, 6
EPOCHS, EPOCH, PROGRESS = 12, 5, 0.4


def rounded(tensor):
    """What the file holds, so that both sides start from the same numbers."""
    return tensor.to(torch.float32).to(torch.float64)


def linear(name, inputs, outputs):
    weight = nn.Parameter(rounded(torch.randn(outputs, inputs, dtype=torch.float64) * 0.4))
    bias = nn.Parameter(rounded(torch.randn(outputs, dtype=torch.float64) * 0.2))
    return {f"{name}.weight": weight, f"{name}.bias": bias}


def through(parameters, name, x):
    return F.linear(x, parameters[f"{name}.weight"], parameters[f"{name}.bias"])


def partners_of(unit, labels):
    cosines = unit @ unit.T
    cosines.fill_diagonal_(-2.0)
    partners = cosines.argmax(1)
    for row in range(ROWS):
        if labels[row] >= 0:
            same = torch.nonzero((labels == labels[row]) & (torch.arange(ROWS) != row)).ravel()
            partners[row] = same[0]
    return partners


class Orca:
    uncertainty = 0.3

    def parameters(self):
        return {"classifier.weight": nn.Parameter(rounded(torch.randn(CLASSES, FEATURES, dtype=torch.float64)))}

    def losses(self, parameters, features, labels):
        unit = [F.normalize(view) for view in features]
        logits = [10.0 * u @ F.normalize(parameters["classifier.weight"]).T for u in unit]
        p = [F.softmax(view, dim=1) for view in logits]
        partners = partners_of(unit[0].detach(), labels)
        pairwise = F.binary_cross_entropy((p[0] * p[1][partners]).sum(1), torch.ones(ROWS, dtype=torch.float64))
        known = labels >= 0
        shifted = logits[0][known] + 10.0 * self.uncertainty * F.one_hot(labels[known], CLASSES)
        ce = F.cross_entropy(shifted, labels[known])
        mean = p[0].mean(0)
        entropy = -(mean * mean.log()).sum()
        return [pairwise + ce - entropy, pairwise, ce, entropy]


class Gcd:
    weight = 0.35

    def parameters(self):
        return {**linear("head.0", FEATURES, 4 * FEATURES), **linear("head.2", 4 * FEATURES, 4 * FEATURES),
                **linear("head.4", 4 * FEATURES, FEATURES // 2)}

    def losses(self, parameters, features, labels):
        x = torch.cat(features)
        for name in ("head.0", "head.2"):
            x = F.gelu(through(parameters, name, x))
        z = F.normalize(through(parameters, "head.4", x))
        others = ~torch.eye(2 * ROWS, dtype=torch.bool)
        partner = torch.arange(2 * ROWS).roll(ROWS)
        logits = (z @ z.T).masked_fill(~others, -math.inf)
        info_nce = F.cross_entropy(logits, partner)

        both = labels.repeat(2)
        known = torch.nonzero(both >= 0).ravel()
        s = z[known] @ z[known].T / 0.07
        diagonal = torch.eye(len(known), dtype=torch.bool)
        log_p = s - s.masked_fill(diagonal, -math.inf).logsumexp(1, keepdim=True)
        positive = (both[known][:, None] == both[known]) & ~diagonal
        sup_con = -((log_p * positive).sum(1) / positive.sum(1)).mean()
        return [(1 - self.weight) * info_nce + self.weight * sup_con, info_nce, sup_con]


class RankStats:
    tuning = EPOCHS // 3
    rise = 0.25 * (EPOCHS - EPOCHS // 3)

    def parameters(self):
        return {**linear("head1", FEATURES, KNOWN), **linear("head2", FEATURES, CLASSES)}

    def losses(self, parameters, features, labels):
        known, free = labels >= 0, labels < 0
        logits1 = [through(parameters, "head1", view) for view in features]
        p1 = [F.softmax(view, dim=1) for view in logits1]
        p2 = [F.softmax(through(parameters, "head2", view), dim=1) for view in features]
        ce = F.cross_entropy(logits1[0][known], labels[known])
        tops = [set(row.topk(5).indices.tolist()) for row in features[0][free].detach()]
        alike = torch.tensor([[a == b for b in tops] for a in tops])
        product = p2[0][free] @ p2[1][free].T
        pairs = torch.where(alike, -(product + 1e-7).log(), -(1 - product + 1e-7).log()).mean()
        consistency = F.mse_loss(p1[0], p1[1]) + F.mse_loss(p2[0], p2[1])
        part = min(1.0, (EPOCH - self.tuning) / self.rise)
        w = 5.0 * math.exp(-5.0 * (1.0 - part) ** 2)
        return [ce + pairs + w * consistency, ce, pairs, consistency]


class RankStatsTuning(RankStats):
    """An epoch that trains head 1 alone."""

    def losses(self, parameters, features, labels):
        known = labels >= 0
        ce = F.cross_entropy(through(parameters, "head1", features[0][known]), labels[known])
        zero = torch.zeros((), dtype=torch.float64)
        return [ce, ce, zero, zero]


class Dtc:
    warm, rise = 1, 1.0  # epochs of 12, without tuning

    def parameters(self):
        centres = nn.Parameter(rounded(torch.randn(CLASSES, CLASSES, dtype=torch.float64)))
        return {**linear("embedding", FEATURES, CLASSES), "cluster_centres": centres,
                **linear("classifier", FEATURES, KNOWN)}

    def rows(self):
        return {"targets": rounded(F.softmax(2.0 * torch.randn(ROWS, CLASSES, dtype=torch.float64), dim=1))}

    def losses(self, parameters, features, labels, targets):
        free = labels < 0
        s = []
        for view in features:
            z = through(parameters, "embedding", view[free])
            u = 1.0 / (1.0 + ((z[:, None] - parameters["cluster_centres"]) ** 2).sum(2))
            s.append(u / u.sum(1, keepdim=True))
        t = targets[free]
        kl = (t * (t / s[0]).log()).mean()
        consistency = F.mse_loss(s[0], s[1])
        part = min(1.0, (EPOCH - self.warm) / self.rise)
        return [kl + 10.0 * math.exp(-5.0 * (1.0 - part) ** 2) * consistency, kl, consistency]


class DtcTuning(Dtc):
    """An epoch that trains a classifier of the known classes."""

    def losses(self, parameters, features, labels, targets):
        known = labels >= 0
        ce = F.cross_entropy(through(parameters, "classifier", features[0][known]), labels[known])
        return [ce, ce]


class FixMatch:
    threshold = 0.6

    def parameters(self):
        return linear("classifier", FEATURES, KNOWN)

    def losses(self, parameters, features, labels):
        known, free = labels >= 0, labels < 0
        weak, strong = (through(parameters, "classifier", view) for view in features)
        ce = F.cross_entropy(weak[known], labels[known])
        most, pseudo = F.softmax(weak[free].detach(), dim=1).max(1)
        mask = (most >= self.threshold).double()
        unlabelled = (F.cross_entropy(strong[free], pseudo, reduction="none") * mask).mean()
        return [ce + unlabelled, ce, unlabelled, mask.mean()]


class Ds3l:
    """The weight network gets the gradient of the outer loss through one virtual step of the classifier."""
    virtual_rate = 1e-3

    def parameters(self):
        return {**linear("classifier", FEATURES, KNOWN), **linear("weights.0", KNOWN, 100), **linear("weights.3", 100, 1)}

    def losses(self, parameters, features, labels):
        known, free = labels >= 0, labels < 0
        logits = [through(parameters, "classifier", view) for view in features]
        p = [F.softmax(view, dim=1) for view in logits]
        ce = F.cross_entropy(logits[0][known], labels[known])
        u = ((p[1][free] - p[0][free].detach()) ** 2).mean(1)
        hidden = F.relu(through(parameters, "weights.0", p[0][free].detach()))
        w = torch.sigmoid(through(parameters, "weights.3", hidden)).ravel()
        r = 10.0 * math.exp(-5.0 * (1.0 - PROGRESS) ** 2)

        theta = [parameters["classifier.weight"], parameters["classifier.bias"]]
        virtual_inner = 0.5 * ce + r * (w * u).sum() / w.sum()
        slopes = torch.autograd.grad(virtual_inner, theta, create_graph=True)
        weight, bias = (value - self.virtual_rate * slope for value, slope in zip(theta, slopes))
        outer = F.cross_entropy(F.linear(features[0][known].detach(), weight, bias), labels[known])
        network = [value for name, value in parameters.items() if name.startswith("weights.")]
        self.weight_gradients = dict(zip([n for n in parameters if n.startswith("weights.")],
                                         torch.autograd.grad(outer, network, retain_graph=True)))
        fixed = w.detach()
        consistency = (fixed * u).sum() / fixed.sum()
        return [0.5 * ce + r * consistency, ce, consistency, fixed.mean()]


METHODS = {"orca": Orca, "gcd": Gcd, "rankstats": RankStats, "rankstats_tuning": RankStatsTuning, "dtc": Dtc,
           "dtc_tuning": DtcTuning, "fixmatch": FixMatch, "ds3l": Ds3l}


def gradient_of(tensor):
    """0 where the loss does not depend on it."""
    return torch.zeros_like(tensor) if tensor.grad is None else tensor.grad


def make_case(method):
    torch.manual_seed(11)
    features = []
    base = torch.randn(ROWS, FEATURES, dtype=torch.float64).relu()
    base[-4:] = base[-8:-4] * 1.1  # rows of which RankStats finds the same largest features
    for size in (0.01, 0.8):
        noise = size * torch.rand(ROWS, FEATURES, dtype=torch.float64)
        features.append(rounded(base + noise).requires_grad_())
    labels = torch.full((ROWS,), -1)
    labels[:2 * KNOWN] = torch.arange(2 * KNOWN) % KNOWN
    parameters = method.parameters()
    rows = method.rows() if hasattr(method, "rows") else {}
    terms = method.losses(parameters, features, labels, *rows.values())
    terms[0].backward()
    gradients = {name: gradient_of(parameter) for name, parameter in parameters.items()}
    gradients.update(getattr(method, "weight_gradients", {}))

    tensors = {f"features.{v}": view for v, view in enumerate(features)}
    tensors.update({f"diff.{v}": gradient_of(view) for v, view in enumerate(features)})
    tensors.update({f"start.{name}": parameter for name, parameter in parameters.items()})
    tensors.update({f"grad.{name}": gradient for name, gradient in gradients.items()})
    tensors.update({f"rows.{name}": values for name, values in rows.items()})
    tensors["terms"] = torch.stack(terms)
    result = {name: tensor.detach().float().contiguous() for name, tensor in tensors.items()}
    result["labels"] = labels.to(torch.int32)
    return result


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, method in METHODS.items():
        save_file(make_case(method()), folder / f"step_{name}.safetensors")


if __name__ == "__main__":
    main()
