#!/bin/sh
# Get the peers and build a shared object of each: from PyPI into build/, from Debian's packages as
# root. Run from the repository root by `make bench-peers`. What cannot be had is left out with one
# line in build/peers/skipped; an earlier result is kept. PEERS names those wanted, if not all: "eigen torch".
set -u
CC=${CC:-cc} CXX=${CXX:-c++} PYTHON=${PYTHON:-python3} FLAGS=${BENCH_FLAGS:--O2 -march=native}
here=bench/peers out=build/peers venv=build/venv-peers
mkdir -p "$out"
: > "$out/skipped"
skip() {
    echo "SKIP $1" | tee -a "$out/skipped"
}
wanted() {
    case " ${PEERS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

# ---- Python packages -------------------------------------------------------------------------------

[ -x $venv/bin/python ] || $PYTHON -m venv $venv > $out/venv.log 2>&1 || {
    skip "everything: no venv ($out/venv.log)"
    exit 0
}
grep -v '^#' $here/requirements.txt | while read -r package; do
    name=${package%%=*}
    wanted "$name" || [ "$name" != torch ] || continue # the others are needed to tell who is wrong
    $venv/bin/python -c "import $name" 2> /dev/null && continue
    echo "installing $package"
    $venv/bin/pip install --quiet "$package" > "$out/$name.log" 2>&1 ||
        skip "$name: pip cannot install it ($out/$name.log)"
done

# unpack NAME VERSION: a source package into $out/NAME-VERSION
unpack() {
    [ -d "$out/$1-$2" ] && return
    $venv/bin/pip download --quiet --no-deps --no-binary "$1" -d "$out" "$1==$2" > "$out/$1.log" 2>&1
    tar xzf "$out/$1-$2.tar.gz" -C "$out" 2>> "$out/$1.log"
}

# ---- shims -----------------------------------------------------------------------------------------

# The best compiler at hand for other people's vector code: clang where there is one.
peer_cc=$(command -v clang-19 || command -v clang || command -v "$CC")
peer_cxx=$(command -v clang++-19 || command -v clang++ || command -v "$CXX")

# shim NAME COMPILER SOURCE FLAGS ...: build/peers/NAME.so
shim() {
    name=$1 compiler=$2 source=$3
    shift 3
    rm -f "$out/$name.so"
    $compiler $FLAGS -O3 -fPIC -shared -fvisibility=hidden -Wall -Wextra "$source" -o "$out/$name.so" "$@" \
        > "$out/$name.log" 2>&1 || skip "$name: does not compile ($out/$name.log)"
}

missing=
# package NAME PEER: to be installed if it is missing and the peer wanted
package() {
    wanted "$2" && ! dpkg -s "$1" > /dev/null 2>&1 && missing="$missing $1"
}
package libxnnpack-dev xnnpack
package libpthreadpool-dev xnnpack
package libhwy-dev highway
package libeigen3-dev eigen
if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } > $out/apt.log 2>&1
fi
# header NAME HEADER PACKAGE: is it wanted, and there?
header() {
    wanted "$1" || return
    [ -f "/usr/include/$2" ] && return
    skip "$1: install $3"
    rm -f "$out/$1.so"
    return 1
}
header xnnpack xnnpack.h "libxnnpack-dev libpthreadpool-dev" &&
    shim xnnpack "$peer_cc" $here/xnnpack.c -lXNNPACK
header highway hwy/highway.h libhwy-dev &&
    shim highway "$peer_cxx" $here/highway.cc -std=c++17 -DHWY_COMPILE_ONLY_STATIC
header eigen eigen3/Eigen/Core libeigen3-dev &&
    shim eigen "$peer_cxx" $here/eigen.cc -std=c++17 -isystem /usr/include/eigen3

if ! wanted numkong; then
    :
elif unpack numkong 7.8.6; then
    shim numkong "$peer_cc" $here/numkong.c -isystem "$out/numkong-7.8.6/include"
else
    skip "numkong: no source package ($out/numkong.log)"
fi

# ggml's own build, by cmake, of the sources that ggml-python carries.
ggml=$out/ggml_python-0.0.45/vendor/ggml
build_ggml() {
    [ -f $out/ggml/src/libggml-cpu.so ] && return
    cmake -S $ggml -B $out/ggml -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DGGML_NATIVE=ON \
        -DGGML_OPENMP=OFF -DGGML_BLAS=OFF -DGGML_BUILD_TESTS=OFF -DGGML_BUILD_EXAMPLES=OFF &&
        cmake --build $out/ggml --parallel 2 --target ggml-cpu
}
if ! wanted ggml; then
    :
elif ! unpack ggml_python 0.0.45; then
    skip "ggml: no source package ($out/ggml_python.log)"
elif ! build_ggml > $out/ggml-build.log 2>&1; then
    skip "ggml: cmake cannot build it ($out/ggml-build.log)"
else
    shim ggml "$peer_cc" $here/ggml.c -isystem $ggml/include -L$out/ggml/src -lggml-cpu -lggml-base \
        "-Wl,-rpath,$PWD/$out/ggml/src"
fi
