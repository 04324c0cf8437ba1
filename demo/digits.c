/* digits - the same network, trained on handwritten digits in four precisions.

   Usage: see --help. Without arguments: four policies, five seeds each, in well under a minute;
   prints a table and writes build/demo/digits.svg and .tsv. demo/README.md explains the setting.

   Read mlp.h for the training step. This file runs it, and reports. */
#include "data.h"
#include "map.h"
#include "mlp.h"
#include "plot.h"

#include <time.h>

/* ---- what is run ----------------------------------------------------------------------------- */

enum { SEEDS = 5, EPOCHS = 250, SCALE_PERIOD = 40, RECIPES_MAX = 4, RULES_MAX = 32 };
static const float initial_scale = 16777216.0f; /* 2^24 */

static const char data_path[] = "demo/digits.csv";
static const char svg_path[] = "build/demo/digits.svg";
static const char tsv_path[] = "build/demo/digits.tsv";

/* A row of the table. */
typedef struct recipe {
    mpx_policy_map map; /* without keys: one policy */
    mpx_loss_scale loss_scale;
    char policy_text[64];
    const char *scale_text;
} recipe;

typedef struct options {
    recipe recipes[RECIPES_MAX];
    mpx_amp_rule rules[RULES_MAX];
    mpx_amp amp;          /* of all recipes */
    const char *map_path; /* NULL: none     */
    int recipe_count, seeds, epochs;
} options;

static int is_scaled(const recipe *r) { return r->loss_scale.kind != MPX_LOSS_SCALE_NOOP; }

/* What one run gave. The curves hold a value for each epoch. */
typedef struct run {
    double accuracy, loss, lost, scale; /* of the test, %; last; of the gradients, %; last */
    int skipped;                        /* steps                                           */
    size_t weight_bytes, activation_bytes;
    double seconds;
    double *losses, *scales;
} run;

/* Means over the runs of a recipe; the accuracy's range; the exponent of the scale. */
typedef struct summary {
    double accuracy, worst, best, loss, lost, skipped, exponent;
} summary;

/* ---- the command line ------------------------------------------------------------------------ */

static const char usage[] =
    "usage: digits [options]\n"
    "  --policy TEXT  train by this policy only, e.g. \"p=f32,c=bf16,o=f32\" or mixed_float16\n"
    "  --map FILE     train by a policy for each parameter, as in demo/digits.map; for parameters\n"
    "                 of which the file says nothing: --policy, or f32\n"
    "  --scale TEXT   with these: dynamic (the default), static:NUMBER or none\n"
    "  --rules TEXT   with these: AMP rules for matmul in the scopes forward and backward, and\n"
    "                 hidden1, hidden2 and output inside, e.g.\n"
    "                 \"matmul=compute, scope:backward=f32\"\n"
    "  --seeds N      runs of each policy (5)\n"
    "  --epochs N     steps on the whole training set (250)\n"
    "  --help         print this\n"
    "Run it from the repository root: it reads demo/digits.csv and writes build/demo/digits.svg\n"
    "and build/demo/digits.tsv.\n";

/* value: NULL where the option has none. */
static void bad_argument(const char *option, const char *value, const char *problem) {
    if (value == NULL) fprintf(stderr, "digits: %s: %s; try --help\n", option, problem);
    else fprintf(stderr, "digits: %s %s: %s\n", option, value, problem);
    exit(2);
}

/* The policy that the text names; roles that it leaves unset are f32. */
static mpx_policy parse_policy(const char *text) {
    mpx_policy p;
    mpx_error err;
    char sentence[512];
    if (mpx_policy_parse(text, &p, &err) != MPX_OK) {
        mpx_error_format(&err, text, sentence, sizeof sentence);
        bad_argument("--policy", text, sentence);
    }
    if (!complete_policy(&p)) bad_argument("--policy", text, no_such_policy);
    return p;
}

/* The rules point into the text, which is an argument. */
static void parse_rules(options *o, const char *text) {
    mpx_error err;
    char sentence[MPX_ERROR_TEXT_SIZE];
    o->amp.rules = o->rules;
    if (mpx_amp_rules_parse(text, o->rules, RULES_MAX, &o->amp.rule_count, &err) == MPX_OK) return;
    mpx_error_format(&err, text, sentence, sizeof sentence);
    bad_argument("--rules", text, sentence);
}

