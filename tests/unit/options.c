/* options.c - options of verbs: every spelling, words between them, what is refused. */
#include "pipeline/base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/sys/status.h"

struct values {
    bool json, yes;
    const char *inject;
    int64_t jobs;
    double share;
};

enum { MOST = 12 };

/* Parses a line of arguments ended by NULL; argv keeps the words. */
static int parse(struct values *v, char **argv, int *words, const char *const *line)
{
    const struct sl_option options[] = {
        {"json", 0, SL_OPTION_FLAG, &v->json},       {"yes", 'y', SL_OPTION_FLAG, &v->yes},
        {"inject", 'i', SL_OPTION_TEXT, &v->inject}, {"jobs", 'j', SL_OPTION_INT, &v->jobs},
        {"share", 0, SL_OPTION_REAL, &v->share},     {NULL, 0, SL_OPTION_FLAG, NULL}};
    int argc = 0;
    *v = (struct values){.jobs = 1};
    for (; line[argc]; argc++)
        argv[argc] = (char *)(uintptr_t)line[argc];
    return sl_options_parse(options, argc, argv, words);
}

static void every_spelling(void **state)
{
    (void)state;
    struct values v;
    char *argv[MOST];
    int words;
    const char *const line[] = {
        "verb",    "a",    "--json", "-j", "3", "k=v", "--inject=kill=0.2,x",
        "--share", "-0.5", "-",      NULL};
    assert_int_equal(parse(&v, argv, &words, line), SL_OK);
    assert_true(v.json);
    assert_false(v.yes);
    assert_int_equal(v.jobs, 3);
    assert_string_equal(v.inject, "kill=0.2,x");
    assert_true(v.share == -0.5);
    assert_int_equal(words, 3);
    assert_string_equal(argv[1], "a");
    assert_string_equal(argv[2], "k=v");
    assert_string_equal(argv[3], "-");
    const char *const ends[] = {"verb", "-y", "--", "--json", "-x", NULL};
    assert_int_equal(parse(&v, argv, &words, ends), SL_OK);
    assert_true(v.yes);
    assert_false(v.json);
    assert_int_equal(words, 2);
    assert_string_equal(argv[1], "--json");
    const char *const glued[] = {"verb", "-j4", "a", NULL};
    assert_int_equal(parse(&v, argv, &words, glued), SL_OK);
    assert_int_equal(v.jobs, 4);
    assert_int_equal(words, 1);
}

static void refused(const char *arg, const char *next, const char *words)
{
    struct values v;
    char *argv[MOST];
    int n;
    const char *const line[] = {"verb", arg, next, NULL};
    assert_int_equal(parse(&v, argv, &n, line), SL_EUSAGE);
    if (!strstr(sl_error_text(), words)) fail_msg("'%s' lacks '%s'", sl_error_text(), words);
}

static void wrong_options(void **state)
{
    (void)state;
    refused("--jsn", NULL, "unknown option '--jsn'; did you mean --json?");
    refused("--injct=3", NULL, "did you mean --inject?");
    refused("--wholly-else", NULL, "unknown option '--wholly-else'");
    refused("-q", NULL, "unknown option '-q'");
    refused("-yj", NULL, "unknown option '-yj'");
    refused("-y4", NULL, "unknown option '-y4'");
    refused("-jobs", NULL, "unknown option '-jobs'; did you mean --jobs?");
    refused("-j4x", NULL, "whole number");
    refused("--json=1", NULL, "takes no value");
    refused("--jobs", NULL, "needs a value");
    refused("--inject=", NULL, "--inject needs a value");
    refused("-i", "", "--inject needs a value");
    refused("--jobs", "x", "whole number");
    refused("--jobs=-1", NULL, "whole number");
    refused("--jobs=", NULL, "whole number");
    refused("--jobs=99999999999999999999", NULL, "whole number");
    refused("--share=nan", NULL, "takes a number");
    refused("--share", "1x", "takes a number");
}

static int parse_two(const char *a, const char *b, const char *c, const char *d)
{
    struct values v;
    char *argv[MOST];
    int n;
    const char *const line[] = {"verb", a, b, c, d, NULL};
    return parse(&v, argv, &n, line);
}

static void given_twice(void **state)
{
    (void)state;
    assert_int_equal(parse_two("--inject", "a", "-i", "b"), SL_EUSAGE);
    assert_string_equal(sl_error_text(), "--inject is given twice: a, then b");
    assert_int_equal(parse_two("--jobs", "3", "-j4", "c"), SL_EUSAGE);
    assert_string_equal(sl_error_text(), "--jobs is given twice: 3, then 4");
    assert_int_equal(parse_two("--share=1", "--share", "0.5", "c"), SL_EUSAGE);
    assert_int_equal(parse_two("-i", "a", "--inject=a", "c"), SL_OK); /* the same again */
    assert_int_equal(parse_two("--json", "--json", "-j1", "-j1"), SL_OK);
}

static void number_of_words(void **state)
{
    (void)state;
    const struct sl_option none[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    char verb[] = "verb", a[] = "a", *argv[] = {verb, a, a};
    int words;
    assert_int_equal(sl_options_words(none, 3, argv, 1, 1, "verb A", &words), SL_EUSAGE);
    assert_string_equal(sl_error_text(), "usage: sluice verb A");
    assert_int_equal(sl_options_words(none, 3, argv, 3, -1, "verb A", &words), SL_EUSAGE);
    assert_int_equal(sl_options_words(none, 3, argv, 1, -1, "verb A", &words), SL_OK);
    assert_int_equal(words, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(given_twice),
        cmocka_unit_test(number_of_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
