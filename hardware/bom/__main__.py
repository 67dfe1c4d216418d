"""`python -m hardware.bom`: all kits and mounts as PARTS.md shows them."""

from hardware.bom import document

if __name__ == "__main__":
    print(document(), end="")
