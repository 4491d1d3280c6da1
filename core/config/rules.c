/* rules.c - see rules.h. */
#include "core/config/rules.h"

#include <stdio.h>
#include <string.h>

#include "core/cell/refine_rule.h"
#include "core/lists/refine_list.h"

/* ---- tables ---- */

enum { FILTER = 1, CELLS = 8 }; /* defaults, of filter in percent */

static const struct sl_choice quantities[] = {
#define QUANTITY(name, about) {#name, about},
    SL_REFINE_OF_LIST(QUANTITY){NULL, NULL}};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] - 1 };

static const struct criterion {
    const char *name;
    unsigned takes;
    double above, below; /* defaults; below over above */
} criteria[] = {
#define CRITERION(name, takes, above, below, grows, about) {#name, takes, above, below},
    SL_REFINE_LIST(CRITERION){NULL, 0, 0, 0}};

/* Offsets are of struct sl_refine_rule. */
static const struct sl_key parameters[] = {
#define PARAMETER(name, member, numbers, lo, hi, u, a)                                             \
    {.path = #name,                                                                                \
     .about = a,                                                                                   \
     .type = (numbers) == 0                                ? SL_TYPE_ENUM                          \
             : (numbers) > 1                               ? SL_TYPE_REALS                         \
             : SL_REFINE_BIT_##name == SL_REFINE_BIT_level ? SL_TYPE_INT                           \
                                                           : SL_TYPE_REAL,                         \
     .unit = SL_UNIT_##u,                                                                          \
     .min = lo,                                                                                    \
     .max = hi,                                                                                    \
     .count = (numbers) > 1 ? (numbers) : 1,                                                       \
     .at = offsetof(struct sl_refine_rule, member),                                                \
     .choices = (numbers) == 0 ? quantities : NULL,                                                \
     .choice_count = (numbers) == 0 ? QUANTITIES : 0},
    SL_REFINE_PARAMETER_LIST(PARAMETER){.path = NULL}};

const struct sl_key *sl_rules_parameter(int i)
{
    return parameters[i].path ? &parameters[i] : NULL;
}

bool sl_rules_takes(int by, int i)
{
    return i == SL_REFINE_BIT_level || (criteria[by].takes >> i & 1);
}

/* Numbers that hold where none is given; 0: there is none. */
static struct sl_refine_rule default_rule(int by)
{
    struct sl_refine_rule rule;
    memset(&rule, 0, sizeof rule);
    rule.by = by;
    rule.above = criteria[by].above;
    rule.below = rule.above * criteria[by].below;
    if (sl_rules_takes(by, SL_REFINE_BIT_filter)) rule.filter = FILTER / 100.;
    if (sl_rules_takes(by, SL_REFINE_BIT_cells)) rule.cells = CELLS;
    if (sl_rules_takes(by, SL_REFINE_BIT_mean)) rule.mean = 1;
    return rule;
}

static void *member_of(struct sl_refine_rule *rule, int i)
{
    return (char *)rule + parameters[i].at;
}

static size_t put(char *out, size_t size, size_t used, const char *text)
{
    return used + (size_t)snprintf(used < size ? out + used : NULL, used < size ? size - used : 0,
                                   "%s", text);
}

const char *sl_rules_text(int by, char *out, size_t size)
{
    struct sl_refine_rule rule = default_rule(by);
    size_t used = 0;
    for (int i = 0; parameters[i].path; i++) {
        if (!sl_rules_takes(by, i)) continue;
        used = put(out, size, used, used ? ", " : "");
        used = put(out, size, used, parameters[i].path);
        char number[32], text[40];
        double x = parameters[i].type == SL_TYPE_REAL ? *(double *)member_of(&rule, i) : 0;
        snprintf(text, sizeof text, " (%s)", sl_number_text(x, number));
        if (x != 0) used = put(out, size, used, text);
    }
    return out;
}

/* ---- from nodes ---- */

/* Parameter i as a part of the key, for messages. */
struct part {
    char path[64];
    struct sl_key key;
};
static void part_of(const struct sl_key *key, int i, struct part *part)
{
    snprintf(part->path, sizeof part->path, "%s: %s", key->path, parameters[i].path);
    part->key = parameters[i];
    part->key.path = part->path;
}

static int find_parameter(const char *name)
{
    for (int i = 0; parameters[i].path; i++)
        if (strcmp(parameters[i].path, name) == 0) return i;
    return -1;
}

static int unknown(const struct sl_key *key, const struct sl_node *node, int by)
{
    struct sl_nearest near = {.word = node->name};
    for (int i = 0; parameters[i].path; i++)
        if (sl_rules_takes(by, i)) sl_nearest_try(&near, parameters[i].path);
    sl_nearest_try(&near, "by");
    char takes[200];
    return SL_FAIL_AT(node->name_at, "%s: %s takes %s, not '%s'%s%s", key->path, criteria[by].name,
                      sl_rules_text(by, takes, sizeof takes), sl_quote(node->name).text,
                      near.best ? "; did you mean " : "", near.best ? near.best : "");
}

static int read_numbers(struct sl_resolver *r, const struct sl_key *part,
                        const struct sl_node *node, struct sl_refine_rule *rule, double *out)
{
    bool list = node->kind == SL_NODE_LIST;
    int n = list ? node->count : 1;
    if (n < 1 || n > part->count)
        return SL_FAIL_AT(node->at, "%s takes a number for each axis, not %d", part->path, n);
    if (rule->axes && rule->axes != n)
        return SL_FAIL_AT(node->at, "%s: %d numbers, but the other corner has %d", part->path, n,
                          rule->axes);
    rule->axes = n;
    const struct sl_node *c = list ? node->first : node;
    for (int i = 0; i < n; i++, c = c->next)
        SL_TRY(sl_take_number(r, part, c, &out[i]));
    return SL_OK;
}

