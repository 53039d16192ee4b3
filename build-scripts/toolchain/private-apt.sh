# A private apt in DIR: its own lists, cache and sources; the system's are only read, root is not
# needed, and signatures are checked. Sourced by install.sh (uses DIR, SUITE, say, die).
APT_DIR=$DIR/.apt
DEBS=$APT_DIR/debs

papt() { APT_CONFIG=$APT_DIR/apt.conf "$1" "${APT_OPTS[@]}" "${@:2}"; }
hide_hosts() { sed -E 's#(https?://)[^/ ]+#\1<mirror>#g'; }
field() { papt apt-cache show "$1" | awk -v k="$2:" '$1 == k && !n++ {sub(/^[^ ]+ /, ""); print}'; }

# The system's mirror as apt itself reads its sources; not the security or updates one.
system_mirror() {
  local id
  id=$(. /etc/os-release 2>/dev/null; echo "${ID:-}")
  APT_CONFIG=$APT_DIR/apt.conf apt-get -o Dir::State::lists="$APT_DIR/lists" -o Debug::NoLocking=1 \
    update --print-uris 2>/dev/null |
  sed -nE "s#^'([^']+)/dists/([^/' ]+)/InRelease'.*#\2 \1#p" |
  awk -v id="$id" '$1 ~ /[-\/](security|updates|backports)/ {next}
    $2 ~ /\/debian\/?$/ {print $2; found = 1; exit}
    first == "" {first = $2}
    END {if (!found && id == "debian") print first}'
}

system_keyring() {
  local k
  for k in "${DEBIAN_KEYRING:-}" /usr/share/keyrings/debian-archive-keyring.{pgp,gpg} \
           /etc/apt/trusted.gpg.d/debian-archive-keyring.gpg; do
    [ ! -r "$k" ] || { echo "$k"; return; }
  done
}

private_apt() {
  local tool arch mirror keyring
  for tool in apt-get apt-cache dpkg dpkg-deb tar; do
    command -v $tool >/dev/null || die "$tool is not on PATH" \
      "This works on Debian-like machines. Elsewhere: install emsdk and put emcc on PATH."
  done
  rm -rf "$APT_DIR"
  mkdir -p "$APT_DIR"/{lists/partial,cache/archives/partial,conf.d,state,debs}
  # The system's settings (a proxy, say) without its hooks, which expect root.
  cp /etc/apt/apt.conf.d/* "$APT_DIR/conf.d/" 2>/dev/null || true
  cat > "$APT_DIR/conf.d/zzzz-private" <<C
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
C
  printf 'Dir::Etc::parts "%s";\n' "$APT_DIR/conf.d" > "$APT_DIR/apt.conf"
  arch=$(dpkg --print-architecture)
  mirror=${DEBIAN_MIRROR:-$(system_mirror || true)}
  [ -n "$mirror" ] || die "found no Debian mirror in apt's sources" \
    "Set DEBIAN_MIRROR to the URL of one (the folder that has dists/ and pool/)."
  keyring=$(system_keyring)
  [ -n "$keyring" ] || die "no Debian archive keyring on this machine" \
    "Install debian-archive-keyring, or set DEBIAN_KEYRING to its file."
  echo "deb [arch=$arch signed-by=$keyring] $mirror $SUITE main" > "$APT_DIR/sources.list"
  APT_OPTS=(-q -o Dir::Etc::sourcelist="$APT_DIR/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o Dir::State="$APT_DIR/state" -o Dir::State::lists="$APT_DIR/lists" -o Dir::State::status=/dev/null
    -o Dir::Cache="$APT_DIR/cache" -o APT::Architecture="$arch" -o APT::Architectures="$arch"
    -o Acquire::AllowInsecureRepositories=0 -o APT::Get::AllowUnauthenticated=0)
  say "reading the package lists of Debian $SUITE ($arch)"
  papt apt-get update >"$APT_DIR/update.log" 2>&1 ||
    { hide_hosts <"$APT_DIR/update.log" >&2
      die "apt cannot read Debian $SUITE from this machine's mirror" \
        "If it says NO_PUBKEY, debian-archive-keyring is too old: upgrade it."; }
  # apt can exit 0 after a failed fetch: the lists must be there
  [ -n "$(papt apt-cache policy emscripten 2>/dev/null)" ] ||
    { hide_hosts <"$APT_DIR/update.log" >&2; die "Debian $SUITE has no emscripten for $arch on this mirror"; }
}

# download PACKAGE...: into DEBS, checked by apt against the signed lists; tells how far it is
download() {
  local total_mb watcher rc=0
  total_mb=$(papt apt-cache show --no-all-versions "$@" | awk '$1 == "Size:" {n += $2} END {printf "%d", n / 1e6}')
  say "downloading $# packages, $total_mb MB"
  ( while sleep 5; do say "  $(du -sm "$DEBS" | cut -f1) of $total_mb MB"; done ) &
  watcher=$!
  ( cd "$DEBS" && papt apt-get download "$@" ) >"$APT_DIR/download.log" 2>&1 || rc=$?
  kill $watcher 2>/dev/null; wait $watcher 2>/dev/null || true
  [ $rc = 0 ] || { hide_hosts <"$APT_DIR/download.log" >&2; die "the download failed"; }
}

# unpack TARGET PACKAGE [tar options]
unpack() {
  mkdir -p "$1"
  dpkg-deb --fsys-tarfile "$DEBS/$2"_*.deb | tar -x -C "$1" --no-same-owner "${@:3}"
}
