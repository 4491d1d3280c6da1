/* inputs.c - see inputs.h. The first half collects rows, the second turns them into values. */
#include "core/config/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/choices.h"
#include "core/config/expr.h"
#include "core/config/rules.h"
#include "core/config/suggest.h"
#include "core/sys/interval.h"
#include "core/sys/sample_points.h"

enum { MAX_PATH = 160 };

/* ---- rows ---- */

void sl_inputs_free(struct sl_inputs *in)
{
    if (!in) return;
    for (int i = 0; i < in->doc_count; i++)
        sl_yaml_free(in->docs[i]);
    free(in->docs);
    sl_sample_points_free(in->points);
    free(in->sweep);
    free(in->faults);
    free(in);
}

/* ---- faults ---- */

enum { FAULTS_SHOWN = 20 };

int sl_fault_keep(const struct sl_inputs *in, int code)
{
    if (code != SL_EINPUT || !in || !in->faults || in->faults->closed) return code;
    struct sl_faults *f = in->faults;
    size_t used = strlen(f->text), size = strlen(sl_error_text());
    if (size == 0) return SL_OK; /* its key has a line already */
    if (f->n < FAULTS_SHOWN && used + size + 64 < sizeof f->text)
        snprintf(f->text + used, sizeof f->text - used, "%s%s", f->n ? "\n" : "", sl_error_text());
    else if (f->n == FAULTS_SHOWN || !strstr(f->text, "\nand more"))
        snprintf(f->text + used, sizeof f->text - used, "\nand more");
    f->n++;
    return SL_OK;
}

int sl_fault_end(const struct sl_inputs *in)
{
    if (!in->faults) return SL_OK;
    in->faults->closed = true;
    SL_CHECK(in->faults->n == 0, SL_EINPUT, "%s", in->faults->text);
    return SL_OK;
}

static int unknown_key(const struct sl_inputs *in, struct sl_mark at, const char *path)
{
    in->faults->unknown++;
    const char *near = sl_key_nearest(path);
    struct sl_quoted shown = sl_quote(path);
    if (near) return SL_FAIL_AT(at, "unknown key '%s'; did you mean '%s'?", shown.text, near);
    return SL_FAIL_AT(at, "unknown key '%s'; `sluice keys` lists all", shown.text);
}

/* A leaf of a mapping of keys: row of `keys`, `sweep`, `zip` or of what is sampled. */
struct walk {
    struct sl_inputs *in;
    enum { WALK_SWEEP, WALK_ZIP, WALK_SAMPLE, WALK_KEYS } part; /* first those of sl_sweep_way */
    bool replace;                                               /* from the command line */
};

static int find_sweep(const struct sl_inputs *in, int key)
{
    for (int i = 0; i < in->sweep_count; i++)
        if (in->sweep[i].key == key) return i;
    return -1;
}

static void drop_sweep(struct sl_inputs *in, int key)
{
    int at = find_sweep(in, key);
    if (at < 0) return;
    in->sample.ended |= in->sweep[at].way == SL_SWEEP_SAMPLE;
    in->sweep_count--;
    memmove(&in->sweep[at], &in->sweep[at + 1],
            (size_t)(in->sweep_count - at) * sizeof in->sweep[0]);
}

static int put_sweep(struct walk *w, int key, const struct sl_node *node, struct sl_mark at)
{
    struct sl_inputs *in = w->in;
    struct sl_sweep_row row = {key, (enum sl_sweep_way)w->part, at, node};
    int old = find_sweep(in, key);
    if (old >= 0 && !w->replace)
        return SL_FAIL_AT(at, "'%s' is swept twice, first on line %d", sl_keys[key].path,
                          in->sweep[old].at.line);
    bool sampled = row.way == SL_SWEEP_SAMPLE;
    if (old >= 0 && sampled == (in->sweep[old].way == SL_SWEEP_SAMPLE)) {
        in->sweep[old] = row;
        return SL_OK;
    }
    drop_sweep(in, key);
    struct sl_sweep_row *more =
        realloc(in->sweep, ((size_t)in->sweep_count + 1) * sizeof in->sweep[0]);
    SL_CHECK(more, SL_EMEM, "no memory for a recipe");
    in->sweep = more;
    /* rows of a section stay together, so that the axes can be written as sections again */
    int put = in->sweep_count;
    for (int i = 0; i < in->sweep_count; i++)
        if (in->sweep[i].way == row.way) put = i + 1;
    memmove(&in->sweep[put + 1], &in->sweep[put],
            (size_t)(in->sweep_count - put) * sizeof in->sweep[0]);
    in->sweep[put] = row;
    in->sweep_count++;
    if (w->replace) in->row[key] = (struct sl_input){.node = NULL};
    return SL_OK;
}

