/* sluice.c - the command line: finds the verb, and turns its status into a message and an exit
 * code.
 *
 * Shapes  none
 * Units   none
 * Errors  exit codes are those of core/sys/status.h
 * Owns    nothing
 * MPI     none: starts in milliseconds on a login node
 * Where   host
 * Refs    none
 * Tests   tests/cli/recipe.sh
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "cmd/verb.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/campaign/campaign.h"
#include "pipeline/launch/place.h"

static const struct sl_verb *find(const char *name)
{
    for (const struct sl_verb *const *v = sl_verbs; *v; v++)
        if (strcmp((*v)->name, name) == 0) return *v;
    return NULL;
}

/* The one verb that begins with the name; NULL where none or several do. */
static const char *begun(const char *name)
{
    const char *found = NULL;
    for (const struct sl_verb *const *v = sl_verbs; *v; v++) {
        if (!*(*v)->about || strncmp((*v)->name, name, strlen(name)) != 0) continue;
        if (found) return NULL;
        found = (*v)->name;
    }
    return found;
}

/* What a person does first with what is no verb, but a campaign or a recipe; NULL where it is
 * neither. */
static const char *verb_for(const char *name)
{
    const char *end = strrchr(name, '.');
    if (sl_campaign_is(name)) return "status";
    return end && strcmp(end, ".yaml") == 0 && sl_disk_exists(name) ? "check" : NULL;
}

static int unknown(const char *name)
{
    const char *verb = verb_for(name);
    struct sl_nearest near = {.word = name};
    struct sl_quoted shown = sl_quote(name);
    if (verb)
        return SL_FAIL(SL_EUSAGE, "a verb is missing: did you mean sluice %s %s?", verb,
                       shown.text);
    for (const struct sl_verb *const *v = sl_verbs; *v; v++)
        sl_nearest_try(&near, (*v)->name);
    if (!near.best && strlen(name) > 2) near.best = begun(name);
    if (near.best)
        return SL_FAIL(SL_EUSAGE, "unknown verb '%s'; did you mean '%s'?", shown.text, near.best);
    return SL_FAIL(SL_EUSAGE, "unknown verb '%s'; `sluice --help` lists all", shown.text);
}

static void help_group(enum sl_verb_group group, const char *title)
{
    printf("%s%s:\n", group ? "\n" : "", title);
    for (const struct sl_verb *const *v = sl_verbs; *v; v++)
        if (*(*v)->about && (*v)->group == group) printf("  %-12s %s\n", (*v)->name, (*v)->about);
}

/* The pages of `make doc`: where `make install` put them, or where they are built. */
static void name_pages(void)
{
    static const char *const places[] = {"../share/doc/sluice/html/index.html", "doc/index.html"};
    char program[SL_PATH_MAX], page[SL_PATH_MAX];
    if (sl_place_self(program, sizeof program) != SL_OK) return;
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (sl_disk_join(page, "%s/%s", program, places[i]) != SL_OK) return;
        char *plain = realpath(page, NULL);
        if (plain) printf("\nAll guides and the reference, with a search: %s\n", plain);
        free(plain);
        if (plain) return;
    }
}

static int help_all(void)
{
    puts("sluice turns one recipe into a finished campaign: an ensemble of runs, statistics with "
         "error bars, a report.\n\nusage: sluice VERB [arguments]\n\n"
         "first steps: sluice new turbulence; sluice check turbulence.yaml; sluice run "
         "turbulence.yaml\n");
#define GROUP(name, title) help_group(SL_VERB_##name, title);
    SL_VERB_GROUP_LIST(GROUP)
#undef GROUP
    puts("\n`sluice help VERB` explains a verb. Exit codes: 0 ok, 1 some members failed, 2 wrong "
         "usage, "
         "65 error in a recipe or input,\n69 something needed is not available, 73 cannot read or "
         "write, 75 try again, 78 refused to harm what is there, 130 interrupted.\n"
         "Verbs with --json print one object with a version number; errors are printed on standard "
         "error as {v, error: {code, text}}.");
    name_pages();
    return SL_OK;
}

static int help_verb(const struct sl_verb *verb)
{
    printf("usage: sluice %s%s%s\n\n%s\n", verb->name, *verb->usage ? " " : "", verb->usage,
           verb->about);
    if (*verb->help) printf("\n%s\n", verb->help);
    return SL_OK;
}

static bool asks_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        help_all();
        return SL_FAIL(SL_EUSAGE, "a verb is missing");
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return help_all();
    if (strcmp(name, "help") == 0 && argc == 2) return help_all();
    if (strcmp(name, "--version") == 0)
        return printf("sluice %s (%s)\n", SL_BUILD_VERSION, SL_BUILD_COMMIT), SL_OK;
    bool help = strcmp(name, "help") == 0;
    const struct sl_verb *verb = find(help ? argv[2] : name);
    if (!verb) return unknown(help ? argv[2] : name);
    if (help || asks_help(argc - 1, argv + 1)) return help_verb(verb);
    return verb->run(argc - 1, argv + 1);
}

static bool asks_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0) return true;
    return false;
}

/* For programs: the same on standard error, {v, error: {code, text}}. */
static void print_failure_json(int code)
{
    json_t *o = json_pack("{s:i, s:{s:i, s:o}}", "v", 1, "error", "code", code, "text",
                          sl_json_text(sl_error_text()));
    if (!o) return;
    json_dumpf(o, stderr, JSON_COMPACT | SL_JSON_SHOWN);
    fputc('\n', stderr);
    json_decref(o);
}

/* What came from a recipe or a file name must not drive the terminal. */
static void print_failure(void)
{
    char text[4096];
    sl_text_escape(sl_error_text(), true, text, sizeof text);
    char *rest = text;
    for (char *line; *text && (line = strsep(&rest, "\n"));)
        fprintf(stderr, "sluice: %s\n", line);
    const char *trace = getenv("SLUICE_TRACE");
    if (trace && strcmp(trace, "1") == 0)
        fprintf(stderr, "sluice: passed through %s\n", sl_error_trace());
}

/* A full disk or a closed pipe shows only when the last bytes go out. */
static int flush_output(void)
{
    bool lost = ferror(stdout) != 0;
    SL_CHECK(fflush(stdout) == 0 && !lost, SL_EIO, "cannot write the output: %s", strerror(errno));
    return SL_OK;
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    if (code == SL_OK)
        code = flush_output();
    else
        fflush(stdout); /* before the message, so that they stand in order */
    if (code != SL_OK && asks_json(argc, argv))
        print_failure_json(code);
    else if (code != SL_OK)
        print_failure();
    return code;
}
