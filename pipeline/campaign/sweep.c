/* sweep.c - see sweep.h. */
#include "pipeline/campaign/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/expr.h"
#include "core/config/suggest.h"
#include "pipeline/campaign/sample.h"

void sl_sweep_close(struct sl_sweep *sweep)
{
    if (!sweep) return;
    for (int a = 0; a < sweep->axis_count; a++) {
        for (int k = 0; k < sweep->axes[a].key_count; k++) {
            free(sweep->axes[a].keys[k].parts);
            free(sweep->axes[a].keys[k].sampled);
        }
        free(sweep->axes[a].keys);
    }
    free(sweep->axes);
    free(sweep);
}

/* ---- lists and ranges ---- */

/* "1..64", "1..9 step 2": the texts of the three numbers, step "" when it is not given. */
struct range_text {
    char start[128], end[128], step[128];
};

static void cut(char *out, size_t size, const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (to > from && to[-1] == ' ')
        to--;
    size_t n = (size_t)(to - from) < size - 1 ? (size_t)(to - from) : size - 1;
    memcpy(out, from, n);
    out[n] = '\0';
}

static bool is_range(const struct sl_key *key, const struct sl_node *node, struct range_text *text)
{
    if (key->type != SL_TYPE_REAL && key->type != SL_TYPE_INT) return false;
    if (node->kind != SL_NODE_SCALAR || node->quoted) return false;
    const char *dots = strstr(node->text, "..");
    if (!dots || strlen(node->text) >= sizeof text->start) return false;
    const char *end = node->text + strlen(node->text), *step = strstr(dots, "step");
    cut(text->start, sizeof text->start, node->text, dots);
    cut(text->end, sizeof text->end, dots + 2, step ? step : end);
    cut(text->step, sizeof text->step, step ? step + 4 : end, end);
    if (step && text->step[0] == '\0') memcpy(text->step, "step", 5); /* to be named in a message */
    return true;
}

static int read_range(const struct sl_key *key, const struct sl_node *node,
                      const struct range_text *text, struct sl_sweep_part *part)
{
    struct sl_expr how = {key->path, key->unit, key->type == SL_TYPE_INT, NULL, NULL};
    double end;
    part->step = 1;
    SL_TRY(sl_expr_value(text->start, node->at, &how, &part->start));
    SL_TRY(sl_expr_value(text->end, node->at, &how, &end));
    if (text->step[0]) SL_TRY(sl_expr_value(text->step, node->at, &how, &part->step));
    struct sl_quoted shown = sl_quote(node->text);
    if (part->step == 0) return SL_FAIL_AT(node->at, "'%s': a step of 0", shown.text);
    double steps = (end - part->start) / part->step;
    if (steps < 0 && !text->step[0])
        return SL_FAIL_AT(node->at, "'%s' counts down; write %s..%s step -1", shown.text,
                          text->start, text->end);
    if (steps < 0) return SL_FAIL_AT(node->at, "'%s' holds no value", shown.text);
    if (!(steps < SL_SWEEP_MAX))
        return SL_FAIL_AT(node->at, "'%s' holds more than %d values", shown.text, SL_SWEEP_MAX);
    part->count = (int64_t)floor(steps * (1 + 1e-12)) + 1;
    part->range = true;
    return SL_OK;
}

/* Decimal steps stay decimal: 0.1 + 2 * 0.1 is 0.3, as a person would write it. */
static double range_value(const struct sl_sweep_part *part, int64_t i)
{
    double x = part->start + (double)i * part->step;
    if (x == floor(x)) return x;
    char text[32];
    snprintf(text, sizeof text, "%.14g", x);
    return strtod(text, NULL);
}

/* "1-4" would be -3, "1:4" nothing. */
static int refuse_range(const struct sl_key *key, const struct sl_node *node)
{
    if (key->type != SL_TYPE_REAL && key->type != SL_TYPE_INT) return SL_OK;
    if (node->kind != SL_NODE_SCALAR) return SL_OK;
    bool right = strstr(node->text, "..") && !strstr(node->text, "...");
    bool clock = key->unit == SL_UNIT_seconds && strchr(node->text, ':');
    struct sl_suggestion range = sl_suggest_range(node->text, "..");
    if (!*range.text || right || clock) return SL_OK;
    return SL_FAIL_AT(node->at, "%s: '%s' is no range; write %s", key->path,
                      sl_quote(node->text).text, range.text);
}

