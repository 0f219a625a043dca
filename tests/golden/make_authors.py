#!/usr/bin/env python3
"""Golden files of what the authors' own functions answer: loss, graph, grouping, search, prediction and scores.

    make_authors.py --open-ncd PATH [--to FOLDER]        writes FOLDER (tests/golden/authors)

PATH is a checkout of github.com/LiuJMzzZ/OpenNCD at 16db511. Its functions run here as they are, on random inputs
from fixed seeds; only questions and answers are kept, as numbers. Needs what their program imports:
torch 2.15.0, torchvision 0.29.2, matplotlib 3.11.2, scikit-learn 1.9.1, scipy 1.17.1, numpy 2.2.6 (from 2.4 on it refuses what they do), networkx 3.6.1,
python-louvain 0.16; and safetensors 0.8.0. The same versions give the same files, but for the order in which
python-louvain visits nodes: of it only counts and modularities are kept.
"""

import argparse
import contextlib
import importlib
import io
import json
import pathlib
import re
import sys
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

import make_method
import make_open_ncd

FOLDER = pathlib.Path(__file__).parent / "authors"
WARM_EPOCHS, GROUPING_EPOCHS = 5, 70  # their defaults


class Authors:
    """The modules of their checkout, on the CPU."""

    def __init__(self, path):
        sys.path.insert(0, str(path))
        self.main, self.utils, self.model = (importlib.import_module(name) for name in ("main", "utils", "models.model"))

    def make_model(self, prototypes, mask, tau=0.1):
        """Their model with `prototypes` and groups, to which features are handed instead of pictures."""
        model = self.model.Model(proto_num=len(prototypes), latent_dim=prototypes.shape[1], tau=tau, device="cpu")
        model.encoder = nn.Identity()
        model.prototypes = nn.Parameter(prototypes.clone())
        model.group_mask = mask
        return model


