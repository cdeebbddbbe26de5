#!/usr/bin/env bash
# Installs the Debian packages of the folder given into a bare Debian 12, and uses them there: the tools, a page, a completion, and a program
# that links the library. Takes root, debootstrap, a network and some minutes, so scripts/test does not run it; lintian is asked where it is.
#   usage: tests/package/chroot.sh FOLDER [BASE]     BASE: a folder that debootstrap has made before
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

[ $# -ge 1 ] && [ $# -le 2 ] || die "usage: tests/package/chroot.sh FOLDER [BASE]"
[ "$(id -u)" -eq 0 ] || die "needs root, for chroot"
debs=("$1"/pe-tools_*.deb "$1"/libpe-dev_*.deb)
[ -e "${debs[0]}" ] && [ -e "${debs[1]}" ] || die "'$1' does not hold pe-tools_*.deb and libpe-dev_*.deb: scripts/package deb makes them"
if command -v lintian >/dev/null; then
  lintian --fail-on error "${debs[@]}" || die "lintian finds errors"
fi

scratch=$(mktemp -d)
trap 'umount -q "$scratch/root/proc" || true; rm -rf "$scratch"' EXIT
if [ $# -eq 2 ]; then
  cp -a "$2" "$scratch/root"
else
  debootstrap --variant=minbase bookworm "$scratch/root" >"$scratch/log" 2>&1 || { tail "$scratch/log" >&2; die "debootstrap failed"; }
fi
mount -t proc proc "$scratch/root/proc"
cp /etc/resolv.conf "$scratch/root/etc/"
cp "${debs[@]}" "$root/tests/consumer/main.cpp" "$scratch/root/tmp/"
inside() { chroot "$scratch/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }

inside apt-get -qq update
inside sh -c 'apt-get -qq install -y --no-install-recommends /tmp/pe-tools_*.deb' >/dev/null
for tool in pe-gen pe-apply pe-verify pe-analyze; do inside "$tool" --version | head -n 1; done
inside pe-gen rope --model llama-3.1-8b --length 64 -o /tmp/table.h5
inside pe-verify check rope --model llama-3.1-8b --length 64 --file /tmp/table.h5 | head -n 3
inside sh -c 'pe-verify check rope --model gpt-j-6b --length 64 --file /tmp/table.h5 >/dev/null'  && die "another model's table passed"
[ "$(inside bash -c '. /usr/share/bash-completion/completions/pe-gen; COMP_WORDS=(pe-gen ali) COMP_CWORD=1; _pe_complete pe-gen; echo "${COMPREPLY[*]}"')" = alibi ] ||
  die "pe-gen is not completed"
code=0
inside pe-plot --help >/dev/null 2>"$scratch/said" || code=$?
[ "$code" -eq 2 ] && grep -q apt-get "$scratch/said" || die "pe-plot without its modules does not say what to install"
echo "the tools work; now the library"

inside sh -c 'apt-get -qq install -y --no-install-recommends g++ pkg-config /tmp/libpe-dev_*.deb' >/dev/null
inside sh -c 'cd /tmp && g++ main.cpp -o consumer $(pkg-config --cflags --libs pe)'
inside /tmp/consumer
inside apt-get -qq purge -y pe-tools libpe-dev >/dev/null
left=$(find "$scratch/root/usr" -path '*/pe*' \( -name 'pe-gen*' -o -path '*/share/pe/*' -o -name libpe.a \))
[ -z "$left" ] || die "left behind: $left"
echo "1 passed, 0 failed"
