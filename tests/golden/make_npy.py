"""Makes tests/golden/npy: arrays as numpy.save writes them, which data/npy_writer must write too."""

import pathlib

import numpy

FOLDER = pathlib.Path(__file__).parent / "npy"


def main():
    FOLDER.mkdir(exist_ok=True)
    floats = numpy.array([[0.5, -1.25, 3.0], [1e-30, 65504.0, -0.0]], dtype="<f4")
    numpy.save(FOLDER / "floats.npy", floats)
    numpy.save(FOLDER / "numbers.npy", numpy.array([7, -1, 2_000_000_000], dtype="<i4"))
    numpy.save(FOLDER / "empty.npy", numpy.zeros((0, 512), dtype="<f4"))


if __name__ == "__main__":
    main()
