#!/bin/sh
# Compilers and tools beyond the two commands that need none: for `make form` and CI, on Debian, as root.
set -eu
packages="clang-16 clang-19 libclang-rt-19-dev tcc universal-ctags gcc-arm-none-eabi qemu-system-arm lld-19
          gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
if ! command -v apt-get > /dev/null || [ "$(id -u)" != 0 ]; then
    echo "SKIP tools: no apt-get, or not root"
    exit 0
fi
missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && { echo "tools: all there"; exit 0; }
apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > /dev/null
echo "tools: installed$missing"
