/* yaml.h - a YAML text as a small tree of nodes that know where they stand.
 *
 * Only the part of YAML that means the same to every reader: one document of mappings, lists and
 * scalars. Anchors, aliases, merge keys, tags, directives and duplicate keys are errors; so are
 * texts beyond the caps below. Scalars stay text: their type is the table's (core/config/keys.h).
 *
 * Shapes  a node holds its children as a linked list
 * Units   none
 * Errors  SL_EINPUT with file:line:column, SL_EMEM
 * Owns    the document owns nodes and texts
 * MPI     local
 * Where   host
 * Refs    YAML 1.1; libyaml is driven by events because its own tree builder has no caps
 * Tests   tests/unit/yaml.c, tests/fuzz/recipe.c, tests/cli/recipe.sh
 */
#ifndef SL_SYS_YAML_H
#define SL_SYS_YAML_H

#include "core/sys/text.h"

enum {
    SL_YAML_MAX_BYTES = 1 << 20,
    SL_YAML_MAX_DEPTH = 64,
    SL_YAML_MAX_NODES = 100000,
    SL_YAML_MAX_SCALAR = 65536
};

enum sl_node_kind { SL_NODE_SCALAR, SL_NODE_LIST, SL_NODE_MAP };

struct sl_node {
    enum sl_node_kind kind;
    bool quoted;                /* a scalar in quotes, or a block of text */
    int count;                  /* children */
    const char *text;           /* of a scalar */
    const char *name;           /* key of this node within a mapping, else NULL */
    struct sl_mark at, name_at; /* places of value and key */
    struct sl_node *first, *next;
};

struct sl_yaml {
    struct sl_node *root; /* owned, as all nodes */
    char *bytes;          /* the text as it was read, size bytes and a NUL */
    size_t size;
    struct sl_yaml_chunk *chunks; /* private */
};

/* Reads a regular file of at most SL_YAML_MAX_BYTES. */
int sl_yaml_read(const char *path, struct sl_yaml **out);

/* Reads bytes; at is the place of the first one, for messages; at.file is copied. */
int sl_yaml_parse(const char *bytes, size_t size, struct sl_mark at, struct sl_yaml **out);
void sl_yaml_free(struct sl_yaml *doc);

/* Reads a regular file of at most SL_YAML_MAX_BYTES into a buffer made with malloc, with a NUL
 * after the last byte. */
int sl_yaml_load(const char *path, char **bytes, size_t *size);

/* Child of a mapping by name, NULL when it is not there. */
const struct sl_node *sl_node_child(const struct sl_node *map, const char *name);

/* Whether two trees say the same (marks and flow or block style do not count). */
bool sl_node_same(const struct sl_node *a, const struct sl_node *b);

#endif
