/* keys.h - the table of keys as data: one row per key of keys.def and of the problems, made at
 * compile time.
 *
 * Shapes  sl_keys[SL_KEY_COUNT], in the order of the manual
 * Units   see the unit column
 * Errors  none
 * Owns    static tables
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/config.c
 */
#ifndef SL_CONFIG_KEYS_H
#define SL_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/sys/units.h"

enum sl_key_type {
    SL_TYPE_REAL,
    SL_TYPE_INT,
    SL_TYPE_BOOL,
    SL_TYPE_ENUM,
    SL_TYPE_FLAGS,
    SL_TYPE_TEXT,
    SL_TYPE_REALS,
    SL_TYPE_INTS,
    SL_TYPE_ENUMS,
    SL_TYPE_RULES
};

enum sl_text_kind {
    SL_TEXT_none,
    SL_TEXT_name, /* 1..64 of A-Z a-z 0-9 . _ -, not starting with . or - */
    SL_TEXT_path, /* not starting with - */
    SL_TEXT_text
};

struct sl_choice {
    const char *name, *about;
};

struct sl_key {
    const char *path, *text, *about; /* text: the default, "" when there is none */
    enum sl_key_type type;
    enum sl_unit unit;
    enum sl_text_kind kind;
    double min, max;
    int count;       /* most values; 1 for a scalar */
    size_t at, at_n; /* offsets in struct sl_config of the values and their number */
    const struct sl_choice *choices; /* ended by a NULL name; NULL when any value goes */
    int choice_count;
};

/* By enum sl_key_id (key_id.h), SL_KEY_COUNT of them. */
extern const struct sl_key sl_keys[];

/* Index of the key with this path, -1 when there is none. */
int sl_key_find(const char *path);

/* Whether some key begins with path and a dot. */
bool sl_key_is_group(const char *path);

/* Whether every recipe must give this key. */
bool sl_key_is_required(const struct sl_key *key);

/* What manuals say of its default: "none" of texts that may be left out. */
const char *sl_key_default_text(const struct sl_key *key);

/* Whether a run may go on from a checkpoint that was written with another value of this key: what
 * is written and kept, with what resources, and until when may change, the physics may not. What
 * is measured may, unless it is in the run (sl_config_print_fixed). */
bool sl_key_may_change(const struct sl_key *key);
/* Whether it says what is measured: statistics.*. */
bool sl_key_is_measured(const struct sl_key *key);

/* Whether results do not depend on this key: by what means a run is made, and in what form it is
 * kept. resources.* without resources.precision, slurm.*, notify.*, and what output.* says of
 * checkpoints and formats. */
bool sl_key_is_means(const struct sl_key *key);
/* Whether its value is a command (command.h): stages.*. */
bool sl_key_is_command(const struct sl_key *key);
/* The same of the key of a line "path: value". */
bool sl_key_line_is_means(const char *line);

/* Path of the key that was most likely meant, NULL when none is near. */
const char *sl_key_nearest(const char *path);

/* "real", "list of up to 3 whole numbers" ... */
const char *sl_key_type_text(const struct sl_key *key, char *buffer, size_t size);

#endif