static mpx_loss_scale parse_scale(const char *text) {
    mpx_loss_scale scale = mpx_loss_scale_noop();
    char *end;
    if (strcmp(text, "none") == 0) return scale;
    if (strcmp(text, "dynamic") == 0) {
        scale = mpx_loss_scale_dynamic(initial_scale);
        scale.period = SCALE_PERIOD;
        return scale;
    }
    if (strncmp(text, "static:", 7) != 0) {
        bad_argument("--scale", text, "expected dynamic, static:NUMBER or none");
    }
    scale = mpx_loss_scale_static((float)strtod(text + 7, &end));
    if (end == text + 7 || *end != '\0' || mpx_loss_scale_check(scale) != MPX_OK) {
        bad_argument("--scale", text, "expected a positive number after static:");
    }
    return scale;
}

static int parse_count(const char *option, const char *text, int max) {
    char *end;
    long value = strtol(text, &end, 10);
    char problem[64];
    if (end == text || *end != '\0' || value < 1 || value > max) {
        snprintf(problem, sizeof problem, "expected a number from 1 to %d", max);
        bad_argument(option, text, problem);
    }
    return (int)value;
}

static void add_recipe(options *o, const char *policy, const char *scale) {
    recipe *r = &o->recipes[o->recipe_count++];
    r->map = mpx_policy_map_of(NULL, 0, parse_policy(policy));
    r->loss_scale = parse_scale(scale);
    r->scale_text = scale;
    mpx_policy_format(r->map.fallback, r->policy_text, sizeof r->policy_text);
}

static void add_default_recipes(options *o) {
    add_recipe(o, "f32", "none");
    add_recipe(o, "p=f32,c=bf16,o=f32", "none");
    add_recipe(o, "p=f32,c=f16,o=f32", "dynamic");
    add_recipe(o, "p=f32,c=f16,o=f32", "none");
}

/* The options that choose what is run; NULL: not given. */
typedef struct choice {
    const char *policy, *map, *scale, *rules;
} choice;

static void add_map(options *o, const char *path) {
    recipe *r = &o->recipes[0];
    o->map_path = path;
    r->map = read_map(path, r->map.fallback);
    snprintf(r->policy_text, sizeof r->policy_text, "policy map");
}

static void add_recipes(options *o, choice c) {
    if (c.policy == NULL && c.map == NULL) {
        if (c.scale != NULL) bad_argument("--scale", c.scale, "needs --policy or --map");
        if (c.rules != NULL) bad_argument("--rules", c.rules, "needs --policy or --map");
        add_default_recipes(o);
        return;
    }
    add_recipe(o, c.policy != NULL ? c.policy : "f32", c.scale != NULL ? c.scale : "dynamic");
    if (c.map != NULL) add_map(o, c.map);
    if (c.rules != NULL) parse_rules(o, c.rules);
}

static void parse_option(options *o, choice *c, const char *name, const char *value) {
    const char **text = strcmp(name, "--policy") == 0  ? &c->policy
                        : strcmp(name, "--map") == 0   ? &c->map
                        : strcmp(name, "--scale") == 0 ? &c->scale
                        : strcmp(name, "--rules") == 0 ? &c->rules
                                                       : NULL;
    int *count = strcmp(name, "--seeds") == 0    ? &o->seeds
                 : strcmp(name, "--epochs") == 0 ? &o->epochs
                                                 : NULL;
    if (text == NULL && count == NULL) bad_argument(name, NULL, "unknown option");
    if (value == NULL) bad_argument(name, NULL, "needs a value");
    if (text != NULL) *text = value;
    else *count = parse_count(name, value, count == &o->seeds ? 100 : 100000);
}

