/* options.h - the options of a verb.
 *
 *   --name --name=value --name value -x -x value -xvalue -- (everything after it is a word)
 *
 * Options and words may stand in any order; "key=value" words are words. An option is given once,
 * or again with the same value.
 *
 * Shapes  tables end with a row whose name is NULL
 * Units   none
 * Errors  SL_EUSAGE with the nearest option; on error values may be set partly
 * Owns    nothing: texts point into argv
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/options.c
 */
#ifndef SL_PIPELINE_BASE_OPTIONS_H
#define SL_PIPELINE_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum sl_option_kind {
    SL_OPTION_FLAG, /* bool: true when given */
    SL_OPTION_TEXT, /* const char * */
    SL_OPTION_INT,  /* int64_t, not negative */
    SL_OPTION_REAL  /* double */
};

struct sl_option {
    const char *name; /* without -- */
    char letter;      /* 0: none */
    enum sl_option_kind kind;
    void *value; /* where it goes; holds the default */
};

/* argv[0] is the verb. Moves the words to argv[1] .. argv[*words] in their order. */
int sl_options_parse(const struct sl_option *options, int argc, char **argv, int *words);

/* The same, and SL_EUSAGE unless there are least .. most words (most < 0: any number); usage is
 * what the message shows, e.g. "check RECIPE [key=value...]". */
int sl_options_words(const struct sl_option *options, int argc, char **argv, int least, int most,
                     const char *usage, int *words);

#endif