static int put_row(struct walk *w, int key, const struct sl_node *node, struct sl_mark at)
{
    if (w->part != WALK_KEYS) return put_sweep(w, key, node, at);
    struct sl_input *row = &w->in->row[key];
    if (row->node && !w->replace)
        return SL_FAIL_AT(at, "'%s' is given twice, first on line %d", sl_keys[key].path,
                          row->at.line);
    if (w->replace) drop_sweep(w->in, key);
    *row = (struct sl_input){.node = node, .at = at};
    return SL_OK;
}

static int walk_map(struct walk *w, const struct sl_node *map, const char *prefix);

static int walk_child(struct walk *w, const struct sl_node *child, const char *path)
{
    int key = sl_key_find(path);
    if (key >= 0) return put_row(w, key, child, child->name_at);
    if (!sl_key_is_group(path)) {
        w->in->faults->foreign = true;
        return unknown_key(w->in, child->name_at, path);
    }
    if (child->kind != SL_NODE_MAP)
        return SL_FAIL_AT(child->at, "'%s' is a group of keys: write %s: {key: value}", path, path);
    return walk_map(w, child, path);
}

static int walk_map(struct walk *w, const struct sl_node *map, const char *prefix)
{
    for (const struct sl_node *c = map->first; c; c = c->next) {
        char path[MAX_PATH];
        int n = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", c->name);
        SL_TRY(sl_fault_keep(w->in, n >= MAX_PATH ? unknown_key(w->in, c->name_at, path)
                                                  : walk_child(w, c, path)));
    }
    return SL_OK;
}

static int walk_section(struct sl_inputs *in, const struct sl_node *section, int part)
{
    struct walk w = {.in = in, .part = part};
    if (section->kind != SL_NODE_MAP)
        return SL_FAIL_AT(section->at, "'%s' takes a mapping: key: list or range", section->name);
    return walk_map(&w, section, "");
}

/* What the rows below a name at the top of a recipe are. */
static int part_of(const char *name)
{
    return strcmp(name, "sweep") == 0    ? WALK_SWEEP
           : strcmp(name, "zip") == 0    ? WALK_ZIP
           : strcmp(name, "sample") == 0 ? WALK_SAMPLE
                                         : WALK_KEYS;
}

/* ---- sample ---- */