static int read_part(struct sl_sweep_key *row, const struct sl_node *node)
{
    SL_TRY(refuse_range(&sl_keys[row->key], node));
    struct sl_sweep_part *part = &row->parts[row->part_count];
    *part = (struct sl_sweep_part){.node = node, .first = row->count, .count = 1};
    struct range_text text;
    if (is_range(&sl_keys[row->key], node, &text))
        SL_TRY(read_range(&sl_keys[row->key], node, &text, part));
    row->part_count++;
    row->count += part->count;
    if (row->count > SL_SWEEP_MAX)
        return SL_FAIL_AT(node->at, "more than %d values of %s", SL_SWEEP_MAX,
                          sl_keys[row->key].path);
    return SL_OK;
}

static int may_be_swept(const struct sl_sweep_row *from)
{
    if (from->key == SL_KEY_campaign || from->key == SL_KEY_run_member ||
        from->key == SL_KEY_run_recipe_hash || from->key == SL_KEY_stages_campaign)
        return SL_FAIL_AT(from->at, "'%s' cannot be swept", sl_keys[from->key].path);
    return SL_OK;
}

static int read_key(const struct sl_sweep_row *from, struct sl_sweep_key *row)
{
    const struct sl_node *values = from->values;
    const char *path = sl_keys[from->key].path;
    if (values->kind == SL_NODE_MAP)
        return SL_FAIL_AT(values->at, "'%s' takes a list or a range such as 1..4", path);
    if (values->kind == SL_NODE_LIST && values->count == 0)
        return SL_FAIL_AT(values->at, "'%s' is swept over an empty list", path);
    size_t capacity = values->kind == SL_NODE_LIST ? (size_t)values->count : 1;
    row->key = from->key;
    row->parts = calloc(capacity, sizeof *row->parts);
    SL_CHECK(row->parts, SL_EMEM, "no memory for the sweep");
    if (values->kind == SL_NODE_SCALAR) return read_part(row, values);
    for (const struct sl_node *c = values->first; c; c = c->next)
        SL_TRY(read_part(row, c));
    return SL_OK;
}

/* ---- values that come twice: two members would be the same ---- */

struct seen {
    const struct sl_node *node;
    double value;
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct seen *)a)->value, y = ((const struct seen *)b)->value;
    return x < y ? -1 : x > y;
}

static int by_text(const void *a, const void *b)
{
    const struct sl_node *x = ((const struct seen *)a)->node, *y = ((const struct seen *)b)->node;
    return strcmp(x->text, y->text);
}

static int twice(const struct sl_sweep_key *row, const struct seen *a, const struct seen *b)
{
    bool later = a->node->at.line > b->node->at.line ||
                 (a->node->at.line == b->node->at.line && a->node->at.column > b->node->at.column);
    return SL_FAIL_AT((later ? a : b)->node->at, "%s: this value is in the list already",
                      sl_keys[row->key].path);
}

/* Fills seen with the values of all parts; false when some cannot be compared. */
static bool list_values(const struct sl_sweep_key *row, struct seen *seen, bool *numbers)
{
    const struct sl_key *key = &sl_keys[row->key];
    struct sl_expr how = {key->path, key->unit, false, NULL, NULL};
    int64_t n = 0;
    *numbers = key->type == SL_TYPE_REAL || key->type == SL_TYPE_INT;
    for (int p = 0; p < row->part_count; p++) {
        const struct sl_sweep_part *part = &row->parts[p];
        if (part->node->kind != SL_NODE_SCALAR) return false;
        for (int64_t i = 0; i < part->count; i++, n++) {
            seen[n] = (struct seen){part->node, part->range ? range_value(part, i) : 0};
            if (*numbers && !part->range &&
                sl_expr_value(part->node->text, part->node->at, &how, &seen[n].value) != SL_OK)
                return false; /* hangs on other keys, or is wrong: the member will tell */
        }
    }
    return true;
}

static int refuse_twice(const struct sl_sweep_key *row)
{
    enum { COMPARED = 1000000 };
    if (row->part_count < 2 || row->count > COMPARED) return SL_OK;
    struct seen *seen = calloc((size_t)row->count, sizeof *seen);
    SL_CHECK(seen, SL_EMEM, "no memory for the sweep");
    bool numbers;
    int code = SL_OK;
    if (list_values(row, seen, &numbers)) {
        int (*order)(const void *, const void *) = numbers ? by_value : by_text;
        qsort(seen, (size_t)row->count, sizeof *seen, order);
        for (int64_t i = 1; i < row->count && code == SL_OK; i++)
            if (order(&seen[i - 1], &seen[i]) == 0) code = twice(row, &seen[i - 1], &seen[i]);
    }
    free(seen);
    return code;
}

