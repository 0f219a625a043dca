#!/usr/bin/env python3
"""Golden files of the augmentation kernels, made by Pillow and torchvision.

    python tests/golden/make_augment.py        (writes tests/golden/augment/*.npy)

Needs numpy, Pillow, torch and torchvision; made with Pillow 13.0 and torchvision 0.29. Every file holds
four arrays, one after the other: pictures (uint8, N x H x W x C), rows (which picture a case takes),
parameters (int32, the fields of AugmentParameters in order) and views (uint8, what comes out).
"""
import itertools
from pathlib import Path

import numpy as np
import torchvision.transforms.functional as F
from PIL import Image, ImageDraw, ImageEnhance, ImageOps

OUT = Path(__file__).parent / "augment"
RNG = np.random.default_rng(5)
NONE = -1
ONE = 1 << 14
STRONG = ["autocontrast", "brightness", "colour", "contrast", "equalise", "identity", "posterise",
          "rotate", "sharpness", "shear_x", "shear_y", "solarise", "translate_x", "translate_y"]


class Case:
    """One view; `fields` gives its numbers in the order of AugmentParameters."""

    def __init__(self, row, shape, **values):
        self.row = row
        self.flip = 0
        self.crop = (0, 0, shape[0], shape[1])  # top, left, height, width
        self.jitter = 0
        self.order = (0, 1, 2, 3)
        self.factor = (ONE, ONE, ONE)
        self.hue_shift = NONE
        self.grayscale = 0
        self.blur = NONE
        self.strong = (NONE, NONE)
        self.cutout = (0, 0, 0, 0)
        for name, value in values.items():
            assert hasattr(self, name)
            setattr(self, name, value)

    def fields(self):
        return [self.flip, *self.crop, self.jitter, *self.order, *self.factor, self.hue_shift, self.grayscale,
                self.blur, *self.strong, *self.cutout]


def smooth_picture(height, width, channels):
    """Blobs of colour with some noise on top: edges, gradients and flat parts."""
    low = RNG.integers(0, 256, (5, 5, channels)).astype(np.uint8)
    parts = [Image.fromarray(low[..., c]).resize((width, height), Image.BICUBIC) for c in range(channels)]
    picture = np.stack([np.asarray(p) for p in parts], -1).astype(int)
    picture += RNG.integers(-20, 21, picture.shape)
    return picture.clip(0, 255).astype(np.uint8)