static int sample_unknown(struct sl_mark at, const char *name)
{
    static const char *const names[] = {
#define SAMPLE_NAME(name) #name,
        SL_SAMPLED_LIST(SAMPLE_NAME) "keys"
#undef SAMPLE_NAME
    };
    struct sl_nearest near = {.word = name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sl_nearest_try(&near, names[i]);
    int key = sl_key_find(name);
    if (key >= 0 || sl_key_is_group(name))
        return SL_FAIL_AT(at, "sample: '%s' belongs below keys: sample: {keys: {%s: 0..1}}", name,
                          key >= 0 ? name : "group.key");
    return SL_FAIL_AT(at, "sample: '%s' is none of design, points, seed, keys, file%s%s%s",
                      sl_quote(name).text, near.best ? "; did you mean '" : "",
                      near.best ? near.best : "", near.best ? "'?" : "");
}

/* The rows of a file of points are those of a zip. */
static int take_points(struct sl_inputs *in, const struct sl_node *file)
{
    struct walk w = {.in = in, .part = WALK_ZIP};
    if (file->kind != SL_NODE_SCALAR || !*file->text)
        return SL_FAIL_AT(file->at, "sample.file takes the path of a CSV file");
    for (int i = 0; i < in->sweep_count; i++)
        if (in->sweep[i].way != SL_SWEEP_PRODUCT)
            return SL_FAIL_AT(file->at,
                              "sample.file: '%s' is in zip or sample.keys already; a recipe takes "
                              "its points from one of them",
                              sl_keys[in->sweep[i].key].path);
    SL_TRY(sl_sample_points_read(file->text, file->at, &in->points));
    for (int c = 0; c < in->points->columns; c++) {
        const struct sl_node *column = &in->points->column[c];
        int key = sl_key_find(column->name);
        if (key < 0) return unknown_key(in, column->name_at, column->name);
        if (in->row[key].node)
            return SL_FAIL_AT(column->name_at,
                              "'%s' is a column of points but has a value, too: "
                              "%s:%d",
                              column->name, in->row[key].at.file, in->row[key].at.line);
        SL_TRY(put_row(&w, key, column, column->name_at));
    }
    in->changed = true;
    return SL_OK;
}

static int take_sample(struct sl_inputs *in, const char *name, const struct sl_node *node,
                       struct sl_mark at)
{
#define TAKE_SAMPLE(member)                                                                        \
    if (strcmp(name, #member) == 0) {                                                              \
        in->sample.member = node;                                                                  \
        return SL_OK;                                                                              \
    }
    SL_SAMPLED_LIST(TAKE_SAMPLE)
#undef TAKE_SAMPLE
    return sample_unknown(at, name);
}

static int walk_sample(struct sl_inputs *in, const struct sl_node *section)
{
    struct walk w = {.in = in, .part = WALK_SAMPLE};
    if (section->kind != SL_NODE_MAP)
        return SL_FAIL_AT(section->at, "'sample' takes a mapping: sample: {design: sobol, points: "
                                       "64, keys: {key: 0..1}}");
    for (const struct sl_node *c = section->first; c; c = c->next) {
        if (strcmp(c->name, "keys") != 0)
            SL_TRY(take_sample(in, c->name, c, c->name_at));
        else if (c->kind != SL_NODE_MAP || c->count == 0)
            return SL_FAIL_AT(c->at, "sample.keys takes a mapping: key: range or list");
        else
            SL_TRY(walk_map(&w, c, ""));
    }
    return SL_OK;
}

static int collect(struct sl_inputs *in, const struct sl_node *root)
{
    in->faults->unknown += root->kind != SL_NODE_MAP;
    if (root->kind != SL_NODE_MAP)
        return SL_FAIL_AT(root->at, "a recipe is a mapping: lines of 'key: value'");
    struct walk w = {.in = in, .part = WALK_KEYS};
    for (const struct sl_node *c = root->first; c; c = c->next) {
        int part = part_of(c->name);
        int code = part == WALK_KEYS     ? walk_child(&w, c, c->name)
                   : part == WALK_SAMPLE ? walk_sample(in, c)
                                         : walk_section(in, c, part);
        SL_TRY(sl_fault_keep(in, code));
    }
    for (int i = 0; i < in->sweep_count; i++) {
        const struct sl_input *row = &in->row[in->sweep[i].key];
        if (row->node)
            return SL_FAIL_AT(in->sweep[i].at, "'%s' is swept but has a value on line %d too",
                              sl_keys[in->sweep[i].key].path, row->at.line);
    }
    return SL_OK;
}

static int own(struct sl_inputs *in, struct sl_yaml *doc)
{
    struct sl_yaml **more = realloc(in->docs, ((size_t)in->doc_count + 1) * sizeof *more);
    if (!more) sl_yaml_free(doc);
    SL_CHECK(more, SL_EMEM, "no memory for a recipe");
    in->docs = more;
    in->docs[in->doc_count++] = doc;
    return SL_OK;
}

static int override_key(struct sl_inputs *in, const char *path, const struct sl_yaml *doc,
                        struct sl_mark at)
{
    struct walk w = {.in = in, .part = WALK_KEYS, .replace = true};
    if (strncmp(path, "sweep.", 6) == 0)
        w.part = WALK_SWEEP, path += 6;
    else if (strncmp(path, "zip.", 4) == 0)
        w.part = WALK_ZIP, path += 4;
    else if (strncmp(path, "sample.keys.", 12) == 0)
        w.part = WALK_SAMPLE, path += 12;
    else if (strncmp(path, "sample.", 7) == 0) {
        in->changed = true;
        return take_sample(in, path + 7, doc->root, at);
    }
    int key = sl_key_find(path);
    if (part_of(path) != WALK_KEYS)
        return SL_FAIL_AT(at,
                          "'%s' is no key but a section of the recipe, as %s; here each of its "
                          "%s is given alone: %s",
                          path,
                          part_of(path) == WALK_SAMPLE ? "sample: {points: 64}"
                          : part_of(path) == WALK_ZIP  ? "zip: {seed: 1..4}"
                                                       : "sweep: {seed: 1..4}",
                          part_of(path) == WALK_SAMPLE ? "values" : "keys",
                          part_of(path) == WALK_SAMPLE ? "sample.points=64"
                          : part_of(path) == WALK_ZIP  ? "zip.seed=1..4"
                                                       : "sweep.seed=1..4");
    if (key < 0) return unknown_key(in, at, path);
    in->changed = true;
    return put_row(&w, key, doc->root, at);
}

static int override(struct sl_inputs *in, const char *text, int number)
{
    struct sl_mark at = {"command line", number, 1};
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || equal - text >= MAX_PATH)
        return SL_FAIL_AT(at, "'%s': write key=value", sl_quote(text).text);
    char path[MAX_PATH];
    memcpy(path, text, (size_t)(equal - text));
    path[equal - text] = '\0';
    struct sl_mark value_at = {at.file, number, (int)(equal - text) + 2};
    if (equal[1] == '\0') return SL_FAIL_AT(value_at, "'%s' has no value", sl_quote(path).text);
    struct sl_yaml *doc;
    SL_TRY(sl_yaml_parse(equal + 1, strlen(equal + 1), value_at, &doc));
    SL_TRY(own(in, doc));
    SL_TRY(override_key(in, path, doc, at));
    return SL_OK;
}

static int open_document(struct sl_yaml *doc, char *const *overrides, int n, struct sl_inputs **out)
{
    struct sl_inputs *in = calloc(1, sizeof *in);
    if (in) in->faults = calloc(1, sizeof *in->faults);
    if (!in || !in->faults) {
        sl_yaml_free(doc);
        free(in);
        return SL_FAIL(SL_EMEM, "no memory for a recipe");
    }
    int code = own(in, doc);
    if (code == SL_OK) code = sl_fault_keep(in, collect(in, doc->root));
    for (int i = 0; i < n && code == SL_OK; i++)
        code = sl_fault_keep(in, override(in, overrides[i], i + 1));
    if (code == SL_OK && in->sample.file)
        code = sl_fault_keep(in, take_points(in, in->sample.file));
    if (code != SL_OK) {
        sl_inputs_free(in);
        return code;
    }
    *out = in;
    return SL_OK;
}

int sl_inputs_read(const char *path, char *const *overrides, int n, struct sl_inputs **out)
{
    struct sl_yaml *doc;
    SL_TRY(sl_yaml_read(path, &doc));
    return open_document(doc, overrides, n, out);
}

int sl_inputs_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_inputs **out)
{
    struct sl_yaml *doc;
    SL_TRY(sl_yaml_parse(bytes, size, (struct sl_mark){name, 1, 1}, &doc));
    return open_document(doc, overrides, n, out);
}

