#!/usr/bin/env python3
"""Asks TensorBoard's own Projector for what `opencd_sycl export RUN --projector` wrote, and compares.

    python tests/golden/check_projector.py EXPORT_FOLDER

Needs tensorboard (tried with 2.21) and numpy. The folder holds features.npy and embeddings.npy, from the same export.
"""
import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
from tensorboard.plugins import base_plugin
from tensorboard.plugins.projector.projector_plugin import ProjectorPlugin
from werkzeug.test import Client
from werkzeug.wrappers import Response


def main(folder):
    context = base_plugin.TBContext(logdir=str(folder / "projector"))
    plugin = ProjectorPlugin(context)
    apps = plugin.get_plugin_apps()

    def ask(path, **query):
        response = Client(apps[path], Response).get(path, query_string=query)
        assert response.status_code == 200, f"{path} {query}: {response.get_data(as_text=True)}"
        return response.get_data()

    runs = json.loads(ask("/runs"))
    assert len(runs) == 1, runs
    config = json.loads(ask("/info", run=runs[0]))
    names = [embedding["tensorName"] for embedding in config["embeddings"]]
    assert names == ["features", "embeddings"], names
    for embedding in config["embeddings"]:
        rows, columns = embedding["tensorShape"]
        name = embedding["tensorName"]
        served = np.frombuffer(ask("/tensor", run=runs[0], name=name), dtype=np.float32).reshape(rows, columns)
        every = np.load(folder / f"{name}.npy")
        assert np.array_equal(served, every[np.arange(rows) * len(every) // rows]), name
        table = list(csv.DictReader(io.StringIO(ask("/metadata", run=runs[0], name=name).decode()), delimiter="\t"))
        groups = np.load(folder / "groups.npy")
        assert len(table) == rows and all(int(row["group"]) == groups[int(row["row"])] for row in table)
        print(f"{name}: {rows} x {columns} and {', '.join(table[0])}, as exported")


main(Path(sys.argv[1]))