static options *parse_arguments(int count, char **arguments) {
    static options o;
    choice c = { NULL, NULL, NULL, NULL };
    int i;
    o.seeds = SEEDS;
    o.epochs = EPOCHS;
    for (i = 1; i < count; i += 2) {
        if (strcmp(arguments[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        parse_option(&o, &c, arguments[i], i + 1 < count ? arguments[i + 1] : NULL);
    }
    add_recipes(&o, c);
    return &o;
}

/* ---- running --------------------------------------------------------------------------------- */

static double percent_lost(gradient_count nonzero) {
    if (nonzero.written <= 0) return 0;
    return 100.0 * (nonzero.written - nonzero.read) / nonzero.written;
}

/* losses and scales: where to put the curves. */
static run run_once(const recipe *r, const mpx_amp *amp, int seed, int epochs, double *losses,
                    double *scales, const dataset *train, const dataset *test) {
    trainer t;
    run result;
    clock_t start = clock();
    int epoch;
    result.losses = losses;
    result.scales = scales;
    trainer_init(&t, &r->map, amp, r->loss_scale, train->count, (uint64_t)seed);
    load_images(&t.net, train->pixels, train->count);
    for (epoch = 0; epoch < epochs; epoch++) {
        result.scales[epoch] = (double)mpx_loss_scale_value(t.loss_scale);
        result.losses[epoch] = (double)train_step(&t, train->labels);
    }
    result.loss = result.losses[epochs - 1];
    result.scale = (double)mpx_loss_scale_value(t.loss_scale);
    result.lost = percent_lost(t.net.nonzero);
    result.skipped = t.skipped;
    result.weight_bytes = tensors_bytes(t.net.arena.leaves, LEAVES);
    result.activation_bytes = tensors_bytes(t.net.activations, LAYERS + 1);
    result.accuracy = accuracy(&t.net, test->pixels, test->labels, test->count);
    result.seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    trainer_free(&t);
    return result;
}

static run *run_recipe(pool *memory, const recipe *r, const options *o, const dataset *train,
                       const dataset *test) {
    size_t seeds = (size_t)o->seeds, epochs = (size_t)o->epochs;
    run *runs = (run *)allocate(memory, seeds * sizeof *runs);
    double *curves = (double *)allocate(memory, 2 * seeds * epochs * sizeof *curves);
    int i;
    for (i = 0; i < o->seeds; i++, curves += 2 * epochs) {
        runs[i] = run_once(r, &o->amp, i + 1, o->epochs, curves, curves + epochs, train,
                           test);
        fprintf(stderr, "%-18s  %-7s  seed %d/%d  accuracy %5.1f  loss %.5f  skipped %2d"
                "  scale 2^%-2.0f  %.1f s\n", r->policy_text, r->scale_text, i + 1, o->seeds,
                runs[i].accuracy, runs[i].loss, runs[i].skipped, log2(runs[i].scale),
                runs[i].seconds);
    }
    return runs;
}

/* ---- the table ------------------------------------------------------------------------------- */

static summary summarise(const run *runs, int count) {
    summary s = { 0, 100, 0, 0, 0, 0, 0 };
    int i;
    for (i = 0; i < count; i++) {
        s.accuracy += runs[i].accuracy / count;
        s.worst = fmin(s.worst, runs[i].accuracy);
        s.best = fmax(s.best, runs[i].accuracy);
        s.loss += runs[i].loss / count;
        s.lost += runs[i].lost / count;
        s.skipped += (double)runs[i].skipped / count;
        s.exponent += log2(runs[i].scale) / count;
    }
    return s;
}

static void print_table(const options *o, run *const *runs) {
    int i;
    printf("\n"
           "                             test accuracy, %%  training  weights  activat.  gradients"
           "  skipped   last\n"
           "policy              scaling   mean   min..max      loss      KiB       KiB    lost, %%"
           "    steps  scale\n");
    for (i = 0; i < o->recipe_count; i++) {
        const recipe *r = &o->recipes[i];
        summary s = summarise(runs[i], o->seeds);
        printf("%-18s  %-7s  %5.1f %5.1f..%-5.1f  %.5f  %7.1f  %8.1f  %9.1f  %7.1f  2^%.1f\n",
               r->policy_text, r->scale_text, s.accuracy, s.worst, s.best, s.loss,
               (double)runs[i]->weight_bytes / 1024, (double)runs[i]->activation_bytes / 1024,
               s.lost, s.skipped, s.exponent);
    }
    printf("Means of %d seeds, %d epochs each; 899 images to train on, 898 to test on.\n",
           o->seeds, o->epochs);
}

/* ---- the curves ------------------------------------------------------------------------------ */

static FILE *open_output(const char *path) {
    FILE *file = fopen(path, "w");
    if (file != NULL) return file;
    fprintf(stderr, "digits: cannot write %s: run `make demo` from the repository root\n", path);
    exit(1);
}

static void write_tsv(const char *path, const options *o, run *const *runs) {
    FILE *file = open_output(path);
    int i, seed, epoch;
    fprintf(file, "policy\tscaling\tseed\tepoch\tloss\tscale\n");
    for (i = 0; i < o->recipe_count; i++) {
        for (seed = 0; seed < o->seeds; seed++) {
            const run *r = &runs[i][seed];
            for (epoch = 0; epoch < o->epochs; epoch++) {
                fprintf(file, "%s\t%s\t%d\t%d\t%.6g\t%.6g\n", o->recipes[i].policy_text,
                        o->recipes[i].scale_text, seed + 1, epoch, r->losses[epoch],
                        r->scales[epoch]);
            }
        }
    }
    fclose(file);
}

/* Mean, least and greatest loss of the runs at each epoch: three curves in one block. */
static double *loss_curves(pool *memory, const run *runs, const options *o) {
    double *mean = (double *)allocate(memory, 3 * (size_t)o->epochs * sizeof *mean);
    double *low = mean + o->epochs, *high = low + o->epochs;
    int seed, epoch;
    for (epoch = 0; epoch < o->epochs; epoch++) {
        low[epoch] = high[epoch] = runs[0].losses[epoch];
        for (seed = 0; seed < o->seeds; seed++) {
            double loss = runs[seed].losses[epoch];
            mean[epoch] += loss / o->seeds;
            low[epoch] = fmin(low[epoch], loss);
            high[epoch] = fmax(high[epoch], loss);
        }
    }
    return mean;
}

static void draw_losses(panel p, const options *o, run *const *runs) {
    pool memory = { 0 };
    double *curves[RECIPES_MAX];
    int i;
    p.base = 10;
    for (i = 0; i < o->recipe_count; i++) {
        curves[i] = loss_curves(&memory, runs[i], o);
        panel_fit(&p, curves[i], 3 * o->epochs);
    }
    panel_frame(&p, "Training loss: mean of the seeds, and their range", "epoch");
    for (i = 0; i < o->recipe_count; i++) {
        double *mean = curves[i], *low = mean + o->epochs, *high = low + o->epochs;
        panel_band(&p, low, high, o->epochs, i);
        panel_line(&p, mean, o->epochs, i);
    }
    pool_free(&memory);
}

/* The scales of seed 1. A scale that shrinks tells of a skipped step. */
static void draw_scales(panel p, const options *o, run *const *runs) {
    int i, epoch;
    p.base = 2;
    for (i = 0; i < o->recipe_count; i++) {
        if (is_scaled(&o->recipes[i])) panel_fit(&p, runs[i]->scales, o->epochs);
    }
    panel_frame(&p, "Loss scale of seed 1; crosses are skipped steps", "epoch");
    for (i = 0; i < o->recipe_count; i++) {
        const double *scales = runs[i]->scales;
        if (!is_scaled(&o->recipes[i])) continue;
        panel_line(&p, scales, o->epochs, i);
        for (epoch = 1; epoch < o->epochs; epoch++) {
            if (scales[epoch] < scales[epoch - 1]) panel_cross(&p, epoch - 1, scales[epoch - 1]);
        }
    }
}

static void write_svg(const char *path, const options *o, run *const *runs) {
    panel p = { 0 };
    int i;
    p.svg = open_output(path);
    p.x_max = o->epochs;
    svg_begin(p.svg);
    p.left = 60;
    draw_losses(p, o, runs);
    p.left = 560;
    draw_scales(p, o, runs);
    for (i = 0; i < o->recipe_count; i++) {
        char label[128];
        snprintf(label, sizeof label, "%s, scaling %s", o->recipes[i].policy_text,
                 o->recipes[i].scale_text);
        svg_legend(p.svg, i, label);
    }
    svg_end(p.svg);
}

int main(int argc, char **argv) {
    static dataset train, test;
    options *o = parse_arguments(argc, argv);
    pool memory = { 0 };
    run *runs[RECIPES_MAX];
    int i;
    if (!read_digits(data_path, &train, &test)) {
        fprintf(stderr, "digits: cannot read %s: run from the repository root\n", data_path);
        return 1;
    }
    standardise(&train, &test);
    if (o->map_path != NULL) explain_map(&o->recipes[0].map, o->map_path);
    for (i = 0; i < o->recipe_count; i++) {
        runs[i] = run_recipe(&memory, &o->recipes[i], o, &train, &test);
    }
    print_table(o, runs);
    write_tsv(tsv_path, o, runs);
    write_svg(svg_path, o, runs);
    printf("Curves: %s and %s\n", svg_path, tsv_path);
    pool_free(&memory);
    return 0;
}