/* ---- values ---- */

static void *field(const struct sl_key *key, struct sl_config *cfg, size_t at)
{
    (void)key;
    return (char *)cfg + at;
}

static const void *const_field(const struct sl_config *cfg, size_t at)
{
    return (const char *)cfg + at;
}

/* Element `at` (0 for a scalar) of a numeric key as a double. */
static double number_of(const struct sl_key *key, const struct sl_config *cfg, int at)
{
    if (key->type == SL_TYPE_REAL || key->type == SL_TYPE_REALS)
        return ((const double *)const_field(cfg, key->at))[at];
    return (double)((const int64_t *)const_field(cfg, key->at))[at];
}

static bool numeric(const struct sl_key *key)
{
    return key->type == SL_TYPE_REAL || key->type == SL_TYPE_INT || key->type == SL_TYPE_REALS ||
           key->type == SL_TYPE_INTS;
}

/* Whether a word stands for the default of a number, which is that word. */
static bool takes_word(const struct sl_key *key)
{
    return (key->type == SL_TYPE_REAL || key->type == SL_TYPE_INT) &&
           (strcmp(key->text, "auto") == 0 || strcmp(key->text, "adaptive") == 0);
}

/* Splits "mesh.cells.x" into the key of a list and an element; returns the key or -1. */
static int find_number(const char *name, int *element)
{
    *element = 0;
    int key = sl_key_find(name);
    if (key >= 0) return key;
    size_t n = strlen(name);
    if (n < 3 || n >= MAX_PATH || name[n - 2] != '.' || !strchr("xyz", name[n - 1])) return -1;
    char list[MAX_PATH];
    memcpy(list, name, n - 2);
    list[n - 2] = '\0';
    key = sl_key_find(list);
    if (key < 0 || sl_keys[key].count != 3) return -1;
    *element = name[n - 1] - 'x';
    return key;
}

/* The key whose expression is at work, for messages. */
static const char *taker(const struct sl_resolver *r)
{
    return r->depth > 0 ? sl_keys[r->stack[r->depth - 1]].path : "value";
}

/* Does the sentence of the key say what 0 switches off? */
static bool may_be_off(const struct sl_key *key)
{
    return key->min <= 0 && key->count == 1 && strstr(key->about, "0: ");
}

