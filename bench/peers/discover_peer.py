#!/usr/bin/env python3
"""Times a regrouping the authors' way: sets of rows intersected in a double loop over prototypes, python-louvain,
scikit-learn's spectral clustering; and the affinity as a one-hot matrix product in PyTorch.

    python bench/peers/discover_peer.py PART [--prototypes 50] [--kappa 3] [--rows 50000] [--repeats 1] [--threads 2]

PART is loop (with the search for the nearest prototypes), onehot (the same), counting-loop and counting-onehot (from
the lists of nearest prototypes on), louvain or spectral. The data are of the kind that `opencd_sycl bench discover`
makes: five prototypes a class, rows around the same means. Prints one line of JSON. Needs numpy and torch, and networkx,
python-louvain or scikit-learn for the last two.
"""
import argparse
import json
import statistics
import time

import numpy as np
import torch

SPREAD = 0.35


def planted(rows, means, generator):
    values = generator.uniform(-SPREAD, SPREAD, (rows, means.shape[1])) + means[np.arange(rows) % len(means)]
    return torch.nn.functional.normalize(torch.from_numpy(values.astype(np.float32)))


def nearest_lists(features, prototypes, kappa):
    return (features @ prototypes.T).topk(kappa, dim=1).indices


def loop_affinity(lists, prototypes):
    """Gamma(k) as Python sets; overlap of every pair."""
    gamma = [set() for _ in range(prototypes)]
    for row, near in enumerate(lists.tolist()):
        for k in near:
            gamma[k].add(row)
    affinity = np.zeros((prototypes, prototypes))
    for i in range(prototypes):
        for j in range(prototypes):
            both = len(gamma[i] & gamma[j])
            if i != j and both:
                affinity[i, j] = both / min(len(gamma[i]), len(gamma[j]))
    return affinity


def onehot_affinity(lists, prototypes):
    member = torch.zeros(len(lists), prototypes)
    member.scatter_(1, lists, 1.0)
    both = member.T @ member
    sizes = both.diagonal().clone()
    affinity = both / torch.minimum(sizes[:, None], sizes[None, :]).clamp(min=1)
    return affinity.fill_diagonal_(0).numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["loop", "onehot", "counting-loop", "counting-onehot", "louvain", "spectral"])
    parser.add_argument("--prototypes", type=int, default=50)
    parser.add_argument("--kappa", type=int, default=3)
    parser.add_argument("--rows", type=int, default=50000)
    parser.add_argument("-r", "--repeats", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    generator = np.random.default_rng(0)
    classes = options.prototypes // 5
    means = generator.uniform(-1.0, 1.0, (classes, 32))
    features = planted(options.rows, means, generator)
    prototypes = planted(options.prototypes, means, generator)
    lists = nearest_lists(features, prototypes, options.kappa)
    by = {"loop": loop_affinity, "onehot": onehot_affinity}
    if options.part in by:
        run = lambda: by[options.part](nearest_lists(features, prototypes, options.kappa), options.prototypes)
    elif options.part.startswith("counting-"):
        run = lambda: by[options.part.removeprefix("counting-")](lists, options.prototypes)
    elif options.part == "louvain":
        import community
        import networkx
        affinity = onehot_affinity(lists, options.prototypes)
        run = lambda: community.best_partition(networkx.from_numpy_array(affinity), resolution=2.0, random_state=0)
    else:
        from sklearn.cluster import SpectralClustering
        affinity = onehot_affinity(lists, options.prototypes)
        run = lambda: SpectralClustering(classes, affinity="precomputed", random_state=0).fit(affinity)

    samples = []
    for _ in range(options.repeats):
        start = time.perf_counter()
        run()
        samples.append(1e3 * (time.perf_counter() - start))
    print(json.dumps({"part": options.part, "median_ms": statistics.median(samples), "samples_ms": samples}))


if __name__ == "__main__":
    main()
