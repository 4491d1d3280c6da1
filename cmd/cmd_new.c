/* cmd_new.c - sluice new: a recipe to begin with, with a comment for every key that a problem has.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE for an unknown problem, SL_EGUARD when the file is there, SL_EIO
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/recipe.sh
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/verb.h"
#include "core/config/inputs.h"
#include "core/config/keys.h"
#include "core/config/suggest.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/disk.h"
#include "pipeline/base/options.h"

/* ---- the recipe to begin with: one of those that ship ---------------------------------------- */

struct shipped {
    const char *name, *text;
};
static const struct shipped shipped[] = {
#include "recipes.def" /* generated from recipes/ */
    {NULL, NULL}};

static const char without[] =
    "campaign: %s\nproblem: %s\n\nmesh:\n  cells: [64, 64]\n\ntime:\n  end: 1\n";

/* Those that want a file of the user: none of them can ship. */
static const struct shipped with_file[] = {
    {"array", "campaign: array\nproblem: array\n\narray:\n  file: start.h5\n\nmesh:\n  cells: [64, "
              "64]\n\ntime:\n  end: 1\n"},
    {"nbody",
     "campaign: nbody\nproblem: nbody\n\nparticles:\n  file: particles.h5\n\ngravity:\n  "
     "four_pi_g: 1\n\nfluid:\n  eos: none\n\nmesh:\n  cells: [64, 64, 64]\n\ntime:\n  end: "
     "1\n"},
    {NULL, NULL}};

static bool is_of(const struct shipped *s, const char *problem)
{
    char line[96];
    snprintf(line, sizeof line, "\nproblem: %s\n", problem);
    return strstr(s->text, line) != NULL;
}

/* "mhd-blast" of "mhd_blast" */
static bool called(const struct shipped *s, const char *problem)
{
    char name[64];
    snprintf(name, sizeof name, "%s", problem);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    return strstr(s->name, name) != NULL;
}

/* Of the recipes of the problem that which is called most like it; NULL without any. */
static const struct shipped *find_shipped(const char *problem)
{
    const struct shipped *best = NULL;
    for (const struct shipped *s = with_file; s->name; s++)
        if (strcmp(s->name, problem) == 0) return s;
    for (const struct shipped *s = shipped; s->name; s++) {
        if (!is_of(s, problem)) continue;
        bool nearer = best && called(s, problem) &&
                      (!called(best, problem) || strlen(s->name) < strlen(best->name));
        if (!best || nearer) best = s;
    }
    return best;
}

/* ---- the text -------------------------------------------------------------------------------- */

/* Whether the recipe gives or sweeps it: a second time would be an error. */
static bool is_given(const struct sl_inputs *in, int key)
{
    for (int i = 0; i < in->sweep_count; i++)
        if (in->sweep[i].key == key) return true;
    return in->row[key].node != NULL;
}

static void print_key(FILE *out, const struct sl_inputs *in, int row)
{
    const struct sl_key *key = &sl_keys[row];
    if (is_given(in, row)) return;
    fprintf(out, "# %s: %s\n#     %s", key->path, *key->text ? key->text : "''", key->about);
    for (const struct sl_choice *c = key->choices; c && c->name; c++)
        fprintf(out, "%s%s", c == key->choices ? ": " : ", ", c->name);
    fputc('\n', out);
}

static bool is_own(int key, const char *problem)
{
    size_t n = strlen(problem);
    return strncmp(sl_keys[key].path, problem, n) == 0 && sl_keys[key].path[n] == '.';
}

/* The problem's own keys, then those that people change most, all as comments with their
 * defaults. */
static void print_keys(FILE *out, const struct sl_inputs *in, const char *problem)
{
    static const char *const often[] = {
        "fluid.eos",       "fluid.reconstruct", "fluid.integrator", "fluid.cfl",
        "fluid.mhd",       "output.snapshot",   "output.history",   "statistics.spectra",
        "resources.ranks", "resources.walltime"};
    fputs("\n# ---- the problem's own keys, with their defaults: remove '# ' to change one\n", out);
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (is_own(i, problem)) print_key(out, in, i);
    fputs("\n# ---- what is changed most often; `sluice keys` is the manual of all\n", out);
    for (size_t i = 0; i < sizeof often / sizeof *often; i++)
        print_key(out, in, sl_key_find(often[i]));
}