static int no_number(const struct sl_resolver *r, struct sl_mark at, const char *name)
{
    const char *near = sl_key_nearest(name);
    bool off =
        r->depth > 0 && sl_suggest_is_none(name) && may_be_off(&sl_keys[r->stack[r->depth - 1]]);
    if (off)
        return SL_FAIL_AT(at, "%s: '%s' is neither a number nor a key; nearest: 0", taker(r), name);
    if (near && !numeric(&sl_keys[sl_key_find(near)])) near = NULL;
    return SL_FAIL_AT(at, "%s: '%s' is neither a number nor a key%s%s%s", taker(r),
                      sl_quote(name).text, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static int resolve_key(struct sl_resolver *r, int key);

/* For expr.h: the value of a key, resolved first when it waits. */
static int lookup(void *data, const char *name, struct sl_mark at, double *value)
{
    struct sl_resolver *r = data;
    int element;
    int id = find_number(name, &element);
    if (id < 0) return no_number(r, at, name);
    const struct sl_key *key = &sl_keys[id];
    if (!numeric(key)) return SL_FAIL_AT(at, "%s: '%s' is no number", taker(r), name);
    bool list = key->count > 1, whole_name = strcmp(name, key->path) == 0;
    if (list && whole_name)
        return SL_FAIL_AT(at, "%s: '%s' is a list%s", taker(r), name,
                          key->count == 3 ? "; add .x, .y or .z for one of its values" : "");
    if (r->depth > 0) r->named[r->stack[r->depth - 1]] = 1;
    SL_TRY(resolve_key(r, id));
    if (list && element >= *(const int *)const_field(r->cfg, key->at_n))
        return SL_FAIL_AT(at, "%s: '%s' has no such value", taker(r), key->path);
    if (number_of(key, r->cfg, element) == SL_INTERVAL_AUTO && takes_word(key))
        return SL_FAIL_AT(at, "%s: '%s' is %s: no number to compute with", taker(r), name,
                          key->text);
    if (!r->in->row[id].node && key->text[0] == '\0')
        return SL_FAIL_AT(at, "%s: '%s' is used here but not given", taker(r), name);
    *value = number_of(key, r->cfg, element);
    return SL_OK;
}

static struct sl_quoted shown(const struct sl_node *node)
{
    return sl_quote(node->kind == SL_NODE_SCALAR ? node->text
                    : node->kind == SL_NODE_LIST ? "[...]"
                                                 : "{...}");
}

const char *sl_number_text(double x, char buffer[32])
{
    snprintf(buffer, 32, "%.15g", x);
    if (strtod(buffer, NULL) != x) snprintf(buffer, 32, "%.17g", x);
    return buffer;
}

static int in_range(const struct sl_key *key, const struct sl_node *node, double value)
{
    if (value >= key->min && value <= key->max) return SL_OK;
    char v[32], lo[32], hi[32];
    return SL_FAIL_AT(node->at, "%s: %s is outside %s .. %s; nearest: %s", key->path,
                      sl_number_text(value, v), sl_number_text(key->min, lo),
                      sl_number_text(key->max, hi), value < key->min ? lo : hi);
}

static int take_scalar(const struct sl_key *key, const struct sl_node *node, const char *wanted)
{
    if (node->kind != SL_NODE_SCALAR)
        return SL_FAIL_AT(node->at, "%s takes %s, not a %s%s", key->path, wanted,
                          node->kind == SL_NODE_LIST ? "list" : "mapping",
                          node->kind == SL_NODE_LIST ? "; a member for each value: under sweep"
                                                     : "");
    if (!node->quoted &&
        (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0))
        return SL_FAIL_AT(node->at, "%s has no value%s", key->path,
                          key->type == SL_TYPE_FLAGS ? "; for none of them write []" : "");
    return SL_OK;
}

static int write_as(const struct sl_key *key, const struct sl_node *node, const char *why,
                    const char *text)
{
    return SL_FAIL_AT(node->at, "%s: '%s' %s; write %s", key->path, shown(node).text, why, text);
}

/* Several numbers for a key that has one. */
static int write_sweep(const struct sl_key *key, const struct sl_node *node, const char *why,
                       const char *values)
{
    char text[SL_SUGGEST_MAX + MAX_PATH + 16];
    snprintf(text, sizeof text, "sweep: {%s: %s}", key->path, values);
    return write_as(key, node, why, text);
}

/* A number that was refused with `code`: says how it is written here where that can be seen. */
static int rephrase(const struct sl_resolver *r, const struct sl_key *key,
                    const struct sl_node *node, int code)
{
    const char *text = node->kind == SL_NODE_SCALAR ? node->text : "";
    bool several = key->count > 1, swept = find_sweep(r->in, sl_key_find(key->path)) >= 0;
    bool whole = key->type == SL_TYPE_INT || key->type == SL_TYPE_INTS;
    struct sl_suggestion clock = sl_suggest_clock(text), list = sl_suggest_list(text),
                         comma = sl_suggest_comma(text, whole),
                         range = sl_suggest_range(text, several ? ", " : "..");
    if (key->unit == SL_UNIT_seconds && *clock.text)
        return write_as(key, node, "is no time here", clock.text);
    if (several && *list.text) return write_as(key, node, "is no list", list.text);
    if (several && *range.text) {
        snprintf(list.text, sizeof list.text, "[%.250s]", range.text);
        return write_as(key, node, "is no list", list.text);
    }
    if (*comma.text) return write_as(key, node, "has a comma", comma.text);
    if (*list.text && swept) return write_as(key, node, "is no list", list.text);
    if (swept) return code;
    if (*list.text) return write_sweep(key, node, "is no number, several are", list.text);
    if (*range.text) return write_sweep(key, node, "is no number, a range is", range.text);
    return code;
}

static int read_number(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                       double *out)
{
    bool whole = key->type == SL_TYPE_INT || key->type == SL_TYPE_INTS;
    SL_TRY(take_scalar(key, node, whole ? "a whole number" : "a number"));
    if (node->quoted)
        return SL_FAIL_AT(node->at, "%s takes a number; remove the quotes around '%s'", key->path,
                          shown(node).text);
    struct sl_expr how = {key->path, key->unit, whole, lookup, r};
    double value;
    SL_TRY(sl_expr_value(node->text, node->at, &how, &value));
    SL_TRY(in_range(key, node, value));
    *out = value;
    return SL_OK;
}

int sl_take_number(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                   double *out)
{
    int code = read_number(r, key, node, out);
    return code == SL_EINPUT ? rephrase(r, key, node, code) : code;
}

static int choice_failure(const struct sl_key *key, const struct sl_node *node)
{
    char all[1000] = "";
    struct sl_suggestion list = {""};
    for (const struct sl_choice *c = key->choices; c->name; c++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", c->name);
    }
    if (key->count > 1) list = sl_suggest_choices(key, node->text);
    const char *near = *list.text ? list.text : sl_suggest_choice(key, node->text);
    const char *say = !near                          ? ""
                      : strcmp(list.text, "[]") == 0 ? "; for none of them write "
                      : *list.text                   ? "; write "
                                                     : "; did you mean ";
    return SL_FAIL_AT(node->at, "%s: '%s' is none of %s%s%s", key->path, shown(node).text, all, say,
                      near ? near : "");
}

int sl_take_choice(const struct sl_key *key, const struct sl_node *node, int *out)
{
    SL_TRY(take_scalar(key, node, "a name"));
    for (int i = 0; i < key->choice_count; i++)
        if (strcmp(key->choices[i].name, node->text) == 0) {
            *out = i;
            return SL_OK;
        }
    return choice_failure(key, node);
}

static int take_bool(const struct sl_key *key, const struct sl_node *node, bool *out)
{
    SL_TRY(take_scalar(key, node, "true or false"));
    bool yes = strcmp(node->text, "true") == 0, is = yes || strcmp(node->text, "false") == 0;
    const char *near = sl_suggest_bool(node->text);
    if (is && node->quoted)
        return SL_FAIL_AT(node->at, "%s takes true or false; remove the quotes around '%s'",
                          key->path, node->text);
    if (!is)
        return SL_FAIL_AT(node->at, "%s: '%s' is neither true nor false%s%s", key->path,
                          shown(node).text, near ? "; nearest: " : "", near ? near : "");
    *out = yes;
    return SL_OK;
}

static bool is_name(const char *text)
{
    size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return n >= 1 && n <= 64 && text[n] == '\0' && text[0] != '.' && text[0] != '-';
}

static int take_text(const struct sl_key *key, const struct sl_node *node, char *out)
{
    if (node->quoted && node->text[0] == '\0' && key->text[0] == '\0' &&
        key->kind != SL_TEXT_name) {
        memset(out, 0, SL_TEXT_MAX);
        return SL_OK;
    }
    SL_TRY(take_scalar(key, node, "a text"));
    const char *text = node->text;
    if (strlen(text) >= SL_TEXT_MAX)
        return SL_FAIL_AT(node->at, "%s: more than %d bytes", key->path, SL_TEXT_MAX - 1);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20)
            return SL_FAIL_AT(node->at, "%s: a text of one line without tabs is expected",
                              key->path);
    if (key->kind == SL_TEXT_name && !is_name(text))
        return SL_FAIL_AT(node->at,
                          "%s: '%s' is no name: 1 to 64 letters, digits, '.', '_', '-', not "
                          "starting with '.' or '-'",
                          key->path, shown(node).text);
    if (key->kind == SL_TEXT_path && text[0] == '-')
        return SL_FAIL_AT(node->at, "%s: a path must not start with '-'; write ./%s", key->path,
                          shown(node).text);
    memset(out, 0, SL_TEXT_MAX);
    memcpy(out, text, strlen(text));
    return SL_OK;
}

/* One value of a list into element `at`. */
static int take_element(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                        struct sl_config *into, int at)
{
    if (at >= key->count)
        return SL_FAIL_AT(node->at, "%s takes at most %d values", key->path, key->count);
    void *values = field(key, into, key->at);
    if (key->type == SL_TYPE_ENUMS) return sl_take_choice(key, node, (int *)values + at);
    double x;
    SL_TRY(sl_take_number(r, key, node, &x));
    if (key->type == SL_TYPE_REALS)
        ((double *)values)[at] = x;
    else
        ((int64_t *)values)[at] = (int64_t)x;
    return SL_OK;
}

/* 64^3 is one number, which may be: but a cube is meant rather than a line of so many cells. */
static int refuse_cube(const struct sl_key *key, const struct sl_node *node)
{
    const struct sl_node *one = node->kind == SL_NODE_LIST && node->count == 1 ? node->first : node;
    struct sl_expr how = {key->path, key->unit, true, NULL, NULL};
    double cells;
    if (strcmp(key->path, "mesh.cells") != 0 || one->kind != SL_NODE_SCALAR) return SL_OK;
    struct sl_suggestion cube = sl_suggest_cube(one->text);
    if (!*cube.text) return SL_OK;
    if (sl_expr_value(one->text, one->at, &how, &cells) != SL_OK)
        return write_as(key, one, "is no list", cube.text);
    return SL_FAIL_AT(one->at,
                      "%s: '%s' is one axis of %.0f cells; write %s, or %.0f if that is "
                      "meant",
                      key->path, shown(one).text, cells, cube.text, cells);
}

/* A list, a list of lists of equal length (flattened), or one value that stands for a list. */
static int take_list(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                     struct sl_config *into)
{
    int n = 0;
    SL_TRY(refuse_cube(key, node));
    if (node->kind == SL_NODE_LIST) {
        for (const struct sl_node *c = node->first; c; c = c->next) {
            if (c->kind != SL_NODE_LIST) {
                SL_TRY(take_element(r, key, c, into, n++));
                continue;
            }
            if (node->first->kind != SL_NODE_LIST || c->count != node->first->count)
                return SL_FAIL_AT(c->at, "%s: the lists within must have the same length",
                                  key->path);
            for (const struct sl_node *d = c->first; d; d = d->next)
                SL_TRY(take_element(r, key, d, into, n++));
        }
        for (const struct sl_node *c = node->first; c; c = c->next)
            if (c->kind != node->first->kind)
                return SL_FAIL_AT(c->at, "%s: values and lists are mixed", key->path);
    } else {
        SL_TRY(take_element(r, key, node, into, n++));
    }
    *(int *)field(key, into, key->at_n) = n;
    return SL_OK;
}

static int take_flags(const struct sl_key *key, const struct sl_node *node, unsigned *out)
{
    unsigned bits = 0;
    const struct sl_node *first = node->kind == SL_NODE_LIST ? node->first : node;
    for (const struct sl_node *c = first; c; c = node->kind == SL_NODE_LIST ? c->next : NULL) {
        int at = 0;
        SL_TRY(sl_take_choice(key, c, &at));
        if (bits & 1u << at)
            return SL_FAIL_AT(c->at, "%s: '%s' is given twice", key->path, shown(c).text);
        bits |= 1u << at;
    }
    *out = bits;
    return SL_OK;
}

static int take_value(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                      struct sl_config *cfg)
{
    double x = SL_INTERVAL_AUTO;
    void *at = field(key, cfg, key->at);
    bool is_word =
        takes_word(key) && node->kind == SL_NODE_SCALAR && strcmp(node->text, key->text) == 0;
    switch (key->type) {
    case SL_TYPE_REAL:
        if (!is_word) SL_TRY(sl_take_number(r, key, node, &x));
        *(double *)at = x;
        return SL_OK;
    case SL_TYPE_INT:
        if (!is_word) SL_TRY(sl_take_number(r, key, node, &x));
        *(int64_t *)at = (int64_t)x;
        return SL_OK;
    case SL_TYPE_BOOL:
        return take_bool(key, node, at);
    case SL_TYPE_ENUM:
        return sl_take_choice(key, node, at);
    case SL_TYPE_FLAGS:
        return take_flags(key, node, at);
    case SL_TYPE_TEXT:
        return take_text(key, node, at);
    case SL_TYPE_RULES:
        return sl_rules_read(r, key, node, at, field(key, cfg, key->at_n));
    default:
        return take_list(r, key, node, cfg);
    }
}

static int take_ranged(const struct sl_key *key, const struct sl_input *row, struct sl_config *cfg)
{
    SL_TRY(in_range(key, row->node, row->number));
    if (key->type == SL_TYPE_REAL)
        *(double *)field(key, cfg, key->at) = row->number;
    else
        *(int64_t *)field(key, cfg, key->at) = (int64_t)row->number;
    return SL_OK;
}

static int circle(const struct sl_resolver *r, int key)
{
    char chain[600] = "";
    int from = r->depth - 1;
    while (from > 0 && r->stack[from] != key)
        from--;
    for (int i = from; i < r->depth; i++) {
        size_t used = strlen(chain);
        snprintf(chain + used, sizeof chain - used, "%s -> ", sl_keys[r->stack[i]].path);
    }
    return SL_FAIL_AT(r->in->row[key].node->at, "%s hangs on itself: %s%s", sl_keys[key].path,
                      chain, sl_keys[key].path);
}

void sl_resolver_init(struct sl_resolver *r, const struct sl_inputs *in, struct sl_config *cfg)
{
    memset(r, 0, sizeof *r);
    r->in = in;
    r->cfg = cfg;
    for (int i = 0; i < SL_KEY_COUNT; i++)
        r->state[i] = in->row[i].node ? SL_ROW_WAITS : SL_ROW_DONE;
}

/* Brings one row to SL_ROW_DONE. */
static int resolve_key(struct sl_resolver *r, int key)
{
    if (r->state[key] == SL_ROW_DONE) return SL_OK;
    if (r->state[key] == SL_ROW_BUSY) return circle(r, key);
    r->state[key] = SL_ROW_BUSY;
    r->stack[r->depth++] = key;
    const struct sl_input *row = &r->in->row[key];
    if (row->ranged)
        SL_TRY(take_ranged(&sl_keys[key], row, r->cfg));
    else
        SL_TRY(take_value(r, &sl_keys[key], row->node, r->cfg));
    r->depth--;
    r->state[key] = SL_ROW_DONE;
    return SL_OK;
}

/* After a fault: the keys that were at work have their default, and no second line. */
static void give_up(struct sl_resolver *r, int key)
{
    struct sl_faults *f = r->in->faults;
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (r->state[i] == SL_ROW_BUSY || i == key) {
            r->state[i] = SL_ROW_DONE;
            f->key[i] = true;
        }
    r->depth = 0;
}

int sl_resolve_all(struct sl_resolver *r)
{
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        if (r->in->faults && !r->in->faults->closed && r->in->faults->key[i]) continue;
        int code = resolve_key(r, i);
        if (code == SL_OK) continue;
        SL_TRY(sl_fault_keep(r->in, code));
        give_up(r, i);
    }
    return SL_OK;
}