def pictures(count, height, width, channels=3):
    made = [smooth_picture(height, width, channels) for _ in range(count - 2)]
    made.append(RNG.integers(0, 256, (height, width, channels)).astype(np.uint8))  # noise
    made.append((RNG.integers(90, 140, (height, width, channels)) // 8 * 8).astype(np.uint8))  # flat and coarse
    return np.stack(made)


def to_image(array):
    return Image.fromarray(array[..., 0] if array.shape[-1] == 1 else array)


def to_array(image):
    array = np.asarray(image)
    return array[..., None] if array.ndim == 2 else array


def strong_operation(image, place):
    """FixMatch's operations as its published PyTorch code calls Pillow, factors in 2^-14ths."""
    operation, level, sign = STRONG[place // 20], place // 2 % 10, -1 if place % 2 else 1
    factor = round((0.05 + 0.09 * level) * ONE) / ONE
    affine = lambda *m: image.transform(image.size, Image.AFFINE, m)
    return {
        "autocontrast": lambda: ImageOps.autocontrast(image),
        "brightness": lambda: ImageEnhance.Brightness(image).enhance(factor),
        "colour": lambda: ImageEnhance.Color(image).enhance(factor),
        "contrast": lambda: ImageEnhance.Contrast(image).enhance(factor),
        "equalise": lambda: ImageOps.equalize(image),
        "identity": lambda: image,
        "posterise": lambda: ImageOps.posterize(image, int(level * 4 / 10) + 4),
        "rotate": lambda: image.rotate(sign * int(level * 30 / 10)),
        "sharpness": lambda: ImageEnhance.Sharpness(image).enhance(factor),
        "shear_x": lambda: affine(1, sign * 0.3 * level / 10, 0, 0, 1, 0),
        "shear_y": lambda: affine(1, 0, 0, sign * 0.3 * level / 10, 1, 0),
        "solarise": lambda: ImageOps.solarize(image, 256 - int(level * 256 / 10)),
        "translate_x": lambda: affine(1, 0, int(sign * 0.3 * level / 10 * image.size[0]), 0, 1, 0),
        "translate_y": lambda: affine(1, 0, 0, 0, 1, int(sign * 0.3 * level / 10 * image.size[1])),
    }[operation]()


def view_of(picture, case, size=None, rows_first=None, padding=None, blur_size=0):
    image = to_image(picture)
    if case.flip:
        image = F.hflip(image)
    if rows_first is not None:  # as Pillow before 13 always did; 13 begins with the side that shrinks more
        image = F.crop(image, *case.crop)
        image = F.resize(image, [case.crop[2], rows_first[1]])
        image = F.resize(image, list(rows_first))
    elif size is not None:
        image = F.resized_crop(image, *case.crop, list(size))
    elif padding is not None:
        border = 4
        image = F.pad(image, border, padding_mode=padding)
        image = F.crop(image, case.crop[0] + border, case.crop[1] + border, picture.shape[0], picture.shape[1])
    if case.jitter:
        for operation in case.order:
            if operation == 0:
                image = F.adjust_brightness(image, case.factor[0] / ONE)
            elif operation == 1:
                image = F.adjust_contrast(image, case.factor[1] / ONE)
            elif operation == 2:
                image = F.adjust_saturation(image, case.factor[2] / ONE)
            elif case.hue_shift != NONE:
                shift = case.hue_shift - 256 if case.hue_shift > 127 else case.hue_shift
                image = F.adjust_hue(image, (shift + 0.5 * np.sign(shift)) / 255)
    if case.grayscale:
        image = F.to_grayscale(image, picture.shape[-1])
    if case.blur != NONE:
        sigma = 0.1 + (2.0 - 0.1) * case.blur / 255
        image = F.gaussian_blur(image, [blur_size, blur_size], [sigma, sigma])
    for place in case.strong:
        if place != NONE:
            image = strong_operation(image, place)
    top, left, height, width = case.cutout
    if height > 0:
        image = image.copy()
        grey = 127 if picture.shape[-1] == 1 else (127, 127, 127)
        ImageDraw.Draw(image).rectangle((left, top, left + width - 1, top + height - 1), grey)
    return to_array(image)


def save(name, images, cases, **options):
    views = np.stack([view_of(images[case.row], case, **options) for case in cases])
    with open(OUT / f"{name}.npy", "wb") as file:
        np.save(file, images)
        np.save(file, np.array([case.row for case in cases], np.int32))
        np.save(file, np.array([case.fields() for case in cases], np.int32))
        np.save(file, views)
    print(f"{name}: {len(cases)} views of {views.shape[1:]}")


def random_box(height, width):
    box_height, box_width = RNG.integers(1, height + 1), RNG.integers(1, width + 1)
    return (RNG.integers(0, height - box_height + 1), RNG.integers(0, width - box_width + 1), box_height, box_width)


def crop_cases(count, images, fixed=()):
    _, height, width, _ = images.shape
    boxes = [(0, 0, height, width), (height - 1, width - 1, 1, 1), (0, 0, 1, width), (3, 2, height - 3, 5), *fixed]
    boxes += [random_box(height, width) for _ in range(count - len(boxes))]
    return [Case(RNG.integers(len(images)), (height, width), flip=k % 2, crop=box) for k, box in enumerate(boxes)]


def random_jitter():
    return dict(jitter=1, order=tuple(RNG.permutation(4)), factor=tuple(RNG.integers(9830, 22938, 3)),
                hue_shift=RNG.integers(-25, 26) & 0xFF, grayscale=int(RNG.random() < 0.25))


def jitter_cases(images):
    shape = images.shape[1:3]
    cases = []
    for row, factor in itertools.product(range(len(images)), (0, 9830, ONE, 22938, 2 * ONE)):
        k = row % 3
        factors = [ONE, ONE, ONE]
        factors[k] = factor
        cases.append(Case(row, shape, jitter=1, factor=tuple(factors)))
    cases += [Case(RNG.integers(len(images)), shape, jitter=1, hue_shift=shift & 0xFF) for shift in (-25, -1, 0, 1, 25, 127)]
    cases += [Case(row, shape, grayscale=1) for row in range(2)]
    cases += [Case(RNG.integers(len(images)), shape, **{**random_jitter(), "order": order})
              for order in itertools.permutations(range(4))]
    return cases


def strong_cases(images):
    shape = images.shape[1:3]
    cases = [Case(k % len(images), shape, strong=((k * 10 + level) * 2 + sign, NONE))
             for k in range(len(STRONG)) for level in (1, 5, 9) for sign in (0, 1) if sign == 0 or k in (7, 9, 10, 12, 13)]
    for _ in range(12):
        places = [(RNG.integers(14) * 10 + RNG.integers(1, 10)) * 2 + RNG.integers(2) for _ in range(2)]
        top, left = RNG.integers(0, 28, 2)
        cutout = (top, left, min(17, shape[0] - top), min(17, shape[1] - left))
        cases.append(Case(RNG.integers(len(images)), shape, strong=tuple(places), cutout=cutout))
    return cases


def save_hue_sums():
    """A checksum of all 2^24 colours with their hue turned, in the order r, g, b, for two shifts:
    the sum of byte * (index mod 65521 + 1)."""
    sums = []
    for shift in (7, 231):
        r, g, b = (a.astype(np.uint8) for a in np.meshgrid(*[np.arange(256)] * 3, indexing="ij"))
        hsv = np.array(Image.fromarray(np.stack([r, g, b], -1).reshape(4096, 4096, 3)).convert("HSV"))
        hsv[..., 0] += np.uint8(shift)
        rgb = np.asarray(Image.fromarray(hsv, "HSV").convert("RGB")).reshape(-1).astype(np.int64)
        sums.append([shift, (rgb * (np.arange(rgb.size) % 65521 + 1)).sum()])
    np.save(OUT / "hue_sums.npy", np.array(sums, np.int64))
    print("hue sums:", sums)


def main():
    OUT.mkdir(exist_ok=True)
    small = pictures(6, 32, 32)
    save("crop", small, crop_cases(40, small, [(2, 2, 28, 28), (1, 3, 29, 27)]), size=(28, 28))
    large = pictures(3, 90, 70)
    save("crop_large", large, crop_cases(10, large), size=(40, 64))
    grey = pictures(3, 28, 28, 1)
    grey_cases = crop_cases(8, grey)
    for case in grey_cases:
        for name, value in random_jitter().items():
            setattr(case, name, value)
    save("grey", grey, grey_cases, rows_first=(28, 28))
    save("jitter", small, jitter_cases(small))
    moves = [(-4, -4), (4, 4), (0, 0), (-3, 2), (4, -1), (1, 3)]
    for mode in ("constant", "reflect"):
        save(f"move_{mode}", small, [Case(k, (32, 32), flip=k % 2, crop=(*move, 32, 32)) for k, move in enumerate(moves)],
             padding=mode)
    whole = crop_cases(24, small)
    for case in whole:
        for name, value in random_jitter().items():
            setattr(case, name, value)
    save("opencd", small, whole, rows_first=(28, 28))
    levels = (0, 20, 60, 120, 190, 255)
    save("blur", small, [Case(k, (32, 32), blur=level) for k, level in enumerate(levels)], blur_size=3)
    save("blur_large", large, [Case(k % 3, (90, 70), blur=level) for k, level in enumerate(levels[1:5])], blur_size=23)
    save("strong", small, strong_cases(small))
    save_hue_sums()


if __name__ == "__main__":
    main()