/* The first line: what a user changes first, and what comes then. */
static void print_first(FILE *out, const struct sl_inputs *in, const char *problem)
{
    bool own = false;
    for (int i = 0; i < SL_KEY_COUNT; i++)
        own |= is_own(i, problem);
    fprintf(out, "# Change first: %s%s%smesh.cells, time.end. Then: sluice check, sluice run.\n#\n",
            in->sweep_count ? "what is swept, " : "", own ? problem : "", own ? ".*, " : "");
}

/* The recipe, whose campaign gets the name of the problem. */
static void print_recipe(FILE *out, const char *recipe, const char *problem)
{
    static const char row[] = "campaign: ";
    const char *at =
        strncmp(recipe, row, strlen(row)) == 0 ? recipe : strstr(recipe, "\ncampaign: ") + 1;
    fprintf(out, "%.*s%s%s%s", (int)(at - recipe), recipe, row, problem, strchr(at, '\n'));
}

static int compose(const struct sl_choice *problem, char **text)
{
    size_t size;
    char plain[256];
    struct sl_inputs *in;
    const struct shipped *from = find_shipped(problem->name);
    snprintf(plain, sizeof plain, without, problem->name, problem->name);
    const char *recipe = from ? from->text : plain;
    SL_TRY(sl_inputs_parse(problem->name, recipe, strlen(recipe), NULL, 0, &in));
    FILE *out = open_memstream(text, &size);
    if (!out) {
        sl_inputs_free(in);
        return SL_FAIL(SL_EMEM, "no memory for a recipe");
    }
    print_first(out, in, problem->name);
    print_recipe(out, recipe, problem->name);
    if (!in->sweep_count) fputs("\n# A member for each value:\n# sweep: {seed: 1..4}\n", out);
    print_keys(out, in, problem->name);
    sl_inputs_free(in);
    if (fclose(out) == 0) return SL_OK;
    free(*text);
    return SL_FAIL(SL_EMEM, "no memory for a recipe");
}

static const struct sl_choice *find(const char *name)
{
    for (const struct sl_choice *c = sl_keys[SL_KEY_problem].choices; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

static int unknown(const char *name)
{
    const char *near = sl_suggest_choice(&sl_keys[SL_KEY_problem], name);
    return SL_FAIL(SL_EUSAGE, "unknown problem '%s'%s%s%s", sl_quote(name).text,
                   near ? "; did you mean '" : "; `sluice keys problem` lists all",
                   near ? near : "", near ? "'?" : "");
}

static int put(const char *path, const char *text)
{
    if (strcmp(path, "-") == 0)
        return fputs(text, stdout) < 0 ? SL_FAIL(SL_EIO, "cannot write") : SL_OK;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    SL_CHECK(fd >= 0 || errno != EEXIST, SL_EGUARD, "%s is there already: give another FILE",
             sl_quote(path).text);
    SL_CHECK(fd >= 0, SL_EIO, "cannot write %s: %s", sl_quote(path).text, strerror(errno));
    int code = sl_write_all(fd, text, strlen(text), path);
    int closed = sl_close_synced(fd, path);
    if (code == SL_OK) code = closed;
    if (code == SL_OK) printf("%s is written; next: sluice check %s\n", path, path);
    return code;
}

/* Does a shell's > send the output to a file? Then that holds the recipe: it is there already, and
 * may have the name that the recipe would have. */
static bool into_file(void)
{
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode) && out.st_size == 0;
}

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    char path[128], *text;
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 0, 2, "new PROBLEM [FILE]", &words));
    SL_CHECK(words > 0, SL_EUSAGE, "new PROBLEM: `sluice keys problem` lists the problems");
    const struct sl_choice *problem = find(argv[1]);
    if (!problem) return unknown(argv[1]);
    bool shell = into_file();
    snprintf(path, sizeof path, "%s%s", shell ? "-" : problem->name, shell ? "" : ".yaml");
    SL_TRY(compose(problem, &text));
    int code = put(words > 1 ? argv[2] : path, text);
    free(text);
    return code;
}

const struct sl_verb sl_verb_new = {
    .name = "new",
    .group = SL_VERB_start,
    .usage = "PROBLEM [FILE]",
    .about = "write a first recipe of a problem, with a comment for each of its keys",
    .help = "  PROBLEM   one of those that `sluice keys problem` lists\n"
            "  FILE      default: ./PROBLEM.yaml, or the empty file to which a shell's > sends the "
            "output; - is\n"
            "            stdout; a file that is there is kept",
    .run = run};
