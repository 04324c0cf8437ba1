#!/bin/sh
# Compilers and tools beyond the two commands that need none: for `make form` and CI, on Debian, as root.
set -eu
# Never gcc-multilib: it removes every cross compiler. libc6-dev-i386 and lib32gcc are enough for -m32.
packages="clang-16 clang-19 lld-19 libclang-rt-19-dev libclang-rt-19-dev-wasm32 tcc universal-ctags libstb-dev libsleef-dev cmake ninja-build pkg-config
          gcc-arm-none-eabi qemu-system-arm qemu-user-static libc6-dev-i386 lib32gcc-12-dev
          gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross
          gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
          gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross wasi-libc nodejs gcc-mingw-w64-x86-64 wine64 gdb
          openmpi-bin libopenmpi-dev chromium chromium-driver"
# tools/install.sh everywhere: what `make test-everywhere` can use besides
if [ "${1:-}" = everywhere ]; then
    packages="$packages gcc-powerpc-linux-gnu libc6-dev-powerpc-cross gcc-mips-linux-gnu libc6-dev-mips-cross valgrind"
fi
if ! command -v apt-get > /dev/null || [ "$(id -u)" != 0 ]; then
    echo "SKIP tools: no apt-get, or not root"
    exit 0
fi
missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && { echo "tools: all there"; exit 0; }
apt-get update -qq -o Acquire::Retries=3
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Acquire::Retries=3 --no-install-recommends $missing > /dev/null
echo "tools: installed$missing"
