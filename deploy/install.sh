#!/usr/bin/env bash
# Installs, updates, rolls back or removes the tabletop companion on Raspberry Pi OS (Bookworm, Trixie) and Debian.
# Running it again changes only what has changed. Read deploy/README.md first; `--dry-run` only says what would be done.
#
# DESTDIR prefixes every path that is written, for tests and for building images.
set -euo pipefail
# The service's user has to read the program, whatever the administrator's shell keeps to itself.
umask 022

usage() {
  cat <<'HELP'
usage: sudo deploy/install.sh [options]
  --camera SOURCE    picamera (default on a Raspberry Pi), usb:0, /dev/v4l/by-id/..., rtsp://..., http://... or none
  --camera-size WxH  pixels of the picture (left out: the largest that comes 5 times a second)
  --mains HZ         the lamps' mains frequency: 50, 60 or auto (left out: auto)
  --port N           the page's port (default 8000; only at the first installation)
  --kiosk            also show the page on a TV at this machine
  --broker           also install the Mosquitto broker, for clubs with several tables
  --hall             the broker, and the page with all tables of the club on port 8010
  --wheels DIR       install Python packages from this folder, without the internet
  --rollback         go back to the release before this one
  --restore FILE     put a copy of the journals back (the present ones are set aside, never deleted)
  --uninstall        remove the program; games and copies stay
  --purge            with --uninstall: remove games and copies too
  --force            update even while a game is being played
  --image            for a card's image: nothing is started, and PIN and keys are made at its first start
  --dry-run          say what would be done, change nothing
  --help             this text
HELP
}

HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
SOURCE_DIR="$(dirname "$HERE")"
DESTDIR="${DESTDIR:-}"
HOME_DIR="$DESTDIR/opt/companion"
DATA="$DESTDIR/var/lib/companion"
BACKUPS="$DESTDIR/var/backups/companion"
CONF="$DESTDIR/etc/companion/companion.conf"
UNITS="$DESTDIR/etc/systemd/system"
COMMAND="$DESTDIR/usr/local/bin/companion"
KEEP_RELEASES=3
NEEDED_KB=1200000
HEALTH_TRIES="${COMPANION_HEALTH_TRIES:-60}"

LEFT_OUT=()
ACTION=install CAMERA="" CAMERA_SIZE="" MAINS="" PORT="" KIOSK=no BROKER=no HALL=no WHEELS="" RESTORE="" PURGE=no FORCE=no IMAGE=no DRY=no

say() { echo "companion: $*"; }
die() { echo "companion: $*" >&2; exit "${STATUS:-1}"; }
wrong_usage() { STATUS=2 die "$1; --help shows the options"; }

# Every change goes through here, so that --dry-run is the same path.
run() {
  if [ "$DRY" = yes ]; then
    echo "would run: $*"
  else
    "$@"
  fi
}

# place SOURCE TARGET: copies where the content differs; true when something changed.
place() {
  if [ -e "$2" ] && cmp -s "$1" "$2"; then
    return 1
  fi
  run install -D -m 0644 "$1" "$2"
}

