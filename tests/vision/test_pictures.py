"""Files that strangers made: turned, damaged, hostile."""

import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from PIL import Image

from vision.pictures import PictureError, open_picture


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


def test_a_folder_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(PictureError, match="folder"):
        open_picture(tmp_path)
    with pytest.raises(PictureError, match="no such file"):
        open_picture(tmp_path / "none.jpg")


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
