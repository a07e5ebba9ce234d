#!/usr/bin/env bash
# install.sh [--prefix FOLDER]: installs nearend, beside which it lies, into ~/.local, or below another folder: program, manual pages,
# completions, the systemd user unit and the desktop entry. What this machine lacks is said; without what nearend needs to start nothing is
# installed. An older nearend there is replaced.
# With DESTDIR, for those who make a package of it, everything goes below that folder, nothing is looked for, and no list is kept.
# install.sh --uninstall [--prefix FOLDER]: takes away what it has installed, and nothing else.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stop() { echo "nearend: $*" >&2 && exit 1; }

prefix=${HOME:-/nonexistent}/.local action=install
while (($#)); do
  case $1 in
    --prefix) (($# > 1)) || stop "--prefix: which folder?" && prefix=$2 && shift ;;
    --prefix=*) prefix=${1#*=} ;;
    --uninstall) action=uninstall ;;
    *) stop "usage: install.sh [--uninstall] [--prefix FOLDER]" ;;
  esac
  shift
done
[[ $prefix == /* && $prefix != *[[:space:]\|]* ]] || stop "--prefix $prefix: give an absolute path without blanks"
prefix=${prefix%/}
manifest=$prefix/share/nearend/installed

# has NAME: whether a library or a program is there.
has() {
  case $1 in
    libwebrtc-audio-processing)
      listed "libwebrtc-audio-processing-2.so.1" || listed "libwebrtc-audio-processing-1.so.3" || listed "libwebrtc_audio_processing.so.1"
      ;;
    *.so.*) listed "$1" ;;
    pipewire | wireplumber) command -v "$1" >/dev/null || [[ -x /usr/lib/$1/$1 ]] ;;
    *) command -v "$1" >/dev/null ;;
  esac
}
cache=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null || :)
listed() { [[ $cache == *$'\t'"$1 "* ]] || compgen -G "/usr/lib*/$1" >/dev/null || compgen -G "/usr/lib/*/$1" >/dev/null; }

# names COLUMN ROW: the packages of a row; of several, those that apt knows.
names() {
  local alternatives name
  alternatives=$(awk -v column="$1" '{ print $column }' <<<"$2")
  if command -v apt-cache >/dev/null; then
    for name in ${alternatives//|/ }; do
      if [[ -n $(apt-cache --names-only search "^$name\$" 2>/dev/null) ]]; then echo "$name" && return; fi
    done
  fi
  echo "${alternatives%%|*}"
}

# how ROWS: the command that installs what the rows name.
how() {
  local column=3 command="apt install" row list=()
  if command -v dnf >/dev/null; then
    column=4 command="dnf install"
  elif command -v pacman >/dev/null; then
    column=5 command="pacman -S"
  fi
  while read -r row; do [[ -z $row ]] || list+=("$(names "$column" "$row")"); done <<<"$1"
  echo "sudo $command ${list[*]}"
}

# missing KIND: the rows of that kind that are not there.
missing() {
  local row kind name
  while read -r row; do
    read -r kind name _ <<<"$row"
    [[ $kind != "$1" ]] || has "$name" || echo "$row"
  done <"$here/share/dependencies"
}

# tell WORDS ROWS: says what is missing, what for, and how to have it.
tell() {
  echo "nearend: $1" >&2
  while read -r row; do
    read -r _ name _ _ _ _ what <<<"$row"
    echo "  $name: $what" >&2
  done <<<"$2"
  echo "  $(how "$2")" >&2
}

uninstall() {
  local path link
  systemctl --user disable --now nearend.service >/dev/null 2>&1 || :
  # What enabled it, where no manager runs that would have taken it away.
  for link in "${XDG_CONFIG_HOME:-${HOME:-/nonexistent}/.config}"/systemd/user/*.wants/nearend.service; do
    [[ $(readlink "$link" 2>/dev/null || :) != "$prefix"/* ]] || rm -f "$link"
  done
  remove
  systemctl --user daemon-reload >/dev/null 2>&1 || :
}

remove() {
  local path
  [[ -f $manifest ]] || return 0
  # In reverse order: files go before their folder.
  tac "$manifest" | while read -r path; do
    if [[ $path == */ ]]; then
      rmdir "$path" 2>/dev/null || :
    else
      rm -f "$path"
    fi
  done
}

