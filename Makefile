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
TESTS = cast fpenv golden policy tree loss_scale
# Each library is the header compiled once; every test is linked against each of them.
LIBS = scalar-c scalar-cpp
TEST_PROGRAMS = $(foreach lib,$(LIBS),$(foreach test,$(TESTS),build/test_$(test)-$(lib)))
# The environment test once more, library and test alike, where compilers take liberties.
FPENV_PROGRAMS = build/test_fpenv-O0 build/test_fpenv-fast

.DELETE_ON_ERROR:
.PHONY: all demo test test-full test-oracle check form sanitize examples amalgamate install uninstall clean help

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
build/mpx-O0.o: build/impl.c mpx.h
	$(CC) $(C_FLAGS) -O0 -c $< -o $@
build/mpx-fast.o: build/impl.c mpx.h
	$(CC) $(C_FLAGS) -O3 -ffast-math -c $< -o $@

# ---- tests ---------------------------------------------------------------------------------------------------------

TEST_HEADERS = $(wildcard tests/*.h) mpx.h

build/test_%.o: tests/test_%.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) -c $< -o $@
build/test_fpenv-O0.o: tests/test_fpenv.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) -O0 -c $< -o $@
build/test_fpenv-fast.o: tests/test_fpenv.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) -O3 -ffast-math -c $< -o $@

build/test_%-scalar-c: build/test_%.o build/mpx-scalar-c.o
	$(CC) $(LDFLAGS) $^ -lm -o $@
build/test_%-scalar-cpp: build/test_%.o build/mpx-scalar-cpp.o
	$(CC) $(LDFLAGS) $^ -lm -o $@
build/test_fpenv-O0: build/test_fpenv-O0.o build/mpx-O0.o
	$(CC) $(LDFLAGS) $^ -lm -o $@
build/test_fpenv-fast: build/test_fpenv-fast.o build/mpx-fast.o
	$(CC) $(LDFLAGS) $^ -lm -o $@

test: all $(FPENV_PROGRAMS) ## all tests that need only a compiler and python3, in under two minutes
	$(PYTHON) tests/run.py $(TEST_PROGRAMS) $(FPENV_PROGRAMS) \
	    -- $(PYTHON) tests/test_amalgamate.py \
	    -- $(PYTHON) tests/form.py --quick

form: mpx.h ## strict warnings in all standards and compilers found, options, symbols, sizes
	$(PYTHON) tests/form.py

examples: mpx.h ## compile, run and compare every example, and the code of the README
	$(PYTHON) tools/run_examples.py --readme README.md
	$(PYTHON) tools/run_examples.py --cxx

clean: ## remove build/
	rm -rf build
