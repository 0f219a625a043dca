#!/usr/bin/env python3
"""Writes the golden files of tests/opencd: answers of SciPy, scikit-learn, python-louvain and diptest.

usage: make_method.py [NAME...]        (needs numpy scipy scikit-learn networkx python-louvain diptest)

The questions are not stored: both sides make them from a seed by the same integer hash
(tests/support/method_golden.hpp). One case a line.
"""
import json
import pathlib
import sys
import warnings

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "method"


def words(seed, count):
    """64-bit words: the finaliser of SplitMix64 over seed and position."""
    mask = (1 << 64) - 1
    start = np.uint64(seed * 0xD1342543DE82EF95 & mask)
    with np.errstate(over="ignore"):
        z = start + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def units(seed, count):
    """Doubles in [0, 1)."""
    return (words(seed, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def below(seed, count, bound):
    return (words(seed, count) % np.uint64(bound)).astype(np.int64)


def write(name, cases, **head):
    lines = ",\n".join(json.dumps(case) for case in cases)
    start = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    (FOLDER / f"{name}.json").write_text("{" + start + '"cases": [\n' + lines + "\n]}\n")


def make_assignment():
    from scipy.optimize import linear_sum_assignment

    cases = []
    for seed in range(1000):
        rows, columns, kind = (int(w) for w in words(seed + 10_000, 3) % np.uint64(24))
        rows, columns = rows + 1, columns + 1
        bound = (4, 100, 1 << 30)[kind % 3]  # few values, hence many ties; some; next to none
        costs = below(seed, rows * columns, bound).reshape(rows, columns)
        case = [seed, rows, columns, bound]
        for maximize in (False, True):
            pairs = linear_sum_assignment(costs, maximize)
            case += [int(costs[pairs].sum()), int((pairs[0] * pairs[1]).sum())]
        cases.append(case)
    fields = ["seed", "rows", "columns", "bound", "least", "its sum of row * column", "greatest", "its sum of row * column"]
    write("assignment", cases, fields=fields)


def matching_accuracy(groups, classes):
    from scipy.optimize import linear_sum_assignment

    if len(groups) == 0:
        return 0.0, {}, np.zeros((0, 0))
    size = max(groups.max(), classes.max()) + 1
    table = np.zeros((size, size), dtype=np.int64)
    np.add.at(table, (groups, classes), 1)
    pairs = linear_sum_assignment(table, maximize=True)
    return table[pairs].sum() / len(groups), {c: g for g, c in zip(*pairs)}, table


def protocol_scores(groups, classes, known):
    """All, known, novel by ORCA's rule, GCD v1 and GCD v2."""
    old = classes < known
    every, group_of_class, table = matching_accuracy(groups, classes)
    on_old, on_new = (matching_accuracy(groups[m], classes[m])[0] for m in (old, ~old))

    def read(chosen):
        total = sum(table[:, c].sum() for c in chosen)
        return sum(table[group_of_class[c], c] for c in chosen) / total if total else 0.0

    share = old.mean()
    return {
        "orca": [every, float((groups == classes)[old].mean()) if old.any() else 0.0, on_new],
        "gcd_v1": [share * on_old + (1 - share) * on_new, on_old, on_new],
        "gcd_v2": [every, read(set(classes[old])), read(set(classes[~old]))],
    }


def make_metrics():
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    cases = []
    shapes = [(10, 10, 5), (14, 10, 5), (7, 10, 5), (3, 10, 4), (40, 8, 8), (12, 12, 0), (1, 6, 3),
              (9, 1, 1), (1, 1, 1), (100, 100, 50), (2, 2, 1), (500, 100, 50)]
    for case, (groups, classes, known) in enumerate(shapes):
        for rows, noise in ((37, 0.3), (1501, 0.15), (1009, 0.9)):
            seed = 3 * case + len(cases) * 1000
            truth = below(seed, rows, classes)
            keep = units(seed + 1, rows) >= noise
            predicted = np.where(keep, truth * 11 % groups, below(seed + 2, rows, groups))
            cases.append({
                "seed": seed, "rows": rows, "noise": noise, "groups": groups, "classes": classes, "known": known,
                **protocol_scores(predicted, truth, known),
                "nmi": normalized_mutual_info_score(truth, predicted),
                "ari": adjusted_rand_score(truth, predicted),
            })
    write("metrics", cases)


def planted_graph(seed, nodes, blocks, within, between, density=1.0, isolated=0, diagonal=0.0):
    """Node i is of block i % blocks. Weights are uniform in `within` or `between`; an edge between blocks exists with
    probability `density`; the last `isolated` nodes have none. Rounded to f32, as a device gives them."""
    choose, place = (units(2 * seed + i, nodes * nodes).reshape(nodes, nodes) for i in range(2))
    node = np.arange(nodes)
    same = node[:, None] % blocks == node[None, :] % blocks
    low, high = (np.where(same, within[i], between[i]) for i in range(2))
    weights = np.where(same | (choose < density), low + (high - low) * place, 0.0)
    upper = np.triu(weights, 1)
    upper[:, nodes - isolated:] = 0.0
    upper = upper.astype(np.float32).astype(np.float64)
    return upper + upper.T + float(np.float32(diagonal)) * np.eye(nodes)


GRAPHS = {
    "clear": dict(seed=1, nodes=50, blocks=10, within=(0.6, 0.9), between=(0.0, 0.3), density=0.2),
    "disconnected": dict(seed=2, nodes=40, blocks=8, within=(0.5, 0.9), between=(0.0, 0.0), density=0.0),
    "isolated": dict(seed=3, nodes=48, blocks=6, within=(0.5, 0.9), between=(0.0, 0.2), density=0.3, isolated=3),
    "loops": dict(seed=4, nodes=60, blocks=6, within=(0.4, 0.8), between=(0.02, 0.2), diagonal=0.1),
    "faint": dict(seed=5, nodes=80, blocks=8, within=(0.1, 0.5), between=(0.0, 0.3)),
    "random": dict(seed=6, nodes=60, blocks=1, within=(0.0, 1.0), between=(0.0, 1.0)),
    "sparse": dict(seed=7, nodes=90, blocks=90, within=(0.0, 1.0), between=(0.1, 1.0), density=0.06),
    "large": dict(seed=8, nodes=300, blocks=60, within=(0.4, 0.9), between=(0.0, 0.1)),
}


def make_graphs():
    write("graphs", [{"name": name, **spec} for name, spec in GRAPHS.items()])


def modularity(weights, labels, resolution):
    loops = np.diag(weights)
    degrees = weights.sum(1) + loops
    total = degrees.sum() / 2
    result = 0.0
    for label in set(labels):
        inside = labels == label
        block = weights[np.ix_(inside, inside)]
        result += (block.sum() + loops[inside].sum()) / (2 * total)
        result -= resolution * (degrees[inside].sum() / (2 * total)) ** 2
    return result


def make_louvain():
    import community
    import networkx

    cases = []
    for name, spec in GRAPHS.items():
        weights = planted_graph(**spec)
        graph = networkx.from_numpy_array(weights)
        for resolution in (0.3, 1.0, 2.0, 6.0):
            seeds = range(2 if name == "large" else 20)
            runs = [community.best_partition(graph, resolution=resolution, random_state=seed) for seed in seeds]
            found = [np.array([run[node] for node in graph]) for run in runs]
            values = [modularity(weights, labels, resolution) for labels in found]
            counts = [len(set(labels)) for labels in found]
            textbook = networkx.community.louvain_communities(graph, resolution=resolution, seed=0)
            cases.append({
                "graph": name, "resolution": resolution, "best": max(values), "mean": float(np.mean(values)),
                "fewest": min(counts), "most": max(counts),
                "networkx": networkx.community.modularity(graph, textbook, resolution=resolution),
            })
    write("louvain", cases)


def make_spectral():
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.manifold import spectral_embedding

    cases = []
    for name, spec in GRAPHS.items():
        weights = planted_graph(**spec)
        groups = spec["blocks"] if spec["blocks"] < spec["nodes"] and name != "random" else 7
        rows = spectral_embedding(weights, n_components=groups, drop_first=False, random_state=0)
        model = SpectralClustering(groups, affinity="precomputed", random_state=0).fit(weights)
        inertia = KMeans(groups, n_init=10, random_state=0).fit(rows).inertia_
        case = {"graph": name, "groups": groups, "inertia": inertia, "labels": model.labels_.tolist()}
        if name == "faint":
            case["embedding"] = [float(f"{value:.12g}") for value in rows.ravel()]
        cases.append(case)
    write("spectral", cases)


def make_affinity_propagation():
    from sklearn.cluster import AffinityPropagation

    cases = []
    for name, spec in GRAPHS.items():
        weights = planted_graph(**spec)
        for damping, preference in ((0.5, None), (0.75, None), (0.9, None), (0.95, 0.0), (0.8, -1.0)):
            runs = [
                AffinityPropagation(affinity="precomputed", damping=damping, preference=preference, random_state=seed)
                .fit(weights) for seed in range(2 if name == "large" else 5)
            ]
            if any((run.labels_ != runs[0].labels_).any() for run in runs):
                continue  # the noise decides
            cases.append({"graph": name, "damping": damping, "preference": preference,
                          "converged": runs[0].n_iter_ < 200, "labels": runs[0].labels_.tolist()})
    write("affinity_propagation", cases)


def planted_rows(seed, rows, columns, blocks, spread, offset=0.0):
    """Row i lies around the mean of block i % blocks, a point of the cube; the noise is nearly Gaussian. In f32."""
    means = offset + 2.0 * units(5 * seed, blocks * columns).reshape(blocks, columns) - 1.0
    noise = sum(units(5 * seed + i, rows * columns) for i in range(1, 5)).reshape(rows, columns) - 2.0
    return (means[np.arange(rows) % blocks] + spread * noise).astype(np.float32)


def make_kmeans():
    from sklearn.cluster import KMeans

    sets = [
        dict(seed=1, rows=3000, columns=24, blocks=12, spread=0.5),
        dict(seed=2, rows=2000, columns=2, blocks=8, spread=0.2),
        dict(seed=3, rows=1500, columns=512, blocks=30, spread=1.0),
        dict(seed=4, rows=2500, columns=33, blocks=10, spread=0.5, offset=50.0),
    ]
    cases = []
    for spec in sets:
        rows = planted_rows(**spec)
        for clusters in (3, spec["blocks"], 3 * spec["blocks"] // 2):
            runs = [KMeans(clusters, n_init=10, random_state=seed).fit(rows).inertia_ for seed in range(20)]
            cases.append({**spec, "clusters": clusters, "best": float(min(runs)), "mean": float(np.mean(runs))})
    write("kmeans", cases)


def sample(kind, seed, count):
    """Numbers of one of several shapes, by arithmetic that both sides round alike."""
    place = np.arange(count)
    unit = units(5 * seed, count)
    bell = units(5 * seed + 1, count) + units(5 * seed + 2, count) + units(5 * seed + 3, count)
    return {
        "uniform": unit,
        "bell": bell,
        "skewed": unit * unit * unit,
        "clumps": np.where(place % 2 == 0, 0.0, 3.0) + bell,
        "uneven": np.where(place % 10 == 0, 4.0, 0.0) + bell,
        "three": place % 3 * 2.0 + unit,
        "ties": below(5 * seed, count, 7).astype(np.float64),
        "even": place * 0.25,
        "equal": np.full(count, 2.5),
        "outlier": np.where(place == 0, 1e6, unit),
    }[kind]


SAMPLES = [
    (kind, seed, count)
    for kind in ("uniform", "bell", "skewed", "clumps", "uneven", "three", "ties", "even", "equal", "outlier")
    for seed, count in enumerate((1, 2, 3, 4, 5, 6, 7, 9, 10, 25, 64, 100, 333, 1000, 5003))
]


def make_dip():
    import diptest

    cases = []
    for kind, seed, count in SAMPLES:
        dip, p_value = diptest.diptest(sample(kind, seed, count)) if count > 3 else (diptest.dipstat(sample(kind, seed, count)), None)
        cases.append({"kind": kind, "seed": seed, "count": count, "dip": dip, "p": p_value})
    write("dip", cases)


def make_anderson_darling():
    from scipy.stats import anderson

    cases = []
    for kind, seed, count in SAMPLES:
        if count > 1 and kind != "equal":
            values = sample(kind, seed, count)
            if values.min() < values.max():
                cases.append({"kind": kind, "seed": seed, "count": count, "statistic": float(anderson(values, "norm").statistic)})
    write("anderson_darling", cases)


def make_tsne():
    """Divergences of scikit-learn's maps: by its exact gradient, and by its default (Barnes and Hut)."""
    from sklearn.manifold import TSNE

    cases = []
    for spec, perplexity in [
        (dict(seed=11, rows=400, columns=10, blocks=6, spread=0.5), 30.0),
        (dict(seed=12, rows=300, columns=64, blocks=10, spread=0.8), 20.0),
        (dict(seed=13, rows=500, columns=3, blocks=4, spread=0.3, offset=20.0), 10.0),
    ]:
        rows = planted_rows(**spec)
        by = {method: float(TSNE(perplexity=perplexity, method=method, random_state=0).fit(rows).kl_divergence_)
              for method in ("exact", "barnes_hut")}
        cases.append({**spec, "perplexity": perplexity, **by})
    write("tsne", cases)


if __name__ == "__main__":
    makers = {name[5:]: maker for name, maker in list(globals().items()) if name.startswith("make_")}
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or makers:
        makers[name]()
