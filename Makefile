# mpx.h: `make demo` and `make test` need a C compiler, make and python3's standard library, nothing else.
CC ?= cc
CXX ?= c++
CFLAGS ?= -O2
CXXFLAGS ?= -O2
PYTHON ?= python3
PREFIX ?= /usr/local

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align -Wdouble-promotion -Wundef
C_FLAGS = -std=c99 $(WARN) -I. $(CPPFLAGS) $(CFLAGS)
CXX_FLAGS = -std=c++11 $(WARN) -I. $(CPPFLAGS) $(CXXFLAGS)

ROOMS = $(wildcard src/*.h)
TESTS = cast cast_with fpenv golden policy tree loss_scale interop promote
# Each library is the header compiled once; every test is linked against each of them. Casts are run
# with a vocabulary of four lanes too (tests/simd_lanes4.h): codecs and loops know no lane count.
LANES_TESTS = cast fpenv
TEST_PROGRAMS = $(foreach test,$(TESTS),build/test_$(test)-scalar-c) \
                $(foreach test,$(filter-out cast_with,$(TESTS)),build/test_$(test)-scalar-cpp) \
                $(foreach test,$(LANES_TESTS),build/test_$(test)-lanes4-c)
# The environment test once more: the library without optimisation, and library and test with all
# the liberties that compilers take.
FPENV_PROGRAMS = build/test_fpenv-O0 build/test_fpenv-fast

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all demo test test-full test-oracle check form sanitize examples silero prove fuzz tools amalgamate install uninstall clean help

all: mpx.h $(TEST_PROGRAMS) ## build the header and the tests

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- the header ----------------------------------------------------------------------------------------------------

mpx.h: $(ROOMS) tools/amalgamate.py
	$(PYTHON) tools/amalgamate.py --names
	$(PYTHON) tools/amalgamate.py

amalgamate: mpx.h ## paste src/ into mpx.h

build:
	mkdir -p build

build/impl.c: | build
	printf '#define MPX_IMPLEMENTATION\n#include "mpx.h"\n' > $@

build/mpx-scalar-c.o: build/impl.c mpx.h
	$(CC) $(C_FLAGS) -c $< -o $@
build/mpx-scalar-cpp.o: build/impl.c mpx.h
	$(CXX) $(CXX_FLAGS) -x c++ -c $< -o $@
build/mpx-lanes4-c.o: build/impl.c mpx.h tests/simd_lanes4.h
	rm -rf build/lanes4 && mkdir -p build/lanes4 && cp -r src build/lanes4/src
	cp tests/simd_lanes4.h build/lanes4/src/simd_scalar.h
	$(PYTHON) tools/amalgamate.py --source build/lanes4/src --output build/lanes4/mpx.h
	$(CC) -Ibuild/lanes4 $(C_FLAGS) -c $< -o $@
build/mpx-O0.o: build/impl.c mpx.h
	$(CC) $(C_FLAGS) -O0 -c $< -o $@
build/mpx-fast.o: build/impl.c mpx.h
	$(CC) $(C_FLAGS) -O3 -ffast-math -c $< -o $@

# ---- tests ---------------------------------------------------------------------------------------------------------

TEST_HEADERS = $(wildcard tests/*.h) mpx.h

build/test_%.o: tests/test_%.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) -c $< -o $@
build/test_fpenv-fast.o: tests/test_fpenv.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) -O3 -ffast-math -c $< -o $@

build/test_%-scalar-c: build/test_%.o build/mpx-scalar-c.o
	$(CC) $(LDFLAGS) $^ -lm -o $@
build/test_%-scalar-cpp: build/test_%.o build/mpx-scalar-cpp.o
	$(CC) $(LDFLAGS) $^ -lm -o $@
build/test_%-lanes4-c: build/test_%.o build/mpx-lanes4-c.o
	$(CC) $(LDFLAGS) $^ -lm -o $@
build/test_fpenv-O0: build/test_fpenv.o build/mpx-O0.o
	$(CC) $(LDFLAGS) $^ -lm -o $@
build/test_fpenv-fast: build/test_fpenv-fast.o build/mpx-fast.o
	$(CC) $(LDFLAGS) $^ -lm -o $@

test: all $(FPENV_PROGRAMS) ## all tests that need only a compiler and python3, in under two minutes
	$(PYTHON) tests/run.py $(TEST_PROGRAMS) $(FPENV_PROGRAMS) \
	    -- $(PYTHON) tests/test_amalgamate.py \
	    -- $(PYTHON) tests/form.py --quick

check: test form sanitize examples demo ## everything that must hold on this machine: test, form, sanitize, examples, demo

test-full: build/full_cast ## all 2^32 floats to every float format, in minutes
	build/full_cast

build/full_cast: tests/full_cast.c $(TEST_HEADERS) build/mpx-scalar-c.o
	$(CC) $(C_FLAGS) $(LDFLAGS) $< build/mpx-scalar-c.o -lpthread -o $@

# Undefined behaviour and memory errors, header and tests alike.
SANITIZE = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZE_PROGRAMS = $(foreach test,$(TESTS),build/sanitize_$(test))

sanitize: $(SANITIZE_PROGRAMS) ## the tests under ASan and UBSan
	$(PYTHON) tests/run.py $(SANITIZE_PROGRAMS)

build/sanitize_%: tests/test_%.c $(TEST_HEADERS) build/mpx-sanitize.o
	$(CC) $(C_FLAGS) $(SANITIZE) $(LDFLAGS) $< build/mpx-sanitize.o -lm -o $@

build/mpx-sanitize.o: build/impl.c mpx.h
	$(CC) $(C_FLAGS) $(SANITIZE) -c $< -o $@

# Other people's implementations, from their packages; one that cannot be had is a counted skip.
test-oracle: build/libmpx.so build/venv/ready ## against ml_dtypes, PyTorch, SoftFloat, ONNX, live (needs the network once)
	build/venv/bin/python tests/oracle.py build/libmpx.so

build/libmpx.so: build/impl.c mpx.h
	$(CC) $(C_FLAGS) -shared -fPIC $< -o $@

build/venv/ready: tests/oracle/requirements.txt | build
	$(PYTHON) -m venv build/venv
	-grep -v '^#' tests/oracle/requirements.txt | xargs -n1 build/venv/bin/pip install --quiet
	touch $@

silero: mpx.h | build ## dry runs over real speech-model weights (needs the network once)
	$(PYTHON) tools/dry_run_silero.py

# Exit status 77: the tool cannot be had here, and the script has said so.
prove: mpx.h | build ## ESBMC proofs of the scalar codecs, for all inputs (needs the network once)
	$(PYTHON) tests/prove.py || [ $$? = 77 ]

FUZZ_SECONDS ?= 10
fuzz: mpx.h | build ## libFuzzer on every parser, casts, trees and states: FUZZ_SECONDS each
	$(PYTHON) tests/fuzz.py --seconds $(FUZZ_SECONDS) || [ $$? = 77 ]

tools: ## install the other compilers and tools that form, size and CI use (Debian, as root; needs the network)
	tools/install.sh

form: mpx.h ## strict warnings in all standards and compilers found, options, symbols, sizes
	$(PYTHON) tests/form.py

examples: mpx.h ## compile, run and compare every example, and the code of the README
	$(PYTHON) tools/run_examples.py --cxx --readme README.md

demo: build/demo/digits ## train on real handwritten digits in four precisions: table, build/demo/digits.svg
	build/demo/digits

build/demo/digits: demo/digits.c $(wildcard demo/*.h) build/mpx-scalar-c.o
	mkdir -p build/demo
	$(CC) $(C_FLAGS) $(LDFLAGS) $< build/mpx-scalar-c.o -lm -o $@

# ---- speed ---------------------------------------------------------------------------------------------------------

.PHONY: bench bench-peers bench-readme
BENCH_FLAGS ?= -O2 -march=native
BENCH_CLANG ?= $(shell command -v clang-19 || command -v clang)
BENCH_SOURCES = $(addprefix bench/,rows.c limits.c data.c race.c)
# What changes no result, and what loops of plain C need for gcc to vectorise them.
BENCH_PLAIN = -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math
BENCH_CC = -std=c99 $(WARN) -I. $(CPPFLAGS) -DBENCH_FLAGS_TEXT='"$(BENCH_FLAGS)"'

bench: build/bench ## time of each cast beside the memory limit, memcpy and plain C loops, in four minutes; BENCH_ARGS=--quick
	build/bench --tsv build/bench.tsv $(BENCH_ARGS)
	$(PYTHON) bench/plot.py build/bench.tsv --svg build/bench.svg

bench-readme: ## the chart and the table of the last bench, into bench/
	$(PYTHON) bench/plot.py $(wildcard build/bench.tsv build/bench-peers.tsv) --svg bench/results.svg --markdown bench/RESULTS.md

# Runs with the peers that could be had; those that could not are counted.
bench-peers: build/libbench.so ## the same beside PyTorch, NumPy, ml_dtypes, ggml, XNNPACK, Highway, NumKong, Eigen (needs the network once; as root, installs Debian packages)
	CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' BENCH_FLAGS='$(BENCH_FLAGS)' sh bench/peers/setup.sh
	build/venv-peers/bin/python bench/peers.py --tsv build/bench-peers.tsv $(BENCH_ARGS)

# The plain loops are compiled by clang too where there is one.
BENCH_INPUTS = $(BENCH_SOURCES) bench/plain.c bench/bench.h build/impl.c mpx.h
BENCH_BUILD = \
	$(CC) $(BENCH_CC) $(BENCH_FLAGS) $(PIC) -c build/impl.c -o $@-mpx.o && \
	$(CC) $(BENCH_CC) $(BENCH_FLAGS) $(BENCH_PLAIN) $(PIC) -c bench/plain.c -o $@-plain.o && \
	if [ -n "$(BENCH_CLANG)" ]; then have=-DBENCH_HAVE_CLANG other=$@-clang.o && \
	  $(BENCH_CLANG) $(BENCH_CC) $(BENCH_FLAGS) $(BENCH_PLAIN) $(PIC) -DPLAIN_TABLE=bench_plain_clang -c bench/plain.c -o $$other; fi && \
	$(CC) $(BENCH_CC) $(BENCH_FLAGS) $(PIC) $(LDFLAGS) $$have $(filter bench/%.c,$(filter-out bench/plain.c,$^)) $@-mpx.o $@-plain.o $$other -o $@

build/bench: bench/bench.c $(BENCH_INPUTS)
	$(BENCH_BUILD)
build/libbench.so: PIC = -fPIC -fno-semantic-interposition
build/libbench.so: LDFLAGS += -shared -Wl,-Bsymbolic
build/libbench.so: bench/peers/glue.c $(BENCH_INPUTS)
	$(BENCH_BUILD)

install: mpx.h ## copy the header and mpx.pc to PREFIX (default /usr/local), under DESTDIR
	mkdir -p $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/pkgconfig
	cp mpx.h $(DESTDIR)$(PREFIX)/include/mpx.h
	( sed -n '1s/.* - v\([0-9.]*\) .*/Version: \1/p' mpx.h; \
	  printf 'Name: mpx\nDescription: mixed precision for C, one header\nCflags: -I$(PREFIX)/include\n' ) \
	    > $(DESTDIR)$(PREFIX)/share/pkgconfig/mpx.pc

uninstall: ## remove what install copied
	rm -f $(DESTDIR)$(PREFIX)/include/mpx.h $(DESTDIR)$(PREFIX)/share/pkgconfig/mpx.pc

clean: ## remove build/
	rm -rf build
