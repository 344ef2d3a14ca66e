# Sourced: fetches packages of one Debian release, whichever this machine is, and unpacks them. Lists and settings are its own: the
# machine's are neither read nor changed.
from_suite() { # SUITE DIRECTORY PACKAGE...: unpacks into DIRECTORY; fails with its log in DIRECTORY.log
  suite=$1 into=$2; shift 2
  mkdir -p "$into"
  # Where this machine's own packages come from has the other releases, too.
  mirror=$(apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Component: main' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1)
  [ -n "$mirror" ] || { echo "no package lists here" > "$into.log"; return 1; }
  apt=$into.apt
  rm -rf "$apt" && mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$apt/sources.list"
  options="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists=$apt/lists
    -o Dir::Cache=$apt/cache -o APT::Sandbox::User=root -o Acquire::Languages=none
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false"
  # shellcheck disable=SC2086 # lists of words are meant
  { timeout 300 apt-get $options -qq update && cd "$apt" && timeout 300 apt-get $options -qq download "$@"; } > "$into.log" 2>&1 || return 1
  for package in "$apt"/*.deb; do dpkg-deb -x "$package" "$into" || return 1; done
  rm -rf "$apt"
}