parse() {
  while [ $# -gt 0 ]; do
    case "$1" in
      --camera | --camera-size | --mains | --port | --wheels | --restore)
        [ $# -ge 2 ] || wrong_usage "$1 needs a value"
        case "$1" in
          --camera) CAMERA="$2" ;;
          --camera-size) CAMERA_SIZE="$2" ;;
          --mains) MAINS="$2" ;;
          --port) PORT="$2" ;;
          --wheels) WHEELS="$2" ;;
          --restore) ACTION=restore RESTORE="$2" ;;
        esac
        shift
        ;;
      --kiosk) KIOSK=yes ;;
      --broker) BROKER=yes ;;
      --hall) BROKER=yes HALL=yes ;;
      --rollback) ACTION=rollback ;;
      --uninstall) ACTION=uninstall ;;
      --purge) PURGE=yes ;;
      --force) FORCE=yes ;;
      --image)
        IMAGE=yes FORCE=yes
        # What builds an image has another systemd, or none: units are enabled by their links.
        export SYSTEMD_OFFLINE=1
        ;;
      --first-start) ACTION=first_start ;; # by companion-first-start.service alone
      --dry-run) DRY=yes ;;
      -h | --help) usage; exit 0 ;;
      *) wrong_usage "unknown option $1" ;;
    esac
    shift
  done
  if [ "$IMAGE" = yes ] && [ "$ACTION$BROKER$CAMERA$CAMERA_SIZE$MAINS$PORT" != installno ]; then
    wrong_usage "--image goes with --kiosk and --wheels only: the rest is chosen on the box"
  fi
  [ "$PURGE" = no ] || [ "$ACTION" = uninstall ] || wrong_usage "--purge goes with --uninstall only"
  case "$PORT" in
    "") ;;
    *[!0-9]*) wrong_usage "--port $PORT: expected a number from 1024 to 65535" ;;
    *) if [ "${#PORT}" -gt 5 ] || [ "$PORT" -lt 1024 ] || [ "$PORT" -gt 65535 ]; then
      wrong_usage "--port $PORT: expected a number from 1024 to 65535"
    fi ;;
  esac
  case "$CAMERA" in
    "" | picamera | none | usb:[0-9] | usb:[0-9][0-9]) ;;
    /dev/*)
      case "$CAMERA" in *[!A-Za-z0-9/._:-]*) wrong_usage "--camera $CAMERA: expected a plain device path" ;; esac
      ;;
    rtsp://?* | rtsps://?* | http://?* | https://?*)
      case "$CAMERA" in *[[:space:]]*) wrong_usage "--camera: expected an address without spaces" ;; esac
      ;;
    *) wrong_usage "--camera $CAMERA: expected picamera, usb:N, /dev/v4l/by-id/..., rtsp://..., http://... or none" ;;
  esac
  case "$CAMERA_SIZE" in
    "" | [1-9][0-9][0-9]*x[1-9][0-9][0-9]*)
      case "$CAMERA_SIZE" in *[!0-9x]* | *x*x*) wrong_usage "--camera-size $CAMERA_SIZE: expected such as 1920x1080" ;; esac
      ;;
    *) wrong_usage "--camera-size $CAMERA_SIZE: expected such as 1920x1080" ;;
  esac
  case "$MAINS" in
    "" | 50 | 60 | auto) ;;
    *) wrong_usage "--mains $MAINS: expected 50, 60 or auto" ;;
  esac
  [ -z "$WHEELS" ] || [ -d "$WHEELS" ] || wrong_usage "--wheels $WHEELS: no such folder"
  [ -z "$RESTORE" ] || [ -f "$RESTORE" ] || wrong_usage "--restore $RESTORE: no such file"
}

check_system() {
  if [ -z "$DESTDIR" ] && [ "$DRY" = no ] && [ "$(id -u)" -ne 0 ]; then
    die "needs root: sudo deploy/install.sh"
  fi
  local release="${COMPANION_OS_RELEASE:-/etc/os-release}"
  CODENAME="$(sed -n 's/^VERSION_CODENAME=//p' "$release" 2>/dev/null || true)"
  case "$CODENAME" in
    bookworm | trixie) ;;
    *) die "expected Raspberry Pi OS or Debian, bookworm or trixie; this is '${CODENAME:-unknown}'" ;;
  esac
  check_machine
  ON_PI=no
  if grep -qs 'Raspberry Pi' "${COMPANION_MODEL_FILE:-/proc/device-tree/model}" || [ "$IMAGE" = yes ]; then ON_PI=yes; fi
  check_camera_stack
}

# What cannot be mended by installing anything is said before anything is changed.
check_machine() {
  [ "$ACTION" = install ] || return 0
  local architecture room version
  # dpkg's, not the kernel's: a 32-bit system may run on a 64-bit kernel, and has no packages to install from.
  architecture="$(dpkg --print-architecture 2>/dev/null || uname -m)"
  case "$architecture" in
    amd64 | arm64 | x86_64 | aarch64) ;;
    *) die "expected a 64-bit system; this one is $architecture. Write the 64-bit Raspberry Pi OS onto the card" ;;
  esac
  if [ "${#WHEELS}" -gt 0 ] && ! ls "$WHEELS"/numpy-*.whl >/dev/null 2>&1; then
    die "--wheels $WHEELS: no packages in it; \`make wheels\` fills such a folder"
  fi
  room="$(df --output=avail -k "$(nearest "$HOME_DIR")" 2>/dev/null | tail -n 1 || echo 9999999)"
  if [ "$room" -lt "$NEEDED_KB" ]; then
    die "$((room / 1024)) MB are free where the program goes, $((NEEDED_KB / 1024)) MB are needed"
  fi
  if command -v python3 >/dev/null; then
    version="$(python3 -c 'import sys; print(sys.version_info[0] * 100 + sys.version_info[1])' 2>/dev/null || echo 0)"
    case "$version" in
      311 | 312 | 313 | 314 | "") ;;
      *) die "expected the system's Python to be 3.11 to 3.14; this is $(python3 --version 2>&1)" ;;
    esac
  fi
}

# Where the Raspberry Pi's own camera software is there already, it is tried. The page does without, so this is said only.
check_camera_stack() {
  if [ "$ACTION$ON_PI$IMAGE" != installyesno ] || ! installed python3-picamera2; then return 0; fi
  case "$CAMERA" in
    "" | picamera) ;;
    *) return 0 ;;
  esac
  local said
  said="$(python3 -c 'import picamera2' 2>&1 | tail -n 1)" || say "the system's own picamera2 cannot be loaded: $said" >&2
}

nearest() {
  local folder="$1"
  while [ ! -e "$folder" ] && [ "$folder" != / ]; do folder="$(dirname "$folder")"; done
  echo "$folder"
}

packages() {
  echo python3 python3-venv fonts-dejavu-core fonts-lohit-beng-bengali fonts-wqy-microhei
  echo avahi-daemon # answers to NAME.local, which is told below
  if [ "$ON_PI" = yes ]; then echo python3-picamera2 python3-lgpio; fi
  if [ "$KIOSK" = yes ]; then echo cage seatd chromium fonts-noto-core fonts-noto-cjk; fi
  if [ "$BROKER" = yes ]; then echo mosquitto; fi
}

installed() {
  [ "$(dpkg-query --show --showformat='${Status}' "$1" 2>/dev/null || true)" = "install ok installed" ]
}

install_packages() {
  local missing=() package
  for package in $(packages); do
    installed "$package" || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing packages: ${missing[*]}"
  run env DEBIAN_FRONTEND=noninteractive apt-get update -q
  run env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

ensure_user() {
  local name="$1" group
  shift
  if ! getent passwd "$name" >/dev/null; then
    run useradd --system --user-group --home-dir "/var/lib/$name" --shell /usr/sbin/nologin "$name"
  fi
  for group in "$@"; do
    if getent group "$group" >/dev/null && ! id -nG "$name" 2>/dev/null | tr ' ' '\n' | grep -x "$group" >/dev/null; then
      run usermod --append --groups "$group" "$name"
    fi
  done
}

configured_port() {
  local port
  port="$(sed -n 's/^COMPANION_PORT=\([0-9]*\)$/\1/p' "$CONF" 2>/dev/null || true)"
  echo "${port:-8000}"
}

# Nobody's game is interrupted: an update waits until the round is over, or is told to go on.
refuse_during_a_game() {
  [ "$FORCE" = no ] || return 0
  systemctl is-active --quiet companion.service || return 0
  local phase
  phase="$(python3 - "$(configured_port)" <<'PYTHON' || true
import json, sys, urllib.request
with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/api/state", timeout=5) as answer:
    state = json.load(answer)
print(state.get("phase", "unknown"))
PYTHON
  )"
  case "$phase" in
    playing) die "a game is being played; try again when the round is over, or use --force" ;;
    no_game | waiting | round_over | match_over) ;;
    *) die "the companion runs but does not say whether a game is being played; use --force to go on" ;;
  esac
}

release_name() {
  local version hash
  version="$(sed -n 's/^version = "\(.*\)"$/\1/p' "$SOURCE_DIR/pyproject.toml" | head -n 1)"
  hash="$(cd "$SOURCE_DIR" && list_program | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-12)"
  echo "$version-$hash"
}

list_program() {
  find companion vision hardware datasets models deploy docs pyproject.toml constraints.txt README.md LICENSE \
    -type f ! -path '*/__pycache__/*' ! -name '*.pyc' -print0
}

build_release() {
  local target="$HOME_DIR/releases/$RELEASE"
  if [ -e "$target/.complete" ]; then
    say "release $RELEASE is already there"
    return 0
  fi
  say "building release $RELEASE"
  run rm -rf "$target"
  run mkdir -p "$target"
  if [ "$DRY" = yes ]; then
    echo "would copy the program to $target"
  else
    (cd "$SOURCE_DIR" && list_program | tar --create --null --files-from=-) | tar --extract --no-same-owner --directory "$target"
    chmod -R u=rwX,go=rX "$target"
  fi
  run python3 -m venv --system-site-packages "$target/venv"
  local from=()
  [ -z "$WHEELS" ] || from=(--no-index --find-links "$WHEELS")
  # Every package as it was tested, checked by its hash; then the program itself, which needs nothing else.
  run "$target/venv/bin/python" -m pip install --quiet --disable-pip-version-check "${from[@]}" \
    --require-hashes --no-deps --requirement "$target/deploy/hashes.txt"
  run "$target/venv/bin/python" -m pip install --quiet --disable-pip-version-check "${from[@]}" \
    --no-deps --no-build-isolation --editable "$target"
  # Of an image only the box can tell: what builds it may be a machine of another kind.
  if [ "$IMAGE" = no ] && ! run "$target/venv/bin/companion" doctor --port 0 --data "$DATA"; then
    run rm -rf "$target"
    die "the new release is not well on this machine (see the lines above); the running one was not touched"
  fi
  run touch "$target/.complete"
  if [ "$ON_PI" = yes ] && [ "$IMAGE" = no ]; then ask_camera_stack "$target"; fi
}

# The Pi's camera is not needed for the page, so this only says what is wrong with it, in the import's own words.
ask_camera_stack() {
  if [ "$DRY" = yes ]; then
    echo "would run: $1/venv/bin/python -m hardware.camera.stack"
    return 0
  fi
  local said
  said="$("$1/venv/bin/python" -m hardware.camera.stack 2>&1 | tail -n 1)" || say "the Raspberry Pi camera cannot be used yet: $said" >&2
}

# switch_to RELEASE: one rename, so that there is never a moment without a program.
switch_to() {
  local present
  present="$(readlink "$HOME_DIR/current" 2>/dev/null || true)"
  if [ "$present" = "releases/$1" ]; then return 0; fi
  if [ -n "$present" ]; then
    run ln -sfn "$present" "$HOME_DIR/previous"
  fi
  run ln -sfn "releases/$1" "$HOME_DIR/current.new"
  run mv -T "$HOME_DIR/current.new" "$HOME_DIR/current"
  CHANGED=yes
}

fresh_pin() {
  local number
  number="$(od -An -N4 -tu4 /dev/urandom)"
  printf '%06d' $((number % 1000000))
}

# set_line NAME VALUE: that line of the settings; every other line stays as it is.
set_line() {
  local fresh line
  if [ "$DRY" = yes ]; then
    echo "would set: $1=$2"
    return 0
  fi
  fresh="$(mktemp "$CONF.XXXXXX")"
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      "$1="*) ;;
      *) printf '%s\n' "$line" ;;
    esac
  done <"$CONF" >"$fresh"
  printf '%s\n' "$1=$2" >>"$fresh"
  chmod 0600 "$fresh"
  mv "$fresh" "$CONF"
}

# with_word WORDS OPTION VALUE: the words for `companion serve` with another value of one option; none takes it out. Whatever
# else somebody wrote there (a broker, a table's name) stays.
with_word() {
  local others
  others="$(sed -E "s/(^|[[:space:]])$2([[:space:]]+|=)[^[:space:]]+//; s/^[[:space:]]+//" <<<"$1")"
  if [ "$3" = none ]; then
    echo "$others"
  else
    echo "$2 $3${others:+ $others}"
  fi
}

fresh_key() {
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

write_settings() {
  run install -d -m 0755 "$(dirname "$CONF")"
  if [ ! -e "$CONF" ]; then
    # Only root may read it: it holds the PIN.
    run install -m 0600 "$HERE/companion.conf" "$CONF"
    run sed -i "s|^COMPANION_PIN=.*|COMPANION_PIN=$(fresh_pin)|" "$CONF"
    CHANGED=yes
    if [ -z "$CAMERA" ] && [ "$ON_PI" = no ]; then CAMERA=none; fi
    [ -z "$PORT" ] || run sed -i "s|^COMPANION_PORT=.*|COMPANION_PORT=$PORT|" "$CONF"
  fi
  if ! grep -qs '^COMPANION_SCREEN_KEY=.' "$CONF"; then
    set_line COMPANION_SCREEN_KEY "$(fresh_key)"
    CHANGED=yes
  fi
  [ -n "$CAMERA$CAMERA_SIZE$MAINS" ] || return 0
  local present wanted address=""
  present="$(sed -n 's/^COMPANION_ARGS=//p' "$CONF" 2>/dev/null | tail -n 1 || true)"
  wanted="$present"
  [ -z "$MAINS" ] || wanted="$(with_word "$wanted" --mains "$MAINS")"
  [ -z "$CAMERA_SIZE" ] || wanted="$(with_word "$wanted" --camera-size "$CAMERA_SIZE")"
  case "$CAMERA" in
    "") ;;
    *://*)
      # An address may hold a password, and whoever may list processes sees the words of a command.
      address="$CAMERA"
      wanted="$(with_word "$wanted" --camera none)"
      ;;
    *) wanted="$(with_word "$wanted" --camera "$CAMERA")" ;;
  esac
  if [ -n "$CAMERA" ] && [ "$(sed -n 's/^COMPANION_CAMERA=//p' "$CONF" 2>/dev/null | tail -n 1 || true)" != "$address" ]; then
    set_line COMPANION_CAMERA "$address"
    CHANGED=yes
  fi
  if [ "$present" != "$wanted" ]; then
    set_line COMPANION_ARGS "$wanted"
    CHANGED=yes
  fi
}

# The club's broker lets the other tables in, by a password that stands in the settings.
open_broker() {
  [ "$BROKER" = yes ] || return 0
  local folder="$DESTDIR/etc/mosquitto" password
  if [ -e "$folder/conf.d/companion.conf" ]; then return 0; fi
  if [ "$DRY" = yes ]; then
    echo "would let the other tables in on port 1883 ($folder/conf.d/companion.conf), with a password of their own"
    return 0
  fi
  password="$(fresh_key)"
  install -d -m 0755 "$folder/conf.d"
  (umask 077 && printf 'companion:%s\n' "$password" >"$folder/companion.passwd")
  mosquitto_passwd -U "$folder/companion.passwd"
  chown mosquitto: "$folder/companion.passwd"
  printf 'listener 1883\nallow_anonymous false\npassword_file /etc/mosquitto/companion.passwd\n' >"$folder/conf.d/companion.conf"
  set_line COMPANION_BROKER "companion:$password@127.0.0.1"
  CHANGED=yes
  systemctl restart mosquitto.service
  say "the broker is open for the other tables: copy the line COMPANION_BROKER= of $CONF to theirs, with $(hostname).local for 127.0.0.1"
}

install_units() {
  local unit reload=no
  for unit in companion.service companion-backup.service companion-backup.timer; do
    if place "$HERE/units/$unit" "$UNITS/$unit"; then reload=yes; fi
  done
  if [ "$KIOSK" = yes ] && place "$HERE/units/companion-kiosk.service" "$UNITS/companion-kiosk.service"; then reload=yes; fi
  if [ "$IMAGE" = yes ] && place "$HERE/units/companion-first-start.service" "$UNITS/companion-first-start.service"; then reload=yes; fi
  if [ "$HALL" = yes ] && place "$HERE/units/companion-hall.service" "$UNITS/companion-hall.service"; then reload=yes; fi
  if [ "$reload" = yes ]; then
    CHANGED=yes
    run systemctl daemon-reload
  fi
  if ! cmp -s "$HERE/companion" "$COMMAND"; then run install -D -m 0755 "$HERE/companion" "$COMMAND"; fi
  run systemctl enable --quiet companion.service companion-backup.timer
  if [ "$KIOSK" = yes ]; then run systemctl enable --quiet companion-kiosk.service; fi
  if [ "$HALL" = yes ]; then run systemctl enable --quiet companion-hall.service; fi
  if [ "$IMAGE" = yes ]; then run systemctl enable --quiet companion-first-start.service; fi
}

# A card from an image: every box has a PIN of its own, and whoever holds the card can read it in any computer.
do_first_start() {
  write_settings
  local boot="$DESTDIR/boot/firmware"
  [ -d "$boot" ] || return 0
  printf 'The page: http://%s.local:%s\r\nPIN for changes: %s\r\n' \
    "$(hostname)" "$(configured_port)" "$(sed -n 's/^COMPANION_PIN=//p' "$CONF")" >"$boot/companion.txt"
}

# healthy PORT: whether a page answers there, within a minute.
healthy() {
  local try
  for ((try = 0; try < HEALTH_TRIES; try++)); do
    if python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=5)' \
      "http://127.0.0.1:$1/health" 2>/dev/null; then
      return 0
    fi
    sleep 1
  done
  return 1
}

start_and_watch() {
  if [ "$CHANGED" = no ] && systemctl is-active --quiet companion.service; then
    say "nothing to change; the companion is running"
    return 0
  fi
  run systemctl restart companion.service
  [ "$DRY" = no ] || return 0
  if healthy "$(configured_port)"; then
    say "running: http://$(hostname).local:$(configured_port)"
    say "PIN for changes: $(sed -n 's/^COMPANION_PIN=//p' "$CONF")"
    return 0
  fi
  if [ -e "$HOME_DIR/previous/.complete" ] && [ "$ACTION" = install ]; then
    say "the new release does not answer; going back to the one before" >&2
    back
    systemctl restart companion.service
    die "the update was taken back; journalctl -u companion says why the new release did not start"
  fi
  die "the companion does not answer; journalctl -u companion says why"
}

back() {
  local before
  before="$(readlink "$HOME_DIR/previous" 2>/dev/null || true)"
  if [ -z "$before" ] || [ ! -e "$HOME_DIR/$before/.complete" ]; then die "there is no release to go back to"; fi
  switch_to "${before#releases/}"
}

prune_releases() {
  local present previous old
  present="$(readlink "$HOME_DIR/current" 2>/dev/null || true)"
  previous="$(readlink "$HOME_DIR/previous" 2>/dev/null || true)"
  [ -d "$HOME_DIR/releases" ] || return 0
  find "$HOME_DIR/releases" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %f\n' | sort -rn | cut -d' ' -f2- | tail -n +$((KEEP_RELEASES + 1)) |
    while IFS= read -r old; do
      if [ "releases/$old" != "$present" ] && [ "releases/$old" != "$previous" ]; then
        run rm -rf "$HOME_DIR/releases/$old"
      fi
    done
}

do_install() {
  refuse_during_a_game
  # An update brings along what is there.
  if [ -e "$UNITS/companion-kiosk.service" ]; then KIOSK=yes; fi
  if [ -e "$UNITS/companion-hall.service" ]; then BROKER=yes HALL=yes; fi
  install_packages
  ensure_user companion video render gpio
  if [ "$KIOSK" = yes ]; then ensure_user companion-tv video render; fi
  RELEASE="$(release_name)"
  build_release
  run install -d -m 0700 "$BACKUPS"
  if [ -d "$DATA" ]; then
    say "copying the games before the update"
    run "$HERE/backup.sh" || die "the games could not be copied, so nothing was updated; the running release was not touched"
  fi
  refuse_during_a_game
  switch_to "$RELEASE"
  if [ "$IMAGE" = yes ]; then
    install_units
    say "the image holds $RELEASE; PIN and keys are made at its first start"
    return 0
  fi
  write_settings
  open_broker
  install_units
  run systemctl start companion-backup.timer
  start_and_watch
  if [ "$KIOSK" = yes ]; then run systemctl restart companion-kiosk.service; fi
  if [ "$HALL" = yes ]; then
    run systemctl restart companion-hall.service
    [ "$DRY" = yes ] || healthy 8010 || die "the page of all tables does not answer; journalctl -u companion-hall says why"
    say "all tables: http://$(hostname).local:8010"
  fi
  prune_releases
}

do_rollback() {
  refuse_during_a_game
  back
  say "now at $(readlink "$HOME_DIR/current" 2>/dev/null || echo 'no release')"
  start_and_watch
}

# Of a copy come folders and plain files, nothing else: no way out of its folder, and nobody's rights but the companion's.
check_copy() {
  local listing members odd size room kind name
  gzip --test "$RESTORE" 2>/dev/null || die "$RESTORE: not a copy made by backup.sh (expected a .tar.gz)"
  listing="$(LC_ALL=C tar --list --verbose --numeric-owner --absolute-names --file "$RESTORE" 2>/dev/null)" ||
    die "$RESTORE: not a copy made by backup.sh (the archive is damaged)"
  # Read to its end before it is searched: a search that stops early would break the pipe, and the refusal with it.
  members="$(tar --list --absolute-names --file "$RESTORE")"
  if grep -Eq '(^/|(^|/)\.\.(/|$))' <<<"$members"; then
    die "$RESTORE: reaches outside its folder; not restored"
  fi
  # h: a second name of a file in the copy, which tar makes within the folder only.
  LEFT_OUT=()
  while IFS=$'\t' read -r kind name; do
    case "$kind" in
      [-dh]*) ;;
      *) LEFT_OUT+=("$name") ;;
    esac
  done < <(paste <(cut -c1 <<<"$listing") - <<<"$members")
  odd="$(grep -E '^-.{2}[sS]|^-.{5}[sS]' <<<"$listing" | head -n 1 || true)"
  [ -z "$odd" ] || die "$RESTORE: holds a file that would run with other rights (${odd##* }); not restored"
  grep -Eq ' \./games/$' <<<"$listing" || die "$RESTORE: not a copy made by backup.sh (expected the folder games in it)"
  size="$(awk '{ total += $3 } END { print int(total / 1024) + 1024 }' <<<"$listing")"
  room="$(df --output=avail -k "$(dirname "$DATA")" | tail -n 1)"
  [ "$size" -lt "$room" ] || die "$RESTORE: needs $((size / 1024)) MB, and $((room / 1024)) MB are free; not restored"
}

do_restore() {
  refuse_during_a_game
  run mkdir -p "$(dirname "$DATA")"
  [ "$DRY" = yes ] || check_copy
  local aside fresh
  aside="$DATA.before-$(date -u +%Y%m%dT%H%M%SZ)"
  while [ -e "$aside" ]; do aside="$aside-1"; done
  fresh="$DATA.restoring"
  # All of it is unpacked beside the games before the companion is stopped.
  run rm -rf "$fresh"
  run install -d -m 0750 "$fresh"
  local name said leaving=(--anchored --no-wildcards)
  for name in "${LEFT_OUT[@]}"; do leaving+=("--exclude=$name"); done
  if ! said="$(run tar --extract --gzip --no-same-owner --no-same-permissions "${leaving[@]}" --file "$RESTORE" --directory "$fresh" 2>&1)"; then
    rm -rf "$fresh"
    die "$RESTORE: could not be unpacked (${said%%$'\n'*}); the games were not touched, and the companion runs on"
  fi
  [ -z "$said" ] || echo "$said"
  if [ "$DRY" = no ]; then
    # Those whose names cannot be written in one line.
    find "$fresh" ! -type d ! -type f -delete
    for name in "${LEFT_OUT[@]}"; do say "left out, because it is neither a folder nor a file: $name" >&2; done
  fi
  run chmod -R u=rwX,g=rX,o= "$fresh"
  if getent passwd companion >/dev/null; then run chown -R companion:companion "$fresh"; fi
  run systemctl stop companion.service
  # From here on, whatever goes wrong: the companion is started again.
  [ "$DRY" = yes ] || trap 'systemctl start companion.service' EXIT
  if [ -d "$DATA" ]; then run mv -T "$DATA" "$aside"; fi
  if ! run mv -T "$fresh" "$DATA"; then
    if [ -d "$aside" ]; then mv -T "$aside" "$DATA"; fi
    die "$RESTORE: could not be put in place; the games are as they were"
  fi
  run systemctl restart companion.service
  if [ "$DRY" = yes ]; then return 0; fi
  if healthy "$(configured_port)"; then
    trap - EXIT
    say "the games of $RESTORE are back; those of before lie in $aside"
    return 0
  fi
  if [ -d "$aside" ]; then
    systemctl stop companion.service
    mv -T "$DATA" "$fresh"
    mv -T "$aside" "$DATA"
    die "the companion does not start with these games, so those of before are back; the others lie in $fresh"
  fi
  die "the companion does not answer; journalctl -u companion says why"
}

do_uninstall() {
  local unit
  for unit in companion-kiosk.service companion-hall.service companion-first-start.service companion-backup.timer companion-backup.service companion.service; do
    [ -e "$UNITS/$unit" ] || continue
    run systemctl disable --now --quiet "$unit" || true
    run rm -f "$UNITS/$unit"
  done
  run systemctl daemon-reload
  run rm -f "$COMMAND"
  run rm -rf "$HOME_DIR"
  if [ "$PURGE" = no ]; then
    say "removed; the games stay in $DATA, their copies in $BACKUPS, the settings in $CONF"
    return 0
  fi
  run rm -rf "$DATA" "$DATA".before-* "$DATA.restoring" "$DATA-tv" "$BACKUPS" "$(dirname "$CONF")" \
    "$DESTDIR/var/lib/systemd/timers/stamp-companion-backup.timer"
  local broker="$DESTDIR/etc/mosquitto"
  if [ -e "$broker/conf.d/companion.conf" ]; then
    # What the broker keeps was told with our password: the players' names are among it. It writes them as it stops.
    run systemctl stop mosquitto.service || true
    run rm -f "$broker/conf.d/companion.conf" "$broker/companion.passwd" "$DESTDIR/var/lib/mosquitto/mosquitto.db"
    run systemctl start mosquitto.service || true
  fi
  for unit in companion companion-tv; do
    if getent passwd "$unit" >/dev/null; then run userdel "$unit"; fi
  done
  say "removed, with all games and settings"
}

main() {
  CHANGED=no
  parse "$@"
  check_system
  "do_$ACTION"
}

main "$@"
