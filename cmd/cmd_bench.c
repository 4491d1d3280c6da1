/* cmd_bench.c - sluice bench: runs the programs of tests/perf and shows what they measured.
 *
 * A program that is called with --cases prints its cases, one per line: the number of ranks, a
 * program beside it, its arguments; and remarks, "# ...", which are shown where a case of
 * that program runs: what is measured on, and what is left out. A case prints lines of name=value
 * pairs, which become rows of the table, or other lines, which are shown as they are. One case runs
 * at a time.
 *
 * Shapes  none
 * Units   as in the table's head
 * Errors  SL_EUSAGE, SL_EUNAVAIL when the programs are not built, SL_EMEMBER when a case fails
 * Owns    nothing
 * MPI     none here; cases with more than one rank run under mpirun
 * Where   host
 * Refs    none
 * Tests   tests/cli/bench.sh
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build_info.h" /* generated: SL_BUILD_CUDA */
#include "cmd/verb.h"
#include "core/sys/file.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/launch/child.h"
#include "pipeline/launch/launch.h"
#include "pipeline/launch/place.h"
#include "pipeline/plan/pace.h"

enum { OUTPUT = 65536, LINES = OUTPUT / 2, VALUE = 64, PATH = 4096 };
static const char folder[] = "tests/perf";

struct bench {
    const char *want; /* only cases whose line holds this */
    bool gpu;         /* only what the programs gpu... do, which compute on a device */
    bool lines;       /* show what the programs print, no table */
    bool json;        /* an object per line of a program, no table */
    bool amr;         /* an adaptive mesh, as the words say */
    bool particles;   /* particles of dark matter, likewise */
    bool gravity;     /* what gravity takes, likewise */
    double first;     /* updates per second of the first case: what ratios refer to */
    int programs, listed, done, failed; /* programs: gpu... */
};

/* ---- running -------------------------------------------------------------------------------- */

/* Runs a program to its end; its standard output comes back in text[OUTPUT]. */
static int capture(const struct sl_args *args, char *text, int *code)
{
    const struct sl_child child = {.args = *args, .err = -1, .on_death = 15};
    return sl_child_capture(&child, text, OUTPUT, code);
}

