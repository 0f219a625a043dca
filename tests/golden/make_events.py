#!/usr/bin/env python3
"""Golden event file for TensorBoard, made by TensorBoard's own writer and read by its own reader.

    python tests/golden/make_events.py                 (writes tests/golden/metrics/events.out.tfevents.golden)
    python tests/golden/make_events.py RUN_FOLDER      (reads the events of a run and compares them with metrics.csv)

Needs tensorboard (made with 2.21). tests/files/event_file_tests.cpp writes the same events and compares bytes.
"""
import csv
import math
import struct
import sys
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.summary.writer.record_writer import RecordWriter

OUT = Path(__file__).parent / "metrics" / "events.out.tfevents.golden"
EVENTS = [
    (0, 1700000001.5, {"train/loss": 2.5, "train/lr": 1e-3}),
    (1, 1700000002.5, {"train/loss": -0.1}),
    (300, 1700000003.5, {"val/all": math.nan, "val/novel": math.inf}),
    (1 << 40, 1700000004.5, {"train/loss": 0.0}),
    ((1 << 40) + 1, 1700000005.5, {}),
]


def single(value):
    """As an f32, the type of a scalar in an event."""
    return struct.unpack("f", struct.pack("f", value))[0]


def read(path):
    """{(tag, step): value} as TensorBoard sees it."""
    events = EventAccumulator(str(path), size_guidance={"scalars": 0})
    events.Reload()
    return {(tag, e.step): e.value for tag in events.Tags()["scalars"] for e in events.Scalars(tag)}


def same(a, b):
    return a.keys() == b.keys() and all(
        a[k] == single(b[k]) or (math.isnan(a[k]) and math.isnan(b[k])) for k in a)


def make():
    OUT.parent.mkdir(exist_ok=True)
    with open(OUT, "wb") as file:
        writer = RecordWriter(file)
        writer.write(Event(wall_time=1700000000.25, file_version="brain.Event:2").SerializeToString())
        for step, wall_time, scalars in EVENTS:
            event = Event(wall_time=wall_time, step=step)
            for tag, value in scalars.items():
                event.summary.value.add(tag=tag, simple_value=value)
            writer.write(event.SerializeToString())
        writer.flush()
    expected = {(tag, step): value for step, _, scalars in EVENTS for tag, value in scalars.items()}
    assert same(read(OUT), expected)
    print(f"{OUT.name}: {OUT.stat().st_size} bytes, {len(expected)} scalars")


def check(folder):
    expected = {}
    with open(folder / "metrics.csv", newline="") as file:
        for row in csv.DictReader(file):
            expected |= {(name, int(row["step"])): float(text) for name, text in row.items()
                         if name not in ("step", "epoch") and text}
    assert same(read(folder), expected), "the events are not those of metrics.csv"
    print(f"{folder}: {len(expected)} scalars, the same in both files")


if len(sys.argv) > 1:
    check(Path(sys.argv[1]))
else:
    make()
