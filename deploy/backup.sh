#!/usr/bin/env bash
# Copies the journals and settings (not the evidence pictures) to /var/backups/companion and keeps the last 14 copies.
# A journal is append-only: a copy taken in the middle of a play lacks at most that play, and opens.
set -euo pipefail
umask 077

DATA="${DESTDIR:-}/var/lib/companion"
BACKUPS="${DESTDIR:-}/var/backups/companion"
KEEP=14

fail() { rm -f "$target.part"; echo "$1" >&2; exit 1; }
journals() { grep -c '^\./games/[^/]*/journal\.jsonl$' || true; }

[ -d "$DATA" ] || { echo "nothing to copy: $DATA is not there"; exit 0; }
if [ -L "$DATA/games" ]; then
  echo "$DATA/games is a link, and what lies behind links is not copied; mount the disk there instead" >&2
  exit 1
fi
mkdir -p "$BACKUPS"
chmod 0700 "$BACKUPS"
name="companion-$(date -u +%Y%m%dT%H%M%SZ)"
number=""
while [ -e "$BACKUPS/$name${number:+-$number}.tar.gz" ]; do number=$((${number:-0} + 1)); done
target="$BACKUPS/$name${number:+-$number}.tar.gz"
there="$(cd "$DATA" && find . -path './games/*/journal.jsonl' -type f | journals)"
# Folders and files: the service's own user could point a link anywhere, and this runs as root.
find "$DATA" ! -type d ! -type f -printf 'left out of the copy: %P\n' >&2
status=0
(cd "$DATA" && find . \( -type d -o -type f \) -print0) |
  tar --create --gzip --file "$target.part" --directory "$DATA" --exclude='./evidence' --exclude='*.jpg' --exclude='./.in-use' \
    --warning=no-file-changed --warning=no-file-removed --hard-dereference --no-recursion --null --files-from=- || status=$?
# tar says 1 when a journal grew while it was read: that is a good copy.
[ "$status" -le 1 ] || fail "the copy failed (tar: $status); is the disk full?"
# A copy that cannot be read back is none.
copied="$(tar --list --gzip --file "$target.part" | journals)" || fail "the copy cannot be read back; is the disk full?"
[ "$copied" -ge "$there" ] || fail "the copy holds $copied of $there games; is the disk failing?"
sync "$target.part" 2>/dev/null || true
mv "$target.part" "$target"
echo "$target"
find "$BACKUPS" -maxdepth 1 -name 'companion-*.tar.gz' -printf '%T@ %p\n' | sort -rn | tail -n +$((KEEP + 1)) | cut -d' ' -f2- |
  while IFS= read -r old; do rm -f -- "$old"; done