# folder PATH: makes the folder and its parents, and notes each that did not exist.
folder() {
  [[ -n $1 && ! -d $1 ]] || return 0
  folder "${1%/*}"
  mkdir -m 755 "$1"
  echo "$1/" >>"$notes"
}

copy() {
  local file target
  while IFS= read -r file; do
    target=$root$prefix/$file
    case $file in
      # Below a home folder the user's systemd reads share only.
      lib/systemd/user/*)
        case $prefix in "${HOME:-/nonexistent}"/* | /home/*) target=$root$prefix/share/systemd/user/nearend.service ;; esac
        ;;
      share/dependencies) continue ;;
    esac
    folder "${target%/*}"
    echo "$target" >>"$notes"
    # Not through a program that may run: it is replaced.
    rm -f "$target"
    install -m "$([[ $file == bin/* ]] && echo 755 || echo 644)" "$here/$file" "$target"
    [[ $target != */nearend.service ]] || sed -i "s|@bindir@|$prefix/bin|g" "$target"
  done < <(cd "$here" && find bin lib share -type f | LC_ALL=C sort)
}

install_all() {
  local rows file glibc oldest version notes root=${DESTDIR-}
  [[ -x $here/bin/nearend ]] || stop "there is no $here/bin/nearend: run the install.sh of the unpacked archive"
  notes=$(mktemp)
  # shellcheck disable=SC2064 # expanded now, while the variable is set
  trap "rm -f '$notes'" EXIT
  if [[ -n $root ]]; then
    [[ $root == /* ]] || stop "DESTDIR=$root: give an absolute path"
    copy
    return
  fi
  [[ $(uname -s) == Linux && $(uname -m) == x86_64 ]] || stop "this archive is for Linux on x86-64, not for $(uname -sm)"
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2 || :)
  [[ -n $glibc ]] || stop "this system has no glibc, with which this program is linked"
  oldest=$(sed -nE 's/^needed libc\.so\.6 .* ([0-9.]+) or newer$/\1/p' "$here/share/dependencies")
  printf '%s\n' "$oldest" "$glibc" | sort --check=silent --version-sort || stop "glibc is $glibc here, and $oldest or newer is needed"
  rows=$(missing needed)
  [[ -z $rows ]] || { tell "nothing was installed, because this is missing:" "$rows" && exit 1; }
  version=$("$here/bin/nearend" --version) || stop "the program does not start here"

  remove
  folder "$prefix/share/nearend"
  copy
  # To take it away again without the archive.
  for file in install.sh installed; do echo "$prefix/share/nearend/$file" >>"$notes"; done
  install -m 755 "$here/install.sh" "$prefix/share/nearend/install.sh"
  install -m 644 "$notes" "$manifest"
  systemctl --user daemon-reload >/dev/null 2>&1 || :

  echo "nearend $version is installed below $prefix; to remove it: $prefix/share/nearend/install.sh --uninstall$(
    [[ $prefix == "${HOME:-}/.local" ]] || echo " --prefix $prefix"
  )"
  [[ ":$PATH:" == *":$prefix/bin:"* ]] || echo "nearend: $prefix/bin is not on your PATH: add it, or start $prefix/bin/nearend" >&2
  version=$(pipewire --version 2>/dev/null | sed -nE 's/^.*libpipewire ([0-9.]+).*/\1/p' | head -n 1 || :)
  [[ -z $version ]] || printf '%s\n' 0.3.65 "$version" | sort --check=silent --version-sort ||
    echo "nearend: PipeWire is $version here, and nearend needs 0.3.65 or newer" >&2
  rows=$(missing optional)
  [[ -z $rows ]] || tell "it works without, but for what is named here:" "$rows"
}

case $action in
  install) install_all ;;
  uninstall)
    [[ -f $manifest ]] || stop "nothing of nearend's is installed below $prefix by this script: there is no $manifest"
    uninstall
    ;;
esac