static int read_parameter(struct sl_resolver *r, const struct sl_key *key,
                          const struct sl_node *node, struct sl_refine_rule *rule, unsigned *given)
{
    int i = find_parameter(node->name);
    if (i < 0 || !sl_rules_takes(rule->by, i)) return unknown(key, node, rule->by);
    struct part part;
    part_of(key, i, &part);
    *given |= 1u << i;
    void *at = member_of(rule, i);
    if (part.key.choices) return sl_take_choice(&part.key, node, at);
    if (part.key.count > 1) return read_numbers(r, &part.key, node, rule, at);
    double x;
    SL_TRY(sl_take_number(r, &part.key, node, &x));
    if (part.key.type == SL_TYPE_INT)
        *(int *)at = (int)x;
    else
        *(double *)at = x;
    return SL_OK;
}

/* What was not given follows from what was, or must be given. */
static int complete(const struct sl_key *key, const struct sl_node *node, unsigned given,
                    struct sl_refine_rule *rule)
{
    const struct criterion *c = &criteria[rule->by];
    unsigned needs = c->takes & (SL_REFINE_TAKES_of | SL_REFINE_TAKES_lo | SL_REFINE_TAKES_hi |
                                 SL_REFINE_TAKES_center | SL_REFINE_TAKES_radius);
    if (rule->by == SL_REFINE_low)
        needs |= SL_REFINE_TAKES_below;
    else if (c->above == 0)
        needs |= SL_REFINE_TAKES_above;
    for (int i = 0; parameters[i].path; i++)
        if (needs & ~given & 1u << i)
            return SL_FAIL_AT(node->at, "%s: %s needs %s: %s", key->path, c->name,
                              parameters[i].path, parameters[i].about);
    if (!(given & SL_REFINE_TAKES_below)) rule->below = rule->above * c->below;
    if (rule->by == SL_REFINE_low && !(given & SL_REFINE_TAKES_above)) rule->above = rule->below;
    if (rule->below > rule->above)
        return SL_FAIL_AT(node->at, "%s: below, %.15g, is larger than above, %.15g; nearest: %.15g",
                          key->path, rule->below, rule->above, rule->above);
    return SL_OK;
}

static int read_rule(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                     struct sl_refine_rule *rule)
{
    if (node->kind != SL_NODE_MAP)
        return SL_FAIL_AT(node->at, "%s: a rule is a mapping: {by: NAME, PARAMETER: value ...}",
                          key->path);
    const struct sl_node *by = sl_node_child(node, "by");
    if (!by) return SL_FAIL_AT(node->at, "%s: a rule needs `by`: what is looked at", key->path);
    int name;
    unsigned given = 0;
    SL_TRY(sl_take_choice(key, by, &name));
    *rule = default_rule(name);
    for (const struct sl_node *c = node->first; c; c = c->next)
        if (c != by) SL_TRY(read_parameter(r, key, c, rule, &given));
    return complete(key, node, given, rule);
}

int sl_rules_read(struct sl_resolver *r, const struct sl_key *key, const struct sl_node *node,
                  struct sl_refine_rule *rule, int *n)
{
    if (node->kind == SL_NODE_SCALAR)
        return SL_FAIL_AT(
            node->at, "%s takes a list of rules: [{by: NAME, PARAMETER: value ...}]; [] for none",
            key->path);
    bool list = node->kind == SL_NODE_LIST;
    if (list && node->count > key->count)
        return SL_FAIL_AT(node->at, "%s takes at most %d rules", key->path, key->count);
    int i = 0;
    for (const struct sl_node *c = list ? node->first : node; c; c = list ? c->next : NULL)
        SL_TRY(read_rule(r, key, c, &rule[i++]));
    memset(rule + i, 0, (size_t)(key->count - i) * sizeof *rule);
    *n = i;
    return SL_OK;
}

/* ---- to text ---- */

static size_t print_numbers(const double *x, int n, char *out, size_t size, size_t used)
{
    for (int i = 0; i < n; i++) {
        char text[32];
        used = put(out, size, used, i ? ", " : n > 1 ? "[" : "");
        used = put(out, size, used, sl_number_text(x[i], text));
    }
    return put(out, size, used, n > 1 ? "]" : "");
}

static size_t print_rule(struct sl_refine_rule rule, char *out, size_t size, size_t used)
{
    used = put(out, size, used, "{by: ");
    used = put(out, size, used, criteria[rule.by].name);
    for (int i = 0; parameters[i].path; i++) {
        const struct sl_key *p = &parameters[i];
        void *at = member_of(&rule, i);
        if (!sl_rules_takes(rule.by, i) || (p->type == SL_TYPE_INT && *(int *)at == 0)) continue;
        used = put(out, size, used, ", ");
        used = put(out, size, used, p->path);
        used = put(out, size, used, ": ");
        double level = p->type == SL_TYPE_INT ? *(int *)at : 0;
        if (p->choices)
            used = put(out, size, used, p->choices[*(int *)at].name);
        else
            used = print_numbers(p->type == SL_TYPE_INT ? &level : at, p->count > 1 ? rule.axes : 1,
                                 out, size, used);
    }
    return put(out, size, used, "}");
}

size_t sl_rules_print(const struct sl_refine_rule *rule, int n, char *out, size_t size)
{
    size_t used = put(out, size, 0, "[");
    for (int i = 0; i < n; i++) {
        used = put(out, size, used, i ? ", " : "");
        used = print_rule(rule[i], out, size, used);
    }
    return put(out, size, used, "]");
}