/* ---- axes ---- */

static int add_key(struct sl_sweep_axis *axis, const struct sl_sweep_row *from)
{
    struct sl_sweep_key *more =
        realloc(axis->keys, ((size_t)axis->key_count + 1) * sizeof *axis->keys);
    SL_CHECK(more, SL_EMEM, "no memory for the sweep");
    axis->keys = more;
    struct sl_sweep_key *row = &axis->keys[axis->key_count++];
    *row = (struct sl_sweep_key){.key = from->key};
    SL_TRY(may_be_swept(from));
    if (from->way == SL_SWEEP_SAMPLE && from->values->kind == SL_NODE_SCALAR)
        return sl_sample_range(from, row);
    SL_TRY(read_key(from, row));
    if (from->way == SL_SWEEP_ZIP && axis->key_count > 1 && row->count != axis->count)
        return SL_FAIL_AT(from->at, "zip: '%s' has %lld values but '%s' has %lld",
                          sl_keys[from->key].path, (long long)row->count,
                          sl_keys[axis->keys[0].key].path, (long long)axis->count);
    axis->count = row->count;
    return SL_OK;
}

static int fill(struct sl_sweep *sweep, const struct sl_inputs *in)
{
    struct sl_sweep_axis *together[SL_SWEEP_WAYS] = {NULL};
    sweep->axes = calloc((size_t)in->sweep_count + 1, sizeof *sweep->axes);
    SL_CHECK(sweep->axes, SL_EMEM, "no memory for the sweep");
    for (int i = 0; i < in->sweep_count; i++) {
        const struct sl_sweep_row *from = &in->sweep[i];
        struct sl_sweep_axis *axis = together[from->way];
        if (!axis) axis = &sweep->axes[sweep->axis_count++];
        if (from->way != SL_SWEEP_PRODUCT) together[from->way] = axis;
        SL_TRY(add_key(axis, from));
        if (from->way == SL_SWEEP_PRODUCT) SL_TRY(refuse_twice(&axis->keys[0]));
    }
    SL_TRY(sl_sample_fill(in, together[SL_SWEEP_SAMPLE], &sweep->fixed));
    sweep->count = 1;
    for (int a = 0; a < sweep->axis_count; a++)
        if (__builtin_mul_overflow(sweep->count, sweep->axes[a].count, &sweep->count) ||
            sweep->count > SL_SWEEP_MAX)
            return SL_FAIL_AT(in->sweep[0].at, "the sweep makes more than %d members",
                              SL_SWEEP_MAX);
    return SL_OK;
}

int sl_sweep_make(const struct sl_inputs *in, struct sl_sweep **out)
{
    struct sl_sweep *sweep = calloc(1, sizeof *sweep);
    SL_CHECK(sweep, SL_EMEM, "no memory for the sweep");
    int code = fill(sweep, in);
    if (code == SL_OK)
        *out = sweep;
    else
        sl_sweep_close(sweep);
    return code;
}

static const struct sl_sweep_part *part_of(const struct sl_sweep_key *row, int64_t at)
{
    int lo = 0, hi = row->part_count - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) / 2;
        if (row->parts[mid].first <= at)
            lo = mid;
        else
            hi = mid - 1;
    }
    return &row->parts[lo];
}

static struct sl_input value_at(const struct sl_sweep_key *key, int64_t at)
{
    bool drawn = key->sampled && key->parts[0].range && key->count == 0;
    if (key->sampled && !drawn) at = (int64_t)key->sampled[at];
    const struct sl_sweep_part *part = drawn ? &key->parts[0] : part_of(key, at);
    return (struct sl_input){.node = part->node,
                             .at = part->node->at,
                             .ranged = part->range,
                             .number = drawn         ? key->sampled[at]
                                       : part->range ? range_value(part, at - part->first)
                                                     : 0};
}

void sl_sweep_set(const struct sl_sweep *sweep, int64_t index, struct sl_inputs *in)
{
    for (int a = sweep->axis_count - 1; a >= 0; a--) {
        const struct sl_sweep_axis *axis = &sweep->axes[a];
        int64_t at = index % axis->count;
        index /= axis->count;
        for (int k = 0; k < axis->key_count; k++)
            in->row[axis->keys[k].key] = value_at(&axis->keys[k], at);
    }
}

bool sl_sweep_has(const struct sl_sweep *sweep, int key)
{
    for (int a = 0; a < sweep->axis_count; a++)
        for (int k = 0; k < sweep->axes[a].key_count; k++)
            if (sweep->axes[a].keys[k].key == key) return true;
    return false;
}