int sl_inputs_default(int id, struct sl_config *cfg)
{
    const struct sl_key *key = &sl_keys[id];
    struct sl_mark at = {"keys.def", id + 1, 1};
    struct sl_inputs none = {.doc_count = 0};
    struct sl_resolver r;
    sl_resolver_init(&r, &none, cfg);
    if (key->text[0] != '[') { /* most defaults are scalars: no parser needed */
        struct sl_node node = {.kind = SL_NODE_SCALAR, .text = key->text, .at = at};
        return take_value(&r, key, &node, cfg);
    }
    struct sl_yaml *doc;
    SL_TRY(sl_yaml_parse(key->text, strlen(key->text), at, &doc));
    int code = take_value(&r, key, doc->root, cfg);
    sl_yaml_free(doc);
    return code;
}

/* ---- values to text ---- */

static size_t print_number(const struct sl_key *key, const struct sl_config *cfg, int at, char *out,
                           size_t size)
{
    char text[32];
    double x = number_of(key, cfg, at);
    if (takes_word(key) && x == SL_INTERVAL_AUTO)
        return (size_t)snprintf(out, size, "%s", key->text);
    if (key->type == SL_TYPE_INT || key->type == SL_TYPE_INTS)
        return (size_t)snprintf(out, size, "%lld",
                                (long long)((const int64_t *)const_field(cfg, key->at))[at]);
    return (size_t)snprintf(out, size, "%s", sl_number_text(x, text));
}