def write(folder, name, cases):
    (folder / f"{name}.json").write_text('{"cases": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]}\n")


def save(folder, name, tensors):
    stored = {key: value.detach().to(torch.float32 if value.is_floating_point() else torch.int32).contiguous()
              for key, value in tensors.items()}
    save_file(stored, folder / f"{name}.safetensors")


def mask_of(group_of):
    return F.one_hot(group_of).T.double()


# ---- Losses -------------------------------------------------------------------------------------------------------

LOSSES = {
    # name: rows, labelled rows, dimensions, prototypes, groups, known classes, temperature
    "loss_warm": (32, 6, 16, 50, 50, 5, 0.1),
    "loss_grouped": (32, 8, 16, 50, 10, 5, 0.1),
    "loss_soft": (17, 5, 8, 20, 6, 3, 0.5),
    "loss_cifar100": (24, 10, 16, 500, 100, 50, 0.1),
}
TERMS = ("proto", "group", "ent", "cls")


def recorded_pairs(model):
    """The list in which the model's choice of positive pairs will be."""
    choose, chosen = model.find_pairs, []

    def record(*inputs):
        chosen[:] = choose(*inputs)
        return list(chosen)

    model.find_pairs = record
    return chosen


def make_losses(authors, folder):
    for seed, (name, (rows, labelled, dimensions, prototypes, groups, known, tau)) in enumerate(LOSSES.items()):
        torch.manual_seed(seed)
        np.random.seed(seed)
        views = [make_open_ncd.rounded(torch.randn(rows, dimensions, dtype=torch.float64)) for _ in range(2)]
        views[1] = make_open_ncd.rounded(views[0] + 0.5 * views[1])
        views = [view.requires_grad_() for view in views]
        group_of = torch.cat([torch.arange(groups), torch.randint(groups, (prototypes - groups,))])
        model = authors.make_model(make_open_ncd.rounded(torch.randn(prototypes, dimensions, dtype=torch.float64)),
                                   mask_of(group_of), tau)
        pairs = recorded_pairs(model)
        y = torch.arange(labelled) * 2 // 3 % known  # classes of one row and of several
        answer = model.loss(views[0][:labelled], views[1][:labelled], y, views[0][labelled:], views[1][labelled:])
        sum(answer[term] for term in TERMS).backward()
        save(folder, name, {
            "features.0": views[0], "features.1": views[1], "prototypes": model.prototypes,
            "labels": torch.cat([y, torch.full((rows - labelled,), -1)]), "group_of": group_of,
            "temperature": torch.tensor([tau]), "partners": torch.tensor(pairs),
            "terms": torch.stack([answer[term] for term in TERMS]),
            "diff.features.0": views[0].grad, "diff.features.1": views[1].grad,
            "diff.prototypes": model.prototypes.grad,
        })


def make_step(authors, folder):
    """Steps of Adam as in the files of make_open_ncd.py, with the authors' loss."""
    torch.manual_seed(8)
    np.random.seed(8)
    rows, known, groups = make_open_ncd.ROWS, make_open_ncd.KNOWN, make_open_ncd.GROUPS
    head = make_open_ncd.Head()
    group_of = torch.arange(make_open_ncd.PROTOTYPES) % groups
    prototypes = torch.randn(make_open_ncd.PROTOTYPES, make_open_ncd.DIMENSIONS, dtype=torch.float64)
    model = authors.make_model(make_open_ncd.rounded(prototypes), mask_of(group_of))
    model.encoder = head
    views = [make_open_ncd.rounded(torch.randn(rows, make_open_ncd.FEATURES, dtype=torch.float64)).requires_grad_()
             for _ in range(2)]
    labelled = 2 * known
    y = torch.arange(labelled) % known
    named = {**{f"head.{name}": p for name, p in head.named_parameters()}, "prototypes": model.prototypes}
    tensors = {f"features.{v}": view.detach().clone() for v, view in enumerate(views)}
    tensors |= {f"start.{name}": parameter.detach().clone() for name, parameter in named.items()}
    adam = torch.optim.Adam(named.values(), lr=make_open_ncd.RATE)
    for step in range(make_open_ncd.STEPS):
        adam.zero_grad()
        answer = model.loss(views[0][:labelled], views[1][:labelled], y, views[0][labelled:], views[1][labelled:])
        total = sum(answer[term] for term in TERMS)
        total.backward()
        if step == 0:
            constant = 1e-7 * len(group_of)  # in every summand of `ent`; it has no gradient
            terms = [answer["proto"], answer["group"], answer["ent"] / 10 - constant, answer["cls"],
                     total - 10 * constant]
            tensors["terms"] = torch.stack(terms).detach()
            tensors |= {f"diff.{v}": view.grad.clone() for v, view in enumerate(views)}
            tensors |= {f"grad.{name}": parameter.grad.clone() for name, parameter in named.items()}
        adam.step()
    tensors |= {f"after.{name}": parameter.detach() for name, parameter in named.items()}
    tensors["labels"] = torch.cat([y, torch.full((rows - labelled,), -1)])
    tensors["group_of"] = group_of
    save(folder, "open_ncd_authors", tensors)


# ---- Graph, grouping, search --------------------------------------------------------------------------------------

PLACES = {
    # name: classes, dimensions, prototypes, rows, spread of rows and of prototypes, kappa, share of co-occurrence,
    #       known classes, labelled rows, share of labelled rows that lie in another class
    "clear": (10, 12, 50, 700, 0.10, 0.10, 3, 1.0, 5, 400, 0.4),
    "faint": (10, 12, 50, 700, 0.22, 0.20, 3, 1.0, 5, 400, 0.4),
    "mixed": (10, 12, 50, 700, 0.15, 0.15, 10, 0.9, 5, 400, 0.4),
    "unlabelled_groups": (10, 12, 50, 400, 0.10, 0.10, 3, 1.0, 5, 100, 0.0),
    "cifar100": (100, 16, 500, 1200, 0.06, 0.06, 10, 0.9, 50, 600, 0.5),
}


def unit_rows_around(means, count, spread):
    noise = torch.randn(count, means.shape[1]) * spread
    return F.normalize(means[torch.arange(count) % len(means)] + noise, dim=1)


class Place:
    """Unit rows and prototypes around class means, the first rows labelled."""

    def __init__(self, seed, classes, dimensions, prototypes, rows, spread, spread_of_prototypes, kappa, share, known,
                 labelled, strays):
        torch.manual_seed(seed)
        means = F.normalize(torch.randn(classes, dimensions), dim=1)
        self.kappa, self.share, self.classes, self.known = kappa, share, classes, known
        self.prototypes = unit_rows_around(means, prototypes, spread_of_prototypes)
        unlabelled = unit_rows_around(means, rows - labelled, spread)
        truth = torch.arange(labelled) % known
        places = torch.where(torch.rand(labelled) < strays, torch.arange(labelled) // known % classes, truth)
        given = F.normalize(means[places] + torch.randn(labelled, dimensions) * spread, dim=1)
        self.rows, self.labels = torch.cat([given, unlabelled]), truth

    def batches(self):
        """As their loaders give them: two of labelled and two of unlabelled rows, each with its labels."""
        given, rest = self.rows.split([len(self.labels), len(self.rows) - len(self.labels)])
        other = torch.full((len(rest),), -1)
        return [[((x, x), y) for x, y in zip(rows.chunk(2), labels.chunk(2))]
                for rows, labels in ((given, self.labels), (rest, other))]


@contextlib.contextmanager
def watched_graphs(authors):
    """The list of the matrices that their grouping hands to spectral clustering."""
    real, seen = authors.utils.SpectralClustering, []

    class Watched(real):
        def fit(self, graph, *rest):
            seen.append(graph.copy())
            return super().fit(graph, *rest)

    authors.utils.SpectralClustering = Watched
    yield seen
    authors.utils.SpectralClustering = real


@contextlib.contextmanager
def watched_labels(authors):
    """The list of the labels that every grouping in their regrouping gives the prototypes."""
    real, seen = authors.main.graph_cluster, []

    def watched(*inputs, **options):
        labels, mask = real(*inputs, **options)
        seen.append(labels)
        return labels, mask

    authors.main.graph_cluster = watched
    yield seen
    authors.main.graph_cluster = real


def numbered(labels):
    """Groups in the order of their first prototype."""
    order = {}
    return [order.setdefault(int(label), len(order)) for label in labels]


def make_places(authors, folder):
    """Rows and prototypes, and the graphs that the authors make of them."""
    for seed, (name, numbers) in enumerate(PLACES.items()):
        place = Place(seed, *numbers)
        cosines = torch.mm(place.rows, place.prototypes.t())
        tensors = {"prototypes": place.prototypes, "rows": place.rows, "labels": place.labels}
        modes = ("min",) if name == "cifar100" else ("min", "jaccard")
        for mode in modes:
            shared = authors.utils.reknn_graph(cosines, place.kappa, mode=mode)
            with watched_graphs(authors) as graphs:
                authors.utils.graph_cluster(shared, place.prototypes, lamda=place.share, n_cls=place.classes)
            graph = torch.from_numpy(graphs[0])
            if name == "cifar100":  # a matrix of 500 x 500 is too much to keep
                tensors[f"row_sums.{mode}"] = graph.double().sum(1)
                tensors[f"square_sums.{mode}"] = (graph.double() ** 2).sum(1)
            else:
                tensors[f"graph.{mode}"] = graph
        save(folder, f"place_{name}", tensors)


PARAMETERS = {"connected": (0.95, 0.8, 0.6, 0.5, 0.3), "propagation": (0.5, 0.6, 0.75, 0.9),
              "louvain": (0.5, 1.0, 2.0, 4.0, 6.0, 12.0)}
DRAWS = {"connected": 1, "propagation": 5, "louvain": 20}  # of what is random: noise, the order of visits
FEW_DRAWS = 5


def make_grouping(authors, folder):
    """Groups of prototypes by every method of theirs, from the graph of `min`; without labels where chance decides."""
    cases = []
    for seed, (name, numbers) in enumerate(PLACES.items()):
        place = Place(seed, *numbers)
        cosines = torch.mm(place.rows, place.prototypes.t())
        shared = authors.utils.reknn_graph(cosines, place.kappa, mode="min")
        with watched_graphs(authors) as graphs:
            labels, _ = authors.utils.graph_cluster(shared, place.prototypes, lamda=place.share, method="spectral",
                                                    n_cls=place.classes)
        graph = graphs[0].astype(np.float64)
        cases.append({"place": name, "method": "spectral", "groups": place.classes, "labels": numbered(labels)})
        large = name == "cifar100"
        for method, parameters in PARAMETERS.items():
            if large and method != "louvain":
                continue
            for eps in parameters:
                found = []
                for draw in range(min(DRAWS[method], FEW_DRAWS) if large else DRAWS[method]):
                    np.random.seed(draw)
                    labels, _ = authors.utils.graph_cluster(shared, place.prototypes, lamda=place.share, method=method,
                                                            eps=eps)
                    found.append(labels)
                case = {"place": name, "method": method, "parameter": eps}
                if method == "louvain":
                    values = [make_method.modularity(graph, np.array(labels), eps) for labels in found]
                    counts = [len(set(labels)) for labels in found]
                    case |= {"best": max(values), "worst": min(values), "fewest": min(counts), "most": max(counts)}
                if len({tuple(numbered(labels)) for labels in found}) == 1:
                    case["labels"] = numbered(found[0])
                cases.append(case)
    write(folder, "grouping", cases)


SEARCHES = [(method, epoch) for method in ("louvain", "connected", "propagation") for epoch in (5, 25, 45, 69)]


def regroup(authors, place, method, epoch, seed):
    """Their regrouping before `epoch`: groups, accuracy, labels of all candidates, and what it told of them."""
    model = authors.make_model(place.prototypes, torch.eye(len(place.prototypes)))
    options = argparse.Namespace(nn=place.kappa, min_count=0, lamda_graph=place.share, dataset="cifar10",
                                 group_method=method, unknown_n_cls=method != "spectral", warm_epoch=WARM_EPOCHS,
                                 fix_epoch=GROUPING_EPOCHS)
    np.random.seed(seed)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), watched_labels(authors) as labels:
        _, _, mask, _, accuracy = authors.main.val(options, model, torch.device("cpu"), *place.batches(), epoch,
                                                   place.classes, None)
    told = re.findall(r"EPS:([\d.]+), NUM:(\d+), ACC:([\d.]+)", printed.getvalue())
    return mask.argmax(0).tolist(), float(accuracy), labels, told


def search(authors, place, method, epoch):
    """What a search of theirs ends with, and of every candidate its parameter, groups and accuracy, whether every group
    has labelled rows, and whether it is free of chance. Where a group has no labelled rows, their matching takes a
    group's place among those that have some for its number, and may give classes the groups of others."""
    group_of, accuracy, labels, told = regroup(authors, place, method, epoch, 0)
    others = [regroup(authors, place, method, epoch, seed)[2] for seed in range(1, FEW_DRAWS)]
    nearest = torch.mm(place.rows[:len(place.labels)], place.prototypes.t()).argmax(1).numpy()
    whole = [set(found) == set(found[nearest]) for found in labels]
    settled = [all(numbered(other[i]) == numbered(found) for other in others) for i, found in enumerate(labels)]
    candidates = [[float(eps), int(groups), float(acc), *marks]
                  for (eps, groups, acc), *marks in zip(told, whole, settled)]
    return {"group_of": group_of, "accuracy": accuracy, "whole": all(whole), "settled": all(settled),
            "candidates": candidates}


def make_search(authors, folder):
    cases = []
    for seed, (name, numbers) in enumerate(PLACES.items()):
        if name in ("faint", "cifar100"):
            continue
        place = Place(seed, *numbers)
        for method, epoch in [("spectral", 20), *SEARCHES]:
            if name == "unlabelled_groups" and method != "spectral":
                continue
            cases.append({"place": name, "method": method, "epoch": epoch, **search(authors, place, method, epoch)})
    write(folder, "search", cases)


# ---- Prediction and scores ----------------------------------------------------------------------------------------


def make_prediction(authors, folder):
    """The group of every row by their model."""
    for seed, name in enumerate(PLACES):
        if name not in ("clear", "faint"):
            continue
        place = Place(seed, *PLACES[name])
        group_of = torch.arange(len(place.prototypes)) % place.classes
        model = authors.make_model(place.prototypes, F.one_hot(group_of).T.float())
        groups, confidence, _ = model.pred(place.rows)
        save(folder, f"prediction_{name}", {"group_of": group_of, "groups": groups, "confidence": confidence})


SCORES = [
    # groups, classes, known classes, rows, share of rows in any group
    (10, 10, 5, 600, 0.3), (14, 10, 5, 600, 0.2), (7, 10, 5, 600, 0.4), (50, 10, 5, 900, 0.9), (3, 6, 4, 200, 0.5),
    (40, 30, 15, 1500, 0.3), (1, 4, 2, 50, 0.0),
]


class Told(nn.Module):
    """Predicts what is handed to it."""

    def pred(self, groups):
        return groups, groups.float(), groups


def make_scores(authors, folder):
    """Accuracies by their test loop, from tables of rows by group and class."""
    cases = []
    for seed, (groups, classes, known, rows, noise) in enumerate(SCORES):
        random = np.random.RandomState(seed)
        truth = random.randint(classes, size=rows)
        predicted = np.where(random.rand(rows) < noise, random.randint(groups, size=rows), truth * 3 % groups)
        table = np.zeros((groups, classes), dtype=int)
        np.add.at(table, (predicted, truth), 1)
        loader = [(torch.from_numpy(predicted), torch.from_numpy(truth))]
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            authors.main.test(None, Told(), known, torch.device("cpu"), loader, 0)
        accuracies = [float(value) for value in re.findall(r"ACC ([\d.]+)", told.getvalue())]
        exact = [authors.utils.cluster_acc(predicted, truth), authors.utils.accuracy(predicted[truth < known],
                                                                                    truth[truth < known]),
                 authors.utils.cluster_acc(predicted[truth >= known], truth[truth >= known])]
        cases.append({"groups": groups, "classes": classes, "known": known, "counts": table.ravel().tolist(),
                      "printed": accuracies, "all_known_novel": [float(value) for value in exact]})
    write(folder, "scores", cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--open-ncd", type=pathlib.Path, required=True)
    parser.add_argument("--to", type=pathlib.Path, default=FOLDER)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.to.mkdir(exist_ok=True)
    authors = Authors(options.open_ncd)
    for make in (make_losses, make_step, make_places, make_grouping, make_search, make_prediction, make_scores):
        make(authors, options.to)


if __name__ == "__main__":
    main()