/* Arguments of a line "ranks program argument ..."; the line is taken apart. */
static int case_args(char *line, struct sl_args *args)
{
    char *save = NULL, *ranks = strtok_r(line, " ", &save), *name = strtok_r(NULL, " ", &save);
    char program[PATH], path[PATH];
    SL_CHECK(ranks && name, SL_EINPUT, "a case needs ranks and a program");
    snprintf(program, sizeof program, "%s/%s", folder, name);
    long n = strtol(ranks, NULL, 10);
    if (n > 1) {
        SL_TRY(sl_launch_words(args, NULL, (int)n, program));
    } else {
        SL_TRY(sl_place_program(program, path, sizeof path));
        sl_args_add(args, "%s", path);
    }
    for (char *word; (word = strtok_r(NULL, " ", &save));)
        sl_args_add(args, "%s", word);
    return SL_OK;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The value of name in a line of name=value pairs, "" when it has none. */
static const char *value_of(const char *line, const char *name, char out[VALUE])
{
    size_t n = strlen(name);
    out[0] = '\0';
    for (const char *p = line; p; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (strncmp(p, name, n) != 0 || p[n] != '=') continue;
        size_t length = strcspn(p + n + 1, " \n");
        snprintf(out, VALUE, "%.*s", (int)length, p + n + 1);
        break;
    }
    return out;
}

static double number_of(const char *line, const char *name)
{
    char text[VALUE];
    return strtod(value_of(line, name, text), NULL);
}

static json_t *value_json(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    json_t *o = *text && !*end ? json_real(x) : NULL; /* NULL for nan and inf too */
    return o ? o : json_string(text);
}

/* Words that may look like numbers. */
static bool is_text(const char *name)
{
    static const char *const names[] = {"device", "driver", "cuda", "commit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* The name=value pairs of a line, or the line itself when it has none. */
static void print_json(const char *line)
{
    char copy[OUTPUT], *save = NULL;
    json_t *o = json_pack("{s:i}", "v", 1);
    snprintf(copy, sizeof copy, "%s", line);
    for (char *pair = strtok_r(copy, " ", &save); pair; pair = strtok_r(NULL, " ", &save)) {
        char *equal = strchr(pair, '=');
        if (!equal) continue;
        *equal = '\0';
        json_object_set_new(o, pair,
                            is_text(pair) ? json_string(equal + 1) : value_json(equal + 1));
    }
    if (json_object_size(o) == 1) json_object_set_new(o, "line", json_string(line));
    sl_json_print_line(o);
}

/* Scheme, numbers, cells, blocks and ranks of a case. */
static void print_case(const char *line)
{
    char scheme[VALUE], precision[VALUE], cells[VALUE], block[VALUE], ranks[VALUE];
    printf("%-20s %-8s %-12s %-12s %5s", value_of(line, "scheme", scheme),
           value_of(line, "precision", precision), value_of(line, "cells", cells),
           value_of(line, "block", block), value_of(line, "ranks", ranks));
}

static void print_head(const struct bench *b, const char *line)
{
    if (b->gpu)
        printf("copy within the device: %.0f GB/s read and written\n",
               1e-9 * number_of(line, "copy_bytes_per_s"));
    printf("%-20s %-8s %-12s %-12s %5s %12s %7s ", "scheme", "numbers", "cells", "block", "ranks",
           "Mupdates/s", "ratio");
    puts(b->gpu ? "  least B  of the limit" : "by cpu time    B/cell");
}

static const char *word_of(const char *line, const char *name)
{
    static char text[16][VALUE];
    static int next;
    return value_of(line, name, text[next++ % 16]);
}

/* Of an adaptive mesh: a few lines instead of a row. */
static void print_amr(const char *line)
{
    printf("blast     %s cells in blocks of %s, %s finer levels, time.levels: %s; %s in %s "
           "precision on %s, ranks: %s\n",
           word_of(line, "cells"), word_of(line, "block"), word_of(line, "levels"),
           word_of(line, "time_levels"), word_of(line, "scheme"), word_of(line, "precision"),
           word_of(line, "backend"), word_of(line, "ranks"));
    printf("levels    %s cells in %s leaves\n", word_of(line, "leaf_cells"),
           word_of(line, "leaves"));
    printf("updates   %.4g per second, everything counted, over %s steps of the root grid\n",
           number_of(line, "updates_per_s"), word_of(line, "steps"));
    if (number_of(line, "ratio") > 0)
        printf("uniform   %.4g per second on the same blocks without levels: ratio %.3g\n",
               number_of(line, "uniform_updates_per_s"), number_of(line, "ratio"));
    printf(
        "time      regrids %.1f %%, of which balance and tables of the mesh %.1f %%; ghost cells "
        "from coarser levels %.1f %%; fluxes and covered blocks %.1f %%\n",
        100 * number_of(line, "regrid_share"), 100 * number_of(line, "mesh_share"),
        100 * number_of(line, "ghost_share"), 100 * number_of(line, "match_share"));
    if (*word_of(line, "block_us"))
        printf("blocks    %s us for a step of one on each level\n", word_of(line, "block_us"));
    if (number_of(line, "imbalance") > 0)
        printf("ranks     the slowest works %.3g times as long as the mean, waits not counted\n",
               number_of(line, "imbalance"));
    if (*word_of(line, "gravity_share"))
        printf("gravity   %.1f %% of the time\n", 100 * number_of(line, "gravity_share"));
    printf("memory    %.0f bytes per leaf cell\n", number_of(line, "bytes_per_cell"));
}

/* Of gravity, likewise. */
static void print_gravity(const char *line)
{
    printf("%-9s %s cells in blocks of %s, %s finer levels; %s in %s precision on %s, ranks: %s\n",
           word_of(line, "case"), word_of(line, "cells"), word_of(line, "block"),
           word_of(line, "levels"), word_of(line, "scheme"), word_of(line, "precision"),
           word_of(line, "backend"), word_of(line, "ranks"));
    printf("potential %.4g ms from density to accelerations; with both kicks of a step %.4g ms, "
           "%.4g cells per second\n",
           1e3 * number_of(line, "potential_s"), 1e3 * number_of(line, "solve_s"),
           number_of(line, "solve_cells_per_s"));
    if (number_of(line, "transforms_s") > 0)
        printf("transform %.4g ms there and back of the root grid: ratio %.3g\n",
               1e3 * number_of(line, "transforms_s"), number_of(line, "ratio"));
    if (*word_of(line, "cycle_s"))
        printf("cycles    %s for that potential, %.4g ms each; %s for one of a step\n",
               word_of(line, "solve_cycles"), 1e3 * number_of(line, "cycle_s"),
               word_of(line, "cycles"));
    printf("updates   %.4g per second, without gravity %.4g: %.1f %% of the time, by what the run "
           "tells %.1f %%\n",
           number_of(line, "updates_per_s"), number_of(line, "without_updates_per_s"),
           100 * number_of(line, "gravity_share"), 100 * number_of(line, "told_share"));
}

/* Of particles, likewise. */
static void print_particles(const char *line)
{
    printf("particles %s, %s cells in blocks of %s, %s, %s box, gas: %s; %s precision on %s, "
           "ranks: %s\n",
           word_of(line, "particles"), word_of(line, "cells"), word_of(line, "block"),
           word_of(line, "kernel"), word_of(line, "boundary"), word_of(line, "gas"),
           word_of(line, "precision"), word_of(line, "backend"), word_of(line, "ranks"));
    printf("steps     %.4g of a particle per second, the flow of gas left out\n",
           number_of(line, "particle_steps_per_s"));
    printf("time      %.4g s for a step: a kick with a drift %.3g s, a kick %.3g s, the potential "
           "%.3g s\n",
           number_of(line, "step_s"), number_of(line, "drift_s"), number_of(line, "kick_s"),
           number_of(line, "potential_s"));
    printf("memory    %.0f bytes per particle, mesh and gas included\n",
           number_of(line, "bytes_per_particle"));
}

static bool has(const char *line, const char *name, const char *value)
{
    char text[VALUE];
    return strcmp(value_of(line, name, text), value) == 0;
}

static void print_row(struct bench *b, const char *line)
{
    double rate = number_of(line, "updates_per_s");
    if (!b->lines && has(line, "program", "gravity")) {
        print_gravity(line);
        return;
    }
    if (!b->lines && number_of(line, "particle_steps_per_s") > 0) {
        print_particles(line);
        return;
    }
    if (b->amr && !b->lines && rate > 0) {
        print_amr(line);
        return;
    }
    if (b->lines || rate <= 0) {
        printf("%s\n", line);
        return;
    }
    if (b->first <= 0) {
        b->first = rate;
        print_head(b, line);
    }
    print_case(line);
    printf(" %12.2f %7.2f", 1e-6 * rate, rate / b->first);
    if (b->gpu)
        printf(" %9.0f %12.1f%%\n", number_of(line, "least_bytes_per_update"),
               100 * number_of(line, "share_of_copy"));
    else
        printf(" %12.2f %9.0f\n", 1e-6 * number_of(line, "updates_per_cpu_s"),
               number_of(line, "bytes_per_cell"));
}

/* What `sluice plan` reckons with until a campaign has run here: the usual scheme on one rank; of a
 * device, whose rate depends on the blocks, with 256^3 cells in blocks of 32^3. Of levels the plan
 * knows by itself. */
static void keep(const char *line)
{
    static const struct {
        const char *scheme, *backend, *field;
    } usual[] = {{"plm+hllc+rk2", "auto", "none"},
                 {"minmod+hllc+rk2", "gpu", "none"},
                 {"mhd+minmod+hlld+rk2", "gpu", "glm"},
                 {"ct+minmod+hlld+rk2", "gpu", "ct"}};
    char precision[VALUE];
    double rate = number_of(line, "updates_per_s");
    if (!has(line, "ranks", "1") || !(rate > 0) || has(line, "program", "amr") ||
        has(line, "program", "gravity"))
        return;
    value_of(line, "precision", precision);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool device = has(line, "program", "gpu");
        if (!has(line, "scheme", usual[i].scheme) || device != (i > 0)) continue;
        if (device && !(has(line, "cells", "256,256,256") && has(line, "block", "32,32,32")))
            continue;
        if (sl_pace_bench(usual[i].backend, precision, usual[i].field, rate) != SL_OK)
            sl_log(SL_LOG_NOTE, "plans will not know of this: %s", sl_error_text());
    }
}

static int run_case(struct bench *b, char *line)
{
    char text[OUTPUT], *save = NULL, name[PATH];
    struct sl_args args = {.n = 0};
    int code = 0;
    snprintf(name, sizeof name, "%s", line);
    int status = case_args(line, &args);
    if (status == SL_OK) status = capture(&args, text, &code);
    sl_args_release(&args);
    SL_TRY(status);
    b->done++;
    b->failed += code != 0;
    if (code != 0) fprintf(b->json ? stderr : stdout, "exit code %d: %s\n", code, name);
    for (char *out = strtok_r(text, "\n", &save); out; out = strtok_r(NULL, "\n", &save)) {
        b->json ? print_json(out) : print_row(b, out);
        if (code == 0) keep(out);
    }
    fflush(stdout);
    return SL_OK;
}

/* Counts what there is to choose from, too. */
static bool is_chosen(struct bench *b, const char *line)
{
    const char *program = strchr(line, ' ');
    if (*line == '#' || (b->gpu && !(program && strncmp(program, " gpu", 4) == 0))) return false;
    b->listed++;
    return strstr(line, b->want) != NULL;
}

/* Lines of a program that are to be run or shown: none where no case is chosen. */
static int choose(struct bench *b, char *text, char *line[LINES])
{
    char *save = NULL;
    int n = 0, cases = 0;
    for (char *p = strtok_r(text, "\n", &save); p && n < LINES; p = strtok_r(NULL, "\n", &save)) {
        bool run = is_chosen(b, p);
        cases += run;
        if (run || *p == '#') line[n++] = p;
    }
    return cases > 0 ? n : 0;
}

/* Whether a program is one of those that compute on a device. */
static bool is_device(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "gpu", 3) == 0;
}

static int run_program(struct bench *b, const char *path)
{
    char text[OUTPUT], *line[LINES];
    struct sl_args args = {.n = 0};
    int code = 0;
    sl_args_add(&args, "%s", path);
    sl_args_add(&args, "--cases");
    int status = capture(&args, text, &code);
    sl_args_release(&args);
    SL_TRY(status);
    bool device = is_device(path);
    b->programs += device;
    SL_CHECK(strlen(text) + 1 < OUTPUT, SL_EINPUT, "%s wrote more than %d bytes", path, OUTPUT - 2);
    SL_CHECK(code == 0 || !device, SL_EUNAVAIL, "%s --cases ends with %d", path, code);
    if (code != 0) return SL_OK;
    int n = choose(b, text, line);
    for (int i = 0; i < n; i++)
        if (*line[i] == '#')
            b->json ? print_json(line[i]) : print_row(b, line[i]);
        else
            SL_TRY(run_case(b, line[i]));
    return SL_OK;
}

static int run_folder(struct bench *b, const char *dir)
{
    struct dirent **entry;
    int n = scandir(dir, &entry, NULL, alphasort), code = SL_OK;
    SL_CHECK(n >= 0, SL_EUNAVAIL, "cannot read %s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        char path[SL_PATH_MAX];
        if (code == SL_OK && !strchr(entry[i]->d_name, '.')) {
            code = sl_path_join(path, dir, entry[i]->d_name);
            if (code == SL_OK) code = run_program(b, path);
        }
        free(entry[i]);
    }
    free(entry);
    return code;
}

/* ---- an adaptive mesh ----------------------------------------------------------------------- */

/* Value of the last word "name=value"; `usual` where none has it. */
static const char *given(char **words, int n, const char *name, const char *usual)
{
    size_t length = strlen(name);
    for (int i = n - 1; i >= 0; i--)
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=')
            return words[i] + length + 1;
    return usual;
}

struct usual {
    const char *key, *value;
};

/* What the words say, and what is usual where they say nothing. There is a program for each backend
 * and precision. */
static int run_words(struct bench *b, const char *program, const struct usual *usual, char **words,
                     int n)
{
    const char *backend = given(words, n, "resources.backend", b->gpu ? "cuda" : "cpu");
    const char *precision = given(words, n, "resources.precision", "double");
    const char *mhd = given(words, n, "fluid.mhd", "none");
    char line[PATH];
    size_t used =
        (size_t)snprintf(line, sizeof line, "%s %s%s%s", given(words, n, "resources.ranks", "1"),
                         strcmp(backend, "cuda") == 0 ? "gpu_" : "", program,
                         strcmp(precision, "single") == 0 ? "-f32" : "");
    for (; usual->key && used < sizeof line; usual++)
        if (!given(words, n, usual->key, NULL))
            used += (size_t)snprintf(line + used, sizeof line - used, " %s=%s", usual->key,
                                     usual->value);
    if (strcmp(mhd, "none") != 0 && !given(words, n, "fluid.riemann", NULL) && used < sizeof line)
        used += (size_t)snprintf(line + used, sizeof line - used, " fluid.riemann=hlld");
    for (int i = 0; i < n && used < sizeof line; i++) {
        SL_CHECK(strchr(words[i], '='), SL_EUSAGE, "%s: key=value is expected", words[i]);
        if (strncmp(words[i], "resources.", 10) != 0)
            used += (size_t)snprintf(line + used, sizeof line - used, " %s", words[i]);
    }
    SL_CHECK(used < sizeof line, SL_EUSAGE, "too many words");
    SL_TRY(run_case(b, line));
    SL_CHECK(b->failed == 0, SL_EMEMBER, "the measurement failed");
    return SL_OK;
}

/* The blast of tests/perf/amr.h: 128^3 cells and two finer levels but for what words say. */
static int run_amr(struct bench *b, char **words, int n)
{
    static const struct usual usual[] = {
        {"mesh.cells", "[128,128,128]"},
        {"mesh.block", "[16]"},
        {"mesh.levels", "2"},
        {"mesh.refine", "[{\"by\":gradient,\"of\":pressure,\"above\":0.1}]"},
        {"uniform", "1"},
        {NULL, NULL}};
    return run_words(b, "amr", usual, words, n);
}

/* A lattice in waves (tests/perf/particles.h), likewise. */
static int run_particles(struct bench *b, char **words, int n)
{
    static const struct usual usual[] = {
        {"mesh.cells", "[128,128,128]"}, {"mesh.block", "[32]"}, {NULL, NULL}};
    return run_words(b, "particles", usual, words, n);
}

/* The blast with gravity (tests/perf/gravity.h): all cases, or the one that a word names. */
static int run_gravity(struct bench *b, char **words, int n)
{
    static const struct usual usual[][5] = {
        {{"case", "periodic"}, {"mesh.cells", "[128,128,128]"}, {"mesh.block", "[32]"}},
        {{"case", "isolated"}, {"mesh.cells", "[64,64,64]"}, {"mesh.block", "[32]"}},
        {{"case", "levels"},
         {"mesh.cells", "[64,64,64]"},
         {"mesh.block", "[16]"},
         {"mesh.levels", "2"},
         {"mesh.refine", "[{\"by\":gradient,\"of\":pressure,\"above\":0.1}]"}}};
    enum { CASES = sizeof usual / sizeof *usual };
    const char *only = given(words, n, "case", "");
    int done = 0;
    for (int i = 0; i < CASES; i++) {
        struct usual one[6] = {{NULL, NULL}};
        if (*only && strcmp(only, usual[i][0].value) != 0) continue;
        memcpy(one, usual[i], sizeof usual[i]);
        SL_TRY(run_words(b, "gravity", one, words, n));
        done++;
    }
    SL_CHECK(done > 0, SL_EUSAGE, "case=%s: case=periodic, case=isolated or case=levels", only);
    return SL_OK;
}

static int run(int argc, char **argv)
{
    struct bench b = {.want = ""};
    const struct sl_option options[] = {{"lines", 0, SL_OPTION_FLAG, &b.lines},
                                        {"json", 0, SL_OPTION_FLAG, &b.json},
                                        {"gpu", 0, SL_OPTION_FLAG, &b.gpu},
                                        {"amr", 0, SL_OPTION_FLAG, &b.amr},
                                        {"particles", 0, SL_OPTION_FLAG, &b.particles},
                                        {"gravity", 0, SL_OPTION_FLAG, &b.gravity},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    char dir[PATH];
    SL_TRY(sl_options_words(options, argc, argv, 0, -1,
                            "bench [TEXT | --amr [key=value ...] | --particles [key=value ...] | "
                            "--gravity [key=value ...]] [--gpu] [--lines | --json]",
                            &words));
    int kinds = b.amr + b.particles + b.gravity;
    SL_CHECK(kinds > 0 || words <= 1, SL_EUSAGE, "one TEXT at most, not %d", words);
    if (words > 0) b.want = argv[1];
    if (sl_place_program(folder, dir, sizeof dir) != SL_OK)
        return SL_FAIL(SL_EUNAVAIL, "%s; `make bench` builds what measures", sl_error_text());
    SL_CHECK(kinds <= 1, SL_EUSAGE, "one of --amr, --particles and --gravity");
    if (b.gravity) return run_gravity(&b, argv + 1, words);
    if (b.amr) return run_amr(&b, argv + 1, words);
    if (b.particles) return run_particles(&b, argv + 1, words);
    SL_TRY(run_folder(&b, dir));
    SL_CHECK(b.listed > 0 || !b.gpu, SL_EUNAVAIL, "nothing to measure: %s",
             b.programs == 0                          ? "`make bench` builds what measures"
             : strncmp(SL_BUILD_CUDA, "none", 4) == 0 ? "this was built without CUDA"
                                                      : "no CUDA device here");
    SL_CHECK(b.done > 0, SL_EUSAGE, "no case holds '%s'", b.want);
    SL_CHECK(b.failed == 0, SL_EMEMBER, "%d of %d cases failed", b.failed, b.done);
    return SL_OK;
}

const struct sl_verb sl_verb_bench = {
    .name = "bench",
    .group = SL_VERB_other,
    .usage = "[TEXT | --amr [key=value ...] | --particles [key=value ...] | --gravity "
             "[key=value ...]] [--gpu] [--lines | --json]",
    .about = "cell updates per second and bytes per cell on this machine",
    .help =
        "  TEXT     only cases whose line holds this, e.g. hydro-f32\n"
        "  --gpu    only cases that run on a GPU (tests/perf/gpu.def), with the name of the GPU "
        "and "
        "the\n"
        "           bandwidth of a copy: the fewest bytes that an update must move, as a fraction "
        "of\n"
        "           what the copy moves in its time; also on 2 and 4 GPUs if there are so many\n"
        "  --amr    a blast on an adaptive mesh: updates per second with everything counted, what\n"
        "           regrids and levels take of the time, bytes per cell, and the ratio to the "
        "same\n"
        "           without levels; 128^3 cells in blocks of 16^3 with 2 finer levels (on a core "
        "some\n"
        "           minutes and 5 GB) but for keys of a recipe: mesh.cells=[64,64,64], "
        "mesh.block=[8],\n"
        "           mesh.levels=3, time.levels=one, fluid.mhd=glm, resources.ranks=2,\n"
        "           resources.backend=cuda, resources.precision=single; and steps=20 or "
        "seconds=10\n"
        "  --particles\n"
        "           dark matter: steps of a particle per second, and what kicks, drifts and the\n"
        "           potential take of it; 128^3 particles on 128^3 cells but for particles=N "
        "(N^3),\n"
        "           clump=A (1: waves cross), steps=20, gas=1 (beside gas), and keys as above\n"
        "  --gravity\n"
        "           what gravity takes: the blast of --amr in a periodic box (128^3 cells), with "
        "nothing\n"
        "           around it (64^3), and on levels (64^3 in blocks of 16^3 with 2 finer ones), or "
        "one of\n"
        "           these with case=periodic, isolated or levels: the time of a potential and of "
        "kicks,\n"
        "           of the transforms alone, of a cycle of multigrid; updates per second with "
        "gravity\n"
        "           and without, and its share; keys as above, and gravity.tolerance=1e-8 and the "
        "like\n"
        "  --lines  name=value lines as the programs print them, for scripts\n"
        "  --json   an object per measurement, with a version number",
    .run = run};
