"""Files that strangers made: turned, damaged, hostile."""

import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image, ImageOps

from vision.pictures import PICTURE_SUFFIXES, PictureError, is_one_scan, open_picture, picture_of


def save_picture(path: Path, size_wh: tuple[int, int], exif: Image.Exif | None = None) -> None:
    """White on the left half, dark on the right, in the format of the name's ending."""
    picture = Image.new("RGB", size_wh, (20, 20, 20))
    picture.paste((250, 250, 250), (0, 0, size_wh[0] // 2, size_wh[1]))
    more = {} if exif is None else {"exif": exif}
    if path.suffix in (".heic", ".heif"):
        pillow_heif.from_pillow(picture).save(path, quality=90, **more)
    else:
        picture.save(path, **more)


@pytest.mark.parametrize("suffix", sorted(PICTURE_SUFFIXES))
def test_every_format_of_the_list_is_read_whole(tmp_path, suffix):
    path = tmp_path / f"table{suffix}"
    save_picture(path, (1200, 900))
    image = open_picture(path)
    assert image.shape == (900, 1200, 3), "the whole picture, never a corner of it"
    assert image[450, 100].min() > 220 and image[450, 1100].max() < 60
    assert np.array_equal(picture_of(path.read_bytes()), image)


def test_a_phones_avif_is_upright(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    save_picture(tmp_path / "a.avif", (60, 40), exif)
    assert open_picture(tmp_path / "a.avif").shape == (60, 40, 3)


def test_a_heic_bomb_and_a_damaged_one_are_refused(tmp_path):
    save_picture(tmp_path / "a.heic", (640, 480))
    with pytest.raises(PictureError, match="at most 0 megapixels"):
        open_picture(tmp_path / "a.heic", most_pixels=100_000)
    whole = (tmp_path / "a.heic").read_bytes()
    (tmp_path / "b.heic").write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(PictureError) as refused:
        open_picture(tmp_path / "b.heic")
    assert "\n" not in str(refused.value)


def test_without_pillow_heif_the_refusal_names_it(tmp_path):
    save_picture(tmp_path / "a.heic", (64, 48))
    code = (
        "import sys, pathlib; sys.modules['pillow_heif'] = None\n"
        "from vision.pictures import open_picture, PictureError\n"
        "try: open_picture(pathlib.Path(sys.argv[1]))\n"
        "except PictureError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.heic")], capture_output=True, text=True, check=True
    )
    assert "pip install pillow-heif" in done.stdout


@pytest.mark.parametrize("suffix", [".png", ".tif"])
@pytest.mark.parametrize("channels", [1, 3])
def test_sixteen_bits_a_colour_are_read_or_refused_and_never_black(tmp_path, suffix, channels):
    deep = np.full((48, 64, channels), 40_000, np.uint16)
    assert cv2.imwrite(str(tmp_path / f"a{suffix}"), deep)
    image = open_picture(tmp_path / f"a{suffix}")
    assert image.shape == (48, 64, 3) and abs(float(image.mean()) - 156) < 3


def corners_picture(mode="RGB"):
    """Red at the top left, else dark, 60 wide and 40 high."""
    pixels = np.zeros((40, 60, 3), np.uint8)
    pixels[:20, :30] = (250, 10, 10)
    return Image.fromarray(pixels).convert(mode)


@pytest.mark.parametrize(
    ("turn", "size", "red_at"), [(1, (60, 40), (5, 5)), (3, (60, 40), (35, 55)), (6, (40, 60), (5, 35))]
)
def test_a_picture_is_turned_as_its_camera_was_held(tmp_path, turn, size, red_at):
    exif = Image.Exif()
    exif[0x0112] = turn
    corners_picture().save(tmp_path / "a.jpg", exif=exif, quality=95)
    image = open_picture(tmp_path / "a.jpg")
    assert image.shape == (size[1], size[0], 3)
    blue, _, red = image[red_at].astype(int)
    assert red > 200 > 60 > blue


@pytest.mark.parametrize("mode", ["L", "RGBA", "P", "CMYK", "I;16", "1", "LA"])
def test_every_colour_mode_becomes_bgr(tmp_path, mode):
    picture = corners_picture("L" if mode == "I;16" else "RGBA" if mode == "LA" else "RGB").convert(mode)
    name = tmp_path / ("a.tif" if mode == "CMYK" else "a.png")
    picture.save(name)
    image = open_picture(name)
    assert image.shape == (40, 60, 3) and image.dtype == np.uint8 and image.flags.c_contiguous


@pytest.mark.parametrize("white", [1.0, 255.0, 65535.0])
def test_grey_of_any_range_keeps_its_lights(tmp_path, white):
    grey = np.asarray(corners_picture("L"), np.float32) / 255
    Image.fromarray(grey * white).save(tmp_path / "a.tif")
    assert np.abs(open_picture(tmp_path / "a.tif")[..., 0] - grey * 255).max() <= 1


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(path, side=30000):
    """A PNG of 30000 x 30000 pixels in under a megabyte."""
    packer = zlib.compressobj(9)
    row = b"\0" + bytes(side * 3)
    data = b"".join(packer.compress(row) for _ in range(side // 100)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def test_a_decompression_bomb_is_refused_without_being_unpacked(tmp_path):
    bomb(tmp_path / "bomb.png")
    code = (
        "import resource, pathlib, sys; from vision.pictures import open_picture, PictureError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: open_picture(pathlib.Path(sys.argv[1]))\n"
        "except PictureError as e: print(e)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "bomb.png")], capture_output=True, text=True, check=True
    )
    said, grown_kb = done.stdout.splitlines()
    assert "64 megapixels" in said
    assert int(grown_kb) < 60 * 1024


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"hello, I am no picture", "not a picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "picture"),
        (b"GIF89a" + bytes(100), "not a picture"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "not a picture"),
    ],
)
def test_what_is_no_picture_is_said_in_one_line(tmp_path, content, said):
    (tmp_path / "x.jpg").write_bytes(content)
    with pytest.raises(PictureError, match=said) as refused:
        open_picture(tmp_path / "x.jpg")
    assert "\n" not in str(refused.value)


def test_truncated_pictures_are_refused(tmp_path):
    noise = np.random.default_rng(0).integers(0, 255, (200, 200, 3), np.uint8)
    for kind in ("jpg", "png"):
        whole = tmp_path / f"whole.{kind}"
        Image.fromarray(noise).save(whole)
        cut = tmp_path / f"cut.{kind}"
        cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
        with pytest.raises(PictureError, match="damaged"):
            open_picture(cut)


@pytest.mark.parametrize("saved", [{"subsampling": 0}, {"subsampling": 2}, {"progressive": True}, {"keep_rgb": True}])
def test_a_jpeg_has_the_pixels_that_pillow_gives_it(tmp_path, saved):
    for turn in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = turn
        small = np.random.default_rng(1).integers(0, 255, (13, 17, 3), np.uint8)
        path = tmp_path / "a.jpg"
        Image.fromarray(small).resize((171, 133)).save(path, exif=exif, **saved)
        with Image.open(path) as picture:
            expected = np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))[:, :, ::-1]
        image = open_picture(path)
        assert np.array_equal(image, expected) and image.flags.c_contiguous, turn
        assert is_one_scan(path.read_bytes()) != saved.get("progressive", False)