/* One element of a list, or the whole of a key that is none. */
static size_t print_value(const struct sl_key *key, const struct sl_config *cfg, int at, char *out,
                          size_t size)
{
    const void *value = const_field(cfg, key->at);
    switch (key->type) {
    case SL_TYPE_BOOL:
        return (size_t)snprintf(out, size, "%s", *(const bool *)value ? "true" : "false");
    case SL_TYPE_ENUM:
    case SL_TYPE_ENUMS:
        return (size_t)snprintf(out, size, "%s", key->choices[((const int *)value)[at]].name);
    default:
        return print_number(key, cfg, at, out, size);
    }
}

/* In double quotes: no text that was read can hold control characters. */
static size_t print_text(const char *text, char *out, size_t size)
{
    size_t used = 0;
    char quoted[2 * SL_TEXT_MAX + 3];
    quoted[used++] = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') quoted[used++] = '\\';
        quoted[used++] = *text;
    }
    quoted[used++] = '"';
    quoted[used] = '\0';
    return (size_t)snprintf(out, size, "%s", quoted);
}

static bool has_element(const struct sl_key *key, const struct sl_config *cfg, int at)
{
    if (key->type == SL_TYPE_FLAGS)
        return at < key->choice_count && (*(const unsigned *)const_field(cfg, key->at) >> at & 1);
    return at < *(const int *)const_field(cfg, key->at_n);
}

size_t sl_key_print(const struct sl_key *key, const struct sl_config *cfg, char *out, size_t size)
{
    if (key->type == SL_TYPE_TEXT) return print_text(const_field(cfg, key->at), out, size);
    if (key->type == SL_TYPE_RULES)
        return sl_rules_print(const_field(cfg, key->at), *(const int *)const_field(cfg, key->at_n),
                              out, size);
    if (key->type < SL_TYPE_REALS && key->type != SL_TYPE_FLAGS)
        return print_value(key, cfg, 0, out, size);
    char list[2048] = "[";
    size_t used = 1;
    for (int i = 0; i < key->count; i++) {
        if (!has_element(key, cfg, i)) continue;
        if (used > 1) used += (size_t)snprintf(list + used, sizeof list - used, ", ");
        if (key->type == SL_TYPE_FLAGS)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s", key->choices[i].name);
        else
            used += print_value(key, cfg, i, list + used, sizeof list - used);
        if (used >= sizeof list) SL_BUG("the values of %s do not fit", key->path);
    }
    return (size_t)snprintf(out, size, "%s]", list);
}
