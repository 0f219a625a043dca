#!/usr/bin/env python3
"""Times scikit-learn's t-SNE with its defaults on the rows of a .npy file.

    python bench/peers/sklearn_map.py FEATURES.npy [--repeats 1] [--threads 2]

Prints one line of JSON, with the divergence that it tells. Needs numpy and scikit-learn.
"""
import argparse
import json
import statistics
import time

import numpy as np
from sklearn.manifold import TSNE


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    parser.add_argument("-r", "--repeats", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    rows = np.load(options.features)
    samples = []
    for _ in range(options.repeats):
        start = time.perf_counter()
        map_of_rows = TSNE(random_state=0, n_jobs=options.threads).fit(rows)
        samples.append(1e3 * (time.perf_counter() - start))
    print(json.dumps({"rows": len(rows), "kl_divergence": float(map_of_rows.kl_divergence_),
                      "median_ms": statistics.median(samples), "samples_ms": samples}))


if __name__ == "__main__":
    main()