def test_a_garbled_jpeg_is_refused_and_not_half_shown(tmp_path):
    path = tmp_path / "a.jpg"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (200, 200, 3), np.uint8)).save(path)
    whole = path.read_bytes()
    assert is_one_scan(whole) and is_one_scan(whole + b"any more")
    for bad in (
        whole[: len(whole) // 2],
        whole[: len(whole) // 2] + b"\xff\xc4\x00\x00" + whole[-9000:],
        b"\xff\xd8" * 40,
    ):
        assert not is_one_scan(bad)
        path.write_bytes(bad)
        with pytest.raises(PictureError):
            open_picture(path)


def test_a_folder_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(PictureError, match="folder"):
        open_picture(tmp_path)
    with pytest.raises(PictureError, match="no such file"):
        open_picture(tmp_path / "none.jpg")


def test_a_file_that_may_not_be_opened_is_not_called_damaged(tmp_path, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied", "/place")

    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((40, 40, 3), np.uint8))
    monkeypatch.setattr(Image, "open", forbidden)
    with pytest.raises(PictureError, match=r"^cannot be opened \(Permission denied\)$"):
        open_picture(tmp_path / "a.png")


def test_a_speck_is_no_table(tmp_path):
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    with pytest.raises(PictureError, match="16x16"):
        open_picture(tmp_path / "a.png")


def test_a_damaged_tiff_writes_nothing_to_stderr(tmp_path, capfd):
    for kind in ("tiff_lzw", "tiff_adobe_deflate", "group4"):
        path = tmp_path / f"{kind}.tif"
        corners_picture("1" if kind == "group4" else "RGB").save(path, compression=kind)
        whole = path.read_bytes()
        for place in range(8, len(whole), 5):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
            try:
                open_picture(path)
            except PictureError as refusal:
                assert "\n" not in str(refusal)
    assert capfd.readouterr().err == ""
