/* One recorded hash per pair of dtypes and way to cast, in tests/golden/cast_hashes.tsv: the same
   for every instruction set, compiler, floating-point environment and byte order. Recorded from
   tests/ref.h alone; a hash that differs is followed by the first element that does.

   test_hashes               as started, and rounding upward with flush-to-zero (where known)
   test_hashes --modes       in every floating-point environment of tests/fpmode.h
   test_hashes --reference   print the file anew
   Run from the repository root. */
#include "pairs.h"
#include "fpmode.h"

static const char *const path = "tests/golden/cast_hashes.tsv";
enum { ALL_BITS_FLOAT = 7, ALL_BITS_INT = 5, AS_STARTED = -1 };

/* ---- hashes over values, not bytes ----------------------------------------------------------- */

static uint64_t hash_start(void) { return 0xcbf29ce484222325u; }

static uint64_t hash_with(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

/* Toward integers only the generator could matter, and it does not. */
static int same_as_nearest(int option) { return option != NEAREST && !ref_is_float(pair_dst); }

static uint64_t library_hash(int option) {
    uint64_t hash = hash_start();
    size_t i;
    pair_cast(option, pair_count);
    for (i = 0; i < pair_count; i++)
        hash = hash_with(hash, ref_load(pair_dst, pair_to, i));
    return hash;
}

static uint64_t reference_hash(int option) {
    uint64_t hash = hash_start();
    size_t i;
    for (i = 0; i < pair_count; i++)
        hash = hash_with(hash, pair_wanted(option, i));
    return hash;
}

static void take_pair(mpx_dtype dst, mpx_dtype src) {
    pair_set(dst, src, ref_is_float(dst) ? ALL_BITS_FLOAT : ALL_BITS_INT);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int print_reference(void) {
    int option;
    mpx_dtype dst, src;
    uint64_t hash = 0;
    printf("# Hashes of casts, from tests/ref.h: build/test_hashes-native-c --reference.\n"
           "# src\tdst\tinputs");
    for (option = 0; option < OPTIONS; option++)
        printf("\t%s", option_names[option]);
    printf("\n");
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
            take_pair(dst, src);
            printf("%s\t%s\t%lu", ref_formats[src].name, ref_formats[dst].name,
                   (unsigned long)pair_count);
            for (option = 0; option < OPTIONS; option++) {
                if (!same_as_nearest(option)) hash = reference_hash(option);
                printf("\t%016llx", (unsigned long long)hash);
            }
            printf("\n");
        }
    return 0;
}

/* The recorded hashes of the pair, from the next row, which must be this pair's. */
static int read_row(FILE *file, uint64_t want[OPTIONS]) {
    char line[256], src[16], dst[16];
    unsigned long count;
    int option, at, used;
    do {
        if (fgets(line, sizeof line, file) == NULL) return 0;
    } while (line[0] == '#');
    if (sscanf(line, "%15s %15s %lu%n", src, dst, &count, &at) != 3) return 0;
    for (option = 0; option < OPTIONS; option++, at += used) {
        unsigned long long hash;
        if (sscanf(line + at, "%llx%n", &hash, &used) != 1) return 0;
        want[option] = hash;
    }
    return count == pair_count && strcmp(src, ref_formats[pair_src].name) == 0 &&
           strcmp(dst, ref_formats[pair_dst].name) == 0;
}

/* ---- one pair in one environment ------------------------------------------------------------- */

/* pair_to still holds the results. */
static void explain(int option) {
    size_t i;
    for (i = 0; i < pair_count; i++) {
        uint64_t got = ref_load(pair_dst, pair_to, i), want = pair_wanted(option, i);
        if (got == want) continue;
        printf("    element %lu: src 0x%llx got 0x%llx want 0x%llx\n", (unsigned long)i,
               (unsigned long long)pair_codes[i], (unsigned long long)got,
               (unsigned long long)want);
        return;
    }
    printf("    every element is as tests/ref.h has it: the record is wrong\n");
}

static void check_hash(int option, uint64_t want, const char *where) {
    uint64_t got = library_hash(option);
    CHECK(got == want, "%s->%s %s [%s, %s]: hash %016llx recorded %016llx",
          ref_formats[pair_src].name, ref_formats[pair_dst].name, option_names[option], mpx_isa(),
          where, (unsigned long long)got, (unsigned long long)want);
    if (got != want && test_failures <= 10) explain(option);
}

/* How many hashes each environment has given, and the hash of them all; as started comes first. */
static unsigned long mode_hashes[FPMODES + 1];
static uint64_t total;

static void check_options(int m, const uint64_t want[OPTIONS]) {
    const char *where = m == AS_STARTED ? "as started" : fpmodes[m].name;
    int option;
    for (option = 0; option < OPTIONS; option++) {
        if (option > SATURATE && same_as_nearest(option)) continue;
        check_hash(option, want[option], where);
        mode_hashes[m + 1]++;
        if (m == AS_STARTED) total = hash_with(total, want[option]);
    }
}

static void check_mode(int m, const uint64_t want[OPTIONS]) {
    if (m == AS_STARTED) {
        check_options(m, want);
        return;
    }
    if (!fpmode_enter(&fpmodes[m])) return;
    check_options(m, want);
    CHECK(fpmode_holds(&fpmodes[m]), "%s: the mode was changed", fpmodes[m].name);
    fpmode_leave();
}

static int is_wanted(int m, int all_modes) {
    return all_modes || m == AS_STARTED || m == (FLUSH_BOTH ? FPMODE_UPWARD_FLUSH : FPMODE_UPWARD);
}

static void print_modes(int all_modes) {
    int m;
    for (m = AS_STARTED; m < FPMODES; m++) {
        const char *where = m == AS_STARTED ? "as started" : fpmodes[m].name;
        if (!is_wanted(m, all_modes)) continue;
        if (mode_hashes[m + 1] == 0) printf("SKIP %s: not known how to set it here\n", where);
        if (mode_hashes[m + 1] != 0) printf("%s: %lu hashes\n", where, mode_hashes[m + 1]);
    }
    printf("the hash of the recorded hashes: %016llx\n", (unsigned long long)total);
}

static void test_all(FILE *file, int all_modes) {
    uint64_t want[OPTIONS];
    mpx_dtype dst, src;
    int m;
    total = hash_start();
    for (src = REF_FIRST; src <= REF_LAST; src++)
        for (dst = REF_FIRST; dst <= REF_LAST; dst++) {
            take_pair(dst, src);
            if (!read_row(file, want)) {
                CHECK(0, "%s: no row for %s->%s, %lu inputs", path, ref_formats[src].name,
                      ref_formats[dst].name, (unsigned long)pair_count);
                return;
            }
            for (m = AS_STARTED; m < FPMODES; m++)
                if (is_wanted(m, all_modes)) check_mode(m, want);
        }
    print_modes(all_modes);
}

int main(int argc, char **argv) {
    FILE *file;
    if (argc > 1 && strcmp(argv[1], "--reference") == 0) return print_reference();
    file = fopen(path, "rb");
    CHECK(file != NULL, "cannot read %s: run from the repository root", path);
    if (file == NULL) return test_done("test_hashes");
    test_all(file, argc > 1 && strcmp(argv[1], "--modes") == 0);
    fclose(file);
    return test_done("test_hashes");
}
