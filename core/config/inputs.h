/* inputs.h - what was given for each key, in a file and on the command line, and the way from there
 * to values.
 *
 * Shapes  one row per key of sl_keys
 * Units   as given; values are in the base of each key's unit
 * Errors  SL_EINPUT with file:line:column, the text, what is wrong and the nearest valid choice
 * Owns    the documents it was read from
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c, tests/unit/sweep.c
 */
#ifndef SL_CONFIG_INPUTS_H
#define SL_CONFIG_INPUTS_H

#include "core/config/key_id.h"
#include "core/config/keys.h"
#include "core/sys/yaml.h"

struct sl_input {
    const struct sl_node *node; /* NULL: the default holds */
    struct sl_mark at;          /* place of the key */
    bool ranged;                /* a number from a range stands for the text of node */
    double number;
};

/* One key of `sweep:`, `zip:` or `sample: {keys:}` and its list or range; a file of points is
 * zip. */
enum sl_sweep_way { SL_SWEEP_PRODUCT, SL_SWEEP_ZIP, SL_SWEEP_SAMPLE, SL_SWEEP_WAYS };
struct sl_sweep_row {
    int key;
    enum sl_sweep_way way;
    struct sl_mark at;
    const struct sl_node *values;
};

/* What else stands in `sample:`; NULL where it was not given. */
#define SL_SAMPLED_LIST(X) X(design) X(points) X(seed) X(file)
struct sl_sample_inputs {
#define SL_SAMPLE_MEMBER(name) const struct sl_node *name;
    SL_SAMPLED_LIST(SL_SAMPLE_MEMBER)
#undef SL_SAMPLE_MEMBER
    bool ended; /* its keys got one value each from the command line */
};

/* What is wrong with a recipe, while it is opened: all of it is reported at once, one line each. */
struct sl_faults {
    int n;                  /* lines of text */
    int unknown;            /* of these keys that do not exist */
    bool foreign;           /* one of those is in the file */
    bool closed;            /* the recipe was opened: from then on the first fault is the failure */
    bool key[SL_KEY_COUNT]; /* that a line is about */
    char text[3600];
};

struct sl_inputs {
    struct sl_faults *faults; /* owned */
    struct sl_input row[SL_KEY_COUNT];
    struct sl_sweep_row *sweep; /* in the order of the file */
    int sweep_count;
    struct sl_sample_inputs sample;
    struct sl_sample_points *points; /* owned: the file that sample.file names, NULL without */
    struct sl_yaml **docs;           /* [0] is the file */
    int doc_count;
    bool changed; /* by an override */
};

/* Reads a file, then the n overrides "key=value"; "sweep.KEY=...", "zip.KEY=..." and
 * "sample.keys.KEY=..." replace what the file sweeps, "sample.points=..." and its like how it is
 * sampled, and a plain override of a swept key ends its sweep. */
int sl_inputs_read(const char *path, char *const *overrides, int n, struct sl_inputs **out);

/* The same from bytes; name stands for the path in messages. */
int sl_inputs_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_inputs **out);
void sl_inputs_free(struct sl_inputs *in);

/* The work of turning inputs into values: rows are taken in any order, each after the keys that its
 * expression names. */
enum sl_row_state { SL_ROW_WAITS, SL_ROW_BUSY, SL_ROW_DONE };
struct sl_resolver {
    const struct sl_inputs *in;
    struct sl_config *cfg; /* holds the values of rows that are done */
    unsigned char state[SL_KEY_COUNT];
    unsigned char named[SL_KEY_COUNT]; /* the row's value hangs on other keys */
    int stack[SL_KEY_COUNT], depth;    /* rows at work, for the message about a circle */
};
void sl_resolver_init(struct sl_resolver *r, const struct sl_inputs *in, struct sl_config *cfg);

/* Brings all rows to SL_ROW_DONE. */
int sl_resolve_all(struct sl_resolver *r);

/* Keeps the failure SL_EINPUT as a line and returns SL_OK; returns any other code, and any after
 * the end, as it is. */
int sl_fault_keep(const struct sl_inputs *in, int code);
/* The recipe is open: SL_EINPUT with all that was kept, SL_OK when nothing was. */
int sl_fault_end(const struct sl_inputs *in);

/* The number, or the choice among those of the key, that a node stands for; of the key path, type,
 * unit, range and choices count, so that it may be a part of one. */
int sl_take_number(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                   double *out);
int sl_take_choice(const struct sl_key *key, const struct sl_node *node, int *out);

/* A number as it is read again: 0.1 rather than 0.10000000000000001. */
const char *sl_number_text(double x, char buffer[32]);

/* Keys that every run needs, then sl_config_check with places in its messages. */
int sl_inputs_check(const struct sl_inputs *in, struct sl_config *cfg);

/* Value of one key from a node, over cfg; in may be NULL when no other key may be named. Used for
 * the defaults of the table. */
int sl_inputs_default(int key, struct sl_config *cfg);

/* Prints the value of one key as YAML into out (cut to size); returns the full length. */
size_t sl_key_print(const struct sl_key *key, const struct sl_config *cfg, char *out, size_t size);

#endif
