#!/usr/bin/env bash
# A real Docker engine, a registry and a busybox for the docker runtime's test: Debian's packages, unpacked
# into a separate cache and not installed. If one is not available, writes the reason to stderr.
set -u
engine="${XDG_CACHE_HOME:-$HOME/.cache}/drover/docker"
if [ ! -x "$engine/usr/sbin/dockerd" ]; then
  command -v apt-get >/dev/null 2>&1 || { echo "ci: no apt-get; the docker runtime is not tested on a real engine" >&2; exit 0; }
  packages="docker.io containerd runc docker-registry busybox-static"
  # Unpacked next to its place and renamed: a run that is interrupted leaves no half of it.
  mkdir -p "$(dirname "$engine")" && rm -rf "$engine.new" && mkdir "$engine.new"
  ( cd "$engine.new" && { apt-get download -qq $packages || { apt-get update -qq && apt-get download -qq $packages; }; } \
      && for deb in *.deb; do dpkg -x "$deb" .; done && rm -f ./*.deb \
      && cd .. && rm -rf "$engine" && mv "$engine.new" "$engine" ) >/dev/null 2>&1 \
    || echo "ci: a Docker engine is not available; the docker runtime is not tested on a real one" >&2
fi
exit 0
