/* export.c - CSV and JSON of a campaign; see export.h. */
#include "pipeline/show/export.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/base/json.h"

/* What a member cost, in one place for CSV and JSON. */
static const struct cost {
    const char *name;
    size_t at;
} costs[] = {
#define COST(name, member)                                                                         \
    {                                                                                              \
        name, offsetof(struct sl_report_member, member)                                            \
    }
    COST("steps", steps),
    COST("cells", cells),
    COST("wall_s", wall),
    COST("core_hours", core_hours),
    COST("cells_per_s", cells_per_s),
    COST("particle_steps_per_s", particle_steps_per_s),
    COST("gravity_share", gravity_share),
};
enum { COSTS = sizeof costs / sizeof *costs };

static double cost_of(const struct sl_report_member *m, int i)
{
    double v;
    memcpy(&v, (const char *)m + costs[i].at, sizeof v);
    return v;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Quoted where it must be. */
static void cell_add(struct sl_buffer *out, const char *s)
{
    bool quote = s[strcspn(s, ",\"\r\n")] != '\0';
    if (quote) sl_buffer_add(out, "\"");
    for (; *s; s++)
        sl_buffer_add(out, *s == '"' ? "\"\"" : "%c", *s);
    if (quote) sl_buffer_add(out, "\"");
}

static void number_add(struct sl_buffer *out, double v)
{
    sl_buffer_add(out, isfinite(v) ? ",%.10g" : ",", v);
}

/* The member whose summary names the most quantities gives the columns. */
static const struct sl_csv *fullest(const struct sl_report *r)
{
    static const struct sl_csv none;
    const struct sl_csv *best = &none;
    for (int i = 0; i < r->members; i++)
        if (r->member[i].summary.rows > best->rows) best = &r->member[i].summary;
    return best;
}

void sl_export_csv(const struct sl_report *r, struct sl_buffer *out)
{
    const struct sl_csv *names = fullest(r);
    sl_buffer_add(out, "member,state");
    for (int i = 0; i < r->varieds; i++)
        sl_buffer_add(out, ","), cell_add(out, r->varied[i]);
    sl_buffer_add(out, ",attempts");
    for (int i = 0; i < COSTS; i++)
        sl_buffer_add(out, ",%s", costs[i].name);
    for (long q = 0; q < names->rows; q++)
        sl_buffer_add(out, ","), cell_add(out, sl_csv_text(names, q, 0));
    for (int i = 0; i < r->members; i++) {
        const struct sl_report_member *m = &r->member[i];
        sl_buffer_add(out, "\n%s,%s", m->id, sl_campaign_state_name(m->state));
        for (int k = 0; k < r->varieds; k++)
            sl_buffer_add(out, ","), cell_add(out, sl_report_key(m, r->varied[k]));
        sl_buffer_add(out, ",%d", m->attempts);
        for (int k = 0; k < COSTS; k++)
            number_add(out, cost_of(m, k));
        for (long q = 0; q < names->rows; q++)
            number_add(out, sl_report_value(m, sl_csv_text(names, q, 0)));
    }
    sl_buffer_add(out, "\n");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* JSON has no NAN: null. */
static json_t *number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

/* Text from files may be no UTF-8: then it is left out. */
static json_t *text(const char *s)
{
    json_t *t = json_string(s);
    return t ? t : json_null();
}

/* Rows of a table as objects by their first column; cells that are numbers become numbers. */
static json_t *table_json(const struct sl_csv *t)
{
    json_t *all = json_object();
    for (long i = 0; i < t->rows; i++) {
        json_t *row = json_object();
        for (int c = 1; c < t->columns; c++) {
            double v = sl_csv_number(t, i, c);
            bool unit = !strcmp(t->name[c], "unit");
            json_object_set_new(row, t->name[c], unit ? text(sl_csv_text(t, i, c)) : number(v));
        }
        json_object_set_new(all, sl_csv_text(t, i, 0), row);
    }
    return all;
}

static json_t *attempts_json(const struct sl_report_member *m)
{
    json_t *all = json_array();
    for (int i = 0; i < m->attempts; i++) {
        const struct sl_report_attempt *a = &m->attempt[i];
        json_array_append_new(all, json_pack("{s:s, s:i, s:s, s:i, s:o, s:o, s:o, s:o}", "stage",
                                             a->stage, "attempt", a->number, "result", a->result,
                                             "code", a->code, "start", number(a->start), "seconds",
                                             number(a->wall), "host", text(a->host), "cause",
                                             text(a->cause)));
    }
    return all;
}

static json_t *member_json(const struct sl_report_member *m)
{
    json_t *one = json_pack("{s:s, s:s}", "id", m->id, "state", sl_campaign_state_name(m->state));
    json_t *keys = json_object();
    for (int i = 0; i < m->keys.n; i++)
        json_object_set_new(keys, m->keys.key_value[2 * i], text(m->keys.key_value[2 * i + 1]));
    json_object_set_new(one, "parameters", keys);
    for (int i = 0; i < COSTS; i++)
        json_object_set_new(one, costs[i].name, number(cost_of(m, i)));
    json_object_set_new(one, "results", table_json(&m->summary));
    json_object_set_new(one, "attempts", attempts_json(m));
    return one;
}

static json_t *groups_json(const struct sl_report *r)
{
    json_t *all = json_array();
    for (int i = 0; i < r->groups; i++)
        json_array_append_new(all, json_pack("{s:i, s:o, s:i, s:o}", "group", i + 1, "what",
                                             text(r->group[i].what), "members", r->group[i].members,
                                             "results", table_json(&r->group[i].summary)));
    return all;
}

int sl_export_json(const struct sl_report *r, struct sl_buffer *out)
{
    json_t *members = json_array();
    for (int i = 0; i < r->members; i++)
        json_array_append_new(members, member_json(&r->member[i]));
    json_t *all =
        json_pack("{s:i, s:o, s:s, s:o, s:o}", "v", 1, "campaign", text(r->name), "recipe_sha256",
                  r->recipe_hash, "ensembles", groups_json(r), "members", members);
    size_t how = JSON_INDENT(1) | JSON_REAL_PRECISION(15) | SL_JSON_SHOWN;
    char *s = all ? json_dumps(all, how) : NULL;
    json_decref(all);
    SL_CHECK(s, SL_EMEM, "no memory for the export");
    sl_buffer_add(out, "%s\n", s);
    free(s);
    return SL_OK;
}
