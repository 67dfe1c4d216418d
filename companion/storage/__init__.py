"""Small files that survive a power cut, their checksums, and what a failing card did to them."""
