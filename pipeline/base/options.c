/* options.c - see options.h. */
#include "pipeline/base/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/text.h"

enum { OPTIONS_MAX = 64 };

static const struct sl_option *find(const struct sl_option *options, const char *name, size_t n)
{
    for (; options->name; options++)
        if (strlen(options->name) == n && memcmp(options->name, name, n) == 0) return options;
    return NULL;
}

/* Of "-j", and of "-j4" where the option takes a number. */
static const struct sl_option *find_letter(const struct sl_option *options, const char *arg)
{
    for (; options->name; options++)
        if (options->letter && options->letter == arg[1])
            return !arg[2] || (options->kind == SL_OPTION_INT && isdigit((unsigned char)arg[2]))
                       ? options
                       : NULL;
    return NULL;
}

static int unknown(const struct sl_option *options, const char *arg)
{
    char name[64] = "";
    strncat(name, arg + strspn(arg, "-"), sizeof name - 1);
    name[strcspn(name, "=")] = '\0';
    struct sl_nearest near = {.word = name};
    for (; options->name; options++)
        sl_nearest_try(&near, options->name);
    struct sl_quoted shown = sl_quote(arg);
    if (near.best)
        return SL_FAIL(SL_EUSAGE, "unknown option '%s'; did you mean --%s?", shown.text, near.best);
    return SL_FAIL(SL_EUSAGE, "unknown option '%s'", shown.text);
}

/* Text of a number, into value: SL_OPTION_INT or SL_OPTION_REAL. */
static int read_number(const struct sl_option *option, const char *text, void *value)
{
    char *end = NULL;
    errno = 0;
    if (option->kind == SL_OPTION_INT) {
        long long x = strtoll(text, &end, 10);
        SL_CHECK(end != text && !*end && !errno && x >= 0, SL_EUSAGE,
                 "--%s takes a whole number, not '%s'", option->name, sl_quote(text).text);
        *(int64_t *)value = x;
        return SL_OK;
    }
    double x = strtod(text, &end);
    SL_CHECK(end != text && !*end && isfinite(x), SL_EUSAGE, "--%s takes a number, not '%s'",
             option->name, sl_quote(text).text);
    *(double *)value = x;
    return SL_OK;
}

/* given: what the option had before on this line, NULL at first. */
static int set(const struct sl_option *option, const char *text, const char **given)
{
    SL_CHECK(option->kind != SL_OPTION_TEXT || *text, SL_EUSAGE, "--%s needs a value",
             option->name);
    SL_CHECK(!*given || strcmp(*given, text) == 0, SL_EUSAGE, "--%s is given twice: %s, then %s",
             option->name, sl_quote(*given).text, sl_quote(text).text);
    *given = text;
    if (option->kind != SL_OPTION_TEXT) return read_number(option, text, option->value);
    *(const char **)option->value = text;
    return SL_OK;
}

/* One option at argv[*at]; moves *at to its last part. given: the texts of all options so far. */
static int take(const struct sl_option *options, int argc, char **argv, int *at, const char **given)
{
    const char *arg = argv[*at], *equal = strchr(arg, '=');
    bool is_long = arg[1] == '-';
    size_t n = is_long ? strcspn(arg + 2, "=") : 1;
    const struct sl_option *option =
        is_long ? find(options, arg + 2, n) : find_letter(options, arg);
    if (!option) return unknown(options, arg);
    if (option->kind == SL_OPTION_FLAG) {
        SL_CHECK(!is_long || !equal, SL_EUSAGE, "--%s takes no value", option->name);
        *(bool *)option->value = true;
        return SL_OK;
    }
    given += option - options;
    if (is_long && equal) return set(option, equal + 1, given);
    if (!is_long && arg[2]) return set(option, arg + 2, given);
    SL_CHECK(*at + 1 < argc, SL_EUSAGE, "--%s needs a value", option->name);
    return set(option, argv[++*at], given);
}

int sl_options_parse(const struct sl_option *options, int argc, char **argv, int *words)
{
    int n = 0;
    bool only_words = false;
    const char *given[OPTIONS_MAX] = {NULL};
    for (int i = 0; options[i].name; i++)
        if (i == OPTIONS_MAX) SL_BUG("more than %d options", OPTIONS_MAX);
    for (int i = 1; i < argc; i++) {
        if (only_words || argv[i][0] != '-' || argv[i][1] == '\0')
            argv[1 + n++] = argv[i];
        else if (strcmp(argv[i], "--") == 0)
            only_words = true;
        else
            SL_TRY(take(options, argc, argv, &i, given));
    }
    *words = n;
    return SL_OK;
}

int sl_options_words(const struct sl_option *options, int argc, char **argv, int least, int most,
                     const char *usage, int *words)
{
    SL_TRY(sl_options_parse(options, argc, argv, words));
    SL_CHECK(*words >= least && (most < 0 || *words <= most), SL_EUSAGE, "usage: sluice %s", usage);
    return SL_OK;
}
