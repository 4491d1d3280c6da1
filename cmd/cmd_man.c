/* cmd_man.c - sluice man: the manual pages sluice(1) and sluice-recipe(5), from the tables of verbs
 * and keys.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    man-pages(7)
 * Tests   tests/cli/install.sh
 */
#include <stdio.h>
#include <string.h>

#include "build_info.h"
#include "cmd/verb.h"
#include "core/config/keys.h"
#include "core/config/rules.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"

/* Text of roff: a backslash and a hyphen are commands, and so is a dot or a quote that begins a
 * line. */
static void put(const char *text)
{
    bool begin = true;
    for (; *text; text++) {
        if (begin && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        begin = *text == '\n';
    }
}

static void put_line(const char *before, const char *text)
{
    fputs(before, stdout);
    put(text);
    putchar('\n');
}

static void head(const char *title, int section)
{
    printf(".TH %s %d \"\" \"sluice " SL_BUILD_VERSION "\" \"sluice\"\n", title, section);
}

static void verb(const struct sl_verb *v)
{
    char line[400];
    snprintf(line, sizeof line, "sluice %s%s%s", v->name, *v->usage ? " " : "", v->usage);
    put_line(".TP\n.B ", line);
    put_line("", v->about);
    if (!*v->help) return;
    puts(".RS\n.nf");
    put_line("", v->help);
    puts(".fi\n.RE");
}

static void verbs(enum sl_verb_group group, const char *title)
{
    put_line(".SS ", title);
    for (const struct sl_verb *const *v = sl_verbs; *v; v++)
        if (*(*v)->about && (*v)->group == group) verb(*v);
}

static void print_program(void)
{
    head("SLUICE", 1);
    puts(".SH NAME\nsluice \\- ensembles of gas\\-dynamics simulations from one recipe\n"
         ".SH SYNOPSIS\n.B sluice\n.I VERB\n[\\fIarguments\\fR]\n.SH DESCRIPTION\n"
         "Turns one recipe into a finished campaign: an ensemble of runs, statistics with error "
         "bars, a report.\n.SH VERBS");
#define GROUP(name, title) verbs(SL_VERB_##name, title);
    SL_VERB_GROUP_LIST(GROUP)
#undef GROUP
    puts(".SH EXIT STATUS");
#define STATUS(name, code, text) printf(".TP\n.B %d\n%s\n", code, text);
    SL_STATUS_LIST(STATUS)
#undef STATUS
    puts(".SH SEE ALSO\n.BR sluice\\-recipe (5)");
}

static void key(const struct sl_key *k)
{
    char type[64];
    put_line(".TP\n.B ", k->path);
    printf("(%s, default ", sl_key_type_text(k, type, sizeof type));
    put(sl_key_default_text(k));
    put_line("): ", k->about);
    for (int i = 0; k->choices && k->choices[i].name; i++) {
        char takes[200];
        put_line(".br\n", k->choices[i].name);
        put_line("\\- ", k->choices[i].about);
        if (k->type == SL_TYPE_RULES) put_line("; takes ", sl_rules_text(i, takes, sizeof takes));
    }
}

static void print_recipe(void)
{
    head("SLUICE-RECIPE", 5);
    puts(".SH NAME\nsluice\\-recipe \\- the keys of a recipe of sluice\n.SH DESCRIPTION\n"
         "A recipe is YAML: keys with dots, or groups of keys. Numbers may be expressions of other "
         "keys. The keys under\n.B sweep\nget a list or a range and make a member for each "
         "combination; those under\n.B zip\ngo forward together; those under\n.B sample\nare drawn "
         "from ranges by a design (\n.B sluice keys sample\n).\n.SH KEYS");
    for (int i = 0; i < SL_KEY_COUNT; i++)
        key(&sl_keys[i]);
    puts(".SH SEE ALSO\n.BR sluice (1)");
}

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 0, 1, "man [recipe]", &words));
    SL_CHECK(words == 0 || strcmp(argv[1], "recipe") == 0, SL_EUSAGE,
             "there is a page of sluice and one of recipe, none of '%s'", sl_quote(argv[1]).text);
    (words ? print_recipe : print_program)();
    return SL_OK;
}

const struct sl_verb sl_verb_man = {.name = "man",
                                    .group = SL_VERB_other,
                                    .usage = "[recipe]",
                                    .about =
                                        "a manual page for man: sluice(1), or sluice-recipe(5)",
                                    .help = "  sluice man | man -l -",
                                    .run = run};
