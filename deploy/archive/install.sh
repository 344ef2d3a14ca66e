#!/bin/sh
# Installs the agent from the unpacked archive that this file lies in, or takes it away again. Doing it twice changes nothing.
set -eu
here=$(dirname "$(readlink -f "$0")")
prefix=/opt/drover-agent
state=/var/lib/drover-agent
units=/etc/systemd/system
uninstall=

usage() {
  cat <<TEXT
Usage: install.sh [--prefix DIR] [--state DIR] [--units DIR|none] [--uninstall]

  --prefix DIR     where Java and the launcher go; $prefix unless said
  --state DIR      where the agent keeps its own, its versions among them; $state unless said
  --units DIR      where the systemd units go, or none; $units unless said
  --uninstall      stops the agent and takes Java, launcher and units away; what lies in --state stays, and programs run on
TEXT
}
refuse() { echo "install.sh: $*" >&2; exit 1; }
put() { # only what differs is written, and never half
  [ ! -e "$2" ] || ! cmp -s "$1" "$2" || return 0
  cp -p "$1" "$2.new" && mv -f "$2.new" "$2"
  echo "wrote $2"
}

while [ $# -gt 0 ]; do
  case "$1" in
    --prefix | --state | --units)
      [ $# -gt 1 ] || { usage >&2; refuse "$1 needs a value."; }
      case "$1" in --prefix) prefix=$2 ;; --state) state=$2 ;; *) units=$2 ;; esac
      shift 2 ;;
    --uninstall) uninstall=yes; shift ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; refuse "'$1' is no flag." ;;
  esac
done
for directory in "$prefix" "$state"; do
  case "$directory" in /?*) ;; *) refuse "'$directory' is no absolute path: write it in full." ;; esac
done
[ "$units" = none ] || [ "$(id -u)" = 0 ] || refuse "units are root's: run it as root, or with --units none."
systemd() { [ "$units" = /etc/systemd/system ] && [ -d /run/systemd/system ]; }

if [ -n "$uninstall" ]; then
  if systemd; then
    for unit in drover-agent.service ops-agent@current.service; do systemctl disable --now --quiet "$unit" || true; done
    systemctl stop 'ops-agent@*.service' || true # a successor is not enabled; that there is none is fine
  fi
  if [ "$units" != none ]; then
    for unit in "$here"/systemd/*.service; do rm -f "$units/$(basename "$unit")"; done
  fi
  ! systemd || systemctl daemon-reload
  [ ! -e "$prefix/runtime/release" ] || rm -rf "$prefix/runtime" "$prefix/runtime.old"
  rm -f "$prefix/bin/drover-agent" "$prefix/versions"
  rmdir "$prefix/bin" "$prefix" 2>/dev/null || true
  echo "The agent is gone. What it knew is still in $state; remove it by hand if nobody wants it back."
  exit 0
fi

[ "$(uname -sm)" = "$(cat "$here/platform")" ] \
  || refuse "this archive is for $(cat "$here/platform"), the machine is $(uname -sm): take the archive for it."
version=$(cat "$here/version")
umask 022
mkdir -p "$prefix/bin"
[ -d "$state" ] || { mkdir -p "$state" && chmod 700 "$state"; }
mkdir -p "$state/versions/$version"

# Java: a running agent keeps the files it has open, and the next start finds all of the new ones.
if ! cmp -s "$here/runtime/release" "$prefix/runtime/release" || ! cmp -s "$here/runtime/lib/modules" "$prefix/runtime/lib/modules"; then
  rm -rf "$prefix/runtime.new" "$prefix/runtime.old"
  cp -a "$here/runtime" "$prefix/runtime.new"
  [ ! -e "$prefix/runtime" ] || mv "$prefix/runtime" "$prefix/runtime.old"
  mv "$prefix/runtime.new" "$prefix/runtime"
  rm -rf "$prefix/runtime.old"
  echo "wrote $prefix/runtime"
fi
for file in "$here/versions/$version"/*; do put "$file" "$state/versions/$version/$(basename "$file")"; done
put "$here/bin/drover-agent" "$prefix/bin/drover-agent"
[ "$(readlink "$prefix/versions" || true)" = "$state/versions" ] || ln -sfn "$state/versions" "$prefix/versions"
[ -L "$state/versions/current" ] || ln -s "$version" "$state/versions/current"
current=$(readlink "$state/versions/current")
[ "$current" = "$version" ] \
  || echo "The agent stays $current, to which it was upgraded since. To go to $version, roll it out as an agent upgrade."

if [ "$units" != none ]; then
  mkdir -p "$units"
  for unit in "$here"/systemd/*.service; do # the archive's units name the usual place
    sed "s|/opt/drover-agent/|$prefix/|g" "$unit" > "$prefix/unit.new"
    put "$prefix/unit.new" "$units/$(basename "$unit")"
    rm -f "$prefix/unit.new"
  done
fi
! systemd || systemctl daemon-reload
"$prefix/bin/drover-agent" --version
