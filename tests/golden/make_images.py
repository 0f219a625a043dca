#!/usr/bin/env python3
"""Makes tests/golden/images: pictures of every kind and what Pillow makes of them.

usage: make_images.py        (needs Pillow and numpy; made with Pillow 13.0 and libjpeg-turbo 3.2)

expected.npz holds, for each file NAME, `NAME@full`, the upright RGB picture, and `NAME@24`, its middle
square after torchvision's Resize(24) and CenterCrop(24).
"""
import io
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image, ImageOps

OUT = pathlib.Path(__file__).resolve().parent / "images"
WIDTH, HEIGHT, SQUARE = 53, 38, 24


def scene(width=WIDTH, height=HEIGHT):
    """Slopes, an edge, a disc and a little noise: something for every filter to get wrong."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    red = 255 * x / width
    green = 255 * y / height + 40 * (x > 0.6 * width)
    blue = 230 * ((x - width / 3) ** 2 + (y - height / 2) ** 2 < (height / 3) ** 2)
    noise = np.random.default_rng(7).integers(-12, 13, (height, width, 3))
    return np.clip(np.stack([red, green, blue], -1) + noise, 0, 255).astype(np.uint8)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def pack_rows(pixels, depth):
    """Rows of samples as PNG stores them, each after its filter byte 0."""
    rows = b""
    for row in pixels:
        if depth == 16:
            packed = row.astype(">u2").tobytes()
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in row.reshape(-1))
            bits += "0" * (-len(bits) % 8)
            packed = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
        rows += b"\0" + packed
    return rows


def raw_png(pixels, depth, colour, interlaced=False):
    """Kinds of PNG that Pillow does not write."""
    height, width = pixels.shape[:2]
    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
        rows = b"".join(pack_rows(pixels[y::dy, x::dx], depth) for y, x, dy, dx in passes if pixels[y::dy, x::dx].size)
    else:
        rows = pack_rows(pixels, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def encoded(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def exif(orientation):
    block = Image.Exif()
    block[0x0112] = orientation
    return block


def files():
    rgb = Image.fromarray(scene())
    grey = rgb.convert("L")
    ramp = np.tile(np.arange(WIDTH), (HEIGHT, 1)) + np.arange(HEIGHT)[:, None]
    alpha = Image.fromarray((ramp * 2).astype(np.uint8))
    rgba = rgb.copy()
    rgba.putalpha(alpha)
    yield "rgb444.jpg", encoded(rgb, "JPEG", quality=92, subsampling=0)
    yield "rgb420.jpg", encoded(rgb, "JPEG", quality=85, subsampling=2)
    yield "grey.jpg", encoded(grey, "JPEG", quality=90)
    yield "progressive.jpg", encoded(rgb, "JPEG", quality=80, progressive=True)
    yield "cmyk.jpg", encoded(rgb.convert("CMYK"), "JPEG", quality=95)
    for orientation in range(1, 9):
        yield f"exif{orientation}.jpg", encoded(rgb, "JPEG", quality=85, exif=exif(orientation))
    yield "large.jpg", encoded(Image.fromarray(scene(210, 160)), "JPEG", quality=90)
    yield "strip.jpg", encoded(Image.fromarray(scene(300, 3)), "JPEG", quality=90)
    yield "rgb.png", encoded(rgb, "PNG")
    yield "rgba.png", encoded(rgba, "PNG")
    yield "grey.png", encoded(grey, "PNG")
    yield "grey_alpha.png", encoded(Image.merge("LA", (grey, alpha)), "PNG")
    yield "palette.png", encoded(rgb.quantize(17), "PNG")
    yield "palette_clear.png", encoded(rgb.quantize(9), "PNG", transparency=3)
    yield "bits1.png", encoded(grey.convert("1"), "PNG")
    yield "bits2.png", raw_png(ramp % 4, 2, 0)
    yield "bits4.png", raw_png(ramp % 16, 4, 0)
    yield "grey16.png", raw_png(ramp * 700, 16, 0)
    yield "rgb16.png", raw_png(scene().astype(np.int64) * 257 ^ 0x5A, 16, 2)
    yield "interlaced.png", raw_png(scene(), 8, 2, interlaced=True)
    yield "exif6.png", encoded(rgb, "PNG", exif=exif(6))


def upright(data):
    image = Image.open(io.BytesIO(data))
    if image.mode.startswith("I"):  # 16-bit grey: its upper byte, as 16-bit colour is read
        image = Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8))
    return ImageOps.exif_transpose(image).convert("RGB")


def middle_square(image, size):
    width, height = image.size
    short = min(width, height)
    wide = size if width == short else int(size * width / height)
    high = size if height == short else int(size * height / width)
    image = image.resize((wide, high), Image.BILINEAR)
    left, top = int(round((wide - size) / 2.0)), int(round((high - size) / 2.0))
    return image.crop((left, top, left + size, top + size))


def main():
    OUT.mkdir(exist_ok=True)
    expected = {}
    for name, data in files():
        (OUT / name).write_bytes(data)
        image = upright(data)
        if name != "large.jpg":
            expected[f"{name}@full"] = np.asarray(image)
        expected[f"{name}@{SQUARE}"] = np.asarray(middle_square(image, SQUARE))
    np.savez_compressed(OUT / "expected.npz", **expected)


main()
