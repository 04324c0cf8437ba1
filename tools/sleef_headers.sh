#!/bin/sh
# sleef_headers.sh FOLDER: SLEEF's inline headers, made by SLEEF's own build from Debian's source, in FOLDER/include.
# Exit status 77: they cannot be had here.
set -eu
skip() { echo "SKIP sleef: $1"; exit 77; }
for tool in apt-get cmake; do command -v $tool > /dev/null || skip "no $tool here"; done
mkdir -p "$1/lists/partial" "$1/source"
cd "$1"
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" > sources.list
apt() {
    apt-get -qq -o Dir::Etc::sourcelist="$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD" -o APT::Sandbox::User=root "$@" >> apt.log 2>&1
}
# 3.9 or later: several instruction sets in one header. The tar files alone: that of the source is all that is needed.
apt update || skip "no list of Debian's sources: $(tail -n 1 apt.log)"
apt source --tar-only --download-only sleef || skip "no source of SLEEF: $(tail -n 1 apt.log)"
tar -xzf sleef_*.orig.tar.gz --strip-components=1 -C source
{ cmake -S source -B build -DSLEEF_BUILD_INLINE_HEADERS=TRUE -DSLEEF_BUILD_TESTS=OFF -DSLEEF_BUILD_DFT=OFF \
    -DSLEEF_BUILD_QUAD=OFF -DSLEEF_BUILD_GNUABI_LIBS=OFF -DSLEEF_BUILD_SCALAR_LIB=OFF -DSLEEF_DISABLE_SSL=ON \
    -DSLEEF_DISABLE_OPENMP=ON && cmake --build build --target inline_headers_util; } > cmake.log 2>&1 ||
    skip "SLEEF's build failed: $(tail -n 1 cmake.log)"
rm -rf include && cp -r build/include include
echo "sleef: $(ls include | grep -c sleefinline) inline headers of $(ls sleef_*.orig.tar.gz | tail -n 1)"
