/* report_group.c - the groups of a campaign and their results; see report_data.h. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/report_data.h"

/* Makes room for group `number`, counted from 0. */
static int group_need(struct sl_report *r, long number)
{
    SL_CHECK(number >= 0 && number < r->members, SL_EINPUT, "groups.csv names a group %ld",
             number + 1);
    if (number < r->groups) return SL_OK;
    void *more = realloc(r->group, (size_t)(number + 1) * sizeof *r->group);
    SL_CHECK(more, SL_EMEM, "no memory for groups");
    r->group = more;
    memset(&r->group[r->groups], 0, (size_t)(number + 1 - r->groups) * sizeof *r->group);
    r->groups = (int)number + 1;
    return SL_OK;
}

/* Rows group,member,what. */
static int table_take(struct sl_report *r, const struct sl_csv *t)
{
    for (long i = 0; i < t->rows; i++) {
        long number = strtol(sl_csv_text(t, i, 0), NULL, 10) - 1;
        int row = sl_campaign_find(&r->campaign, sl_csv_text(t, i, 1));
        SL_TRY(group_need(r, number));
        if (row >= 0) r->member[row].group = (int)number;
        snprintf(r->group[number].what, sizeof r->group[number].what, "%s", sl_csv_text(t, i, 2));
    }
    return SL_OK;
}

static int table_read(struct sl_report *r)
{
    char path[PATH_MAX + 32];
    struct sl_csv t;
    snprintf(path, sizeof path, "%s/ensemble/groups.csv", r->dir);
    if (access(path, F_OK)) return SL_OK;
    SL_TRY(sl_csv_read(&t, path, SL_CSV_NAMED));
    int code = table_take(r, &t);
    sl_csv_release(&t);
    return code;
}

static int results_read(struct sl_report *r, int number)
{
    struct sl_report_group *g = &r->group[number];
    char path[PATH_MAX + 64];
    if (r->groups > 1)
        snprintf(g->dir, sizeof g->dir, "ensemble/group-%d", number + 1);
    else
        snprintf(g->dir, sizeof g->dir, "ensemble");
    snprintf(path, sizeof path, "%s/%s/summary.csv", r->dir, g->dir);
    if (!access(path, F_OK)) return sl_csv_read(&g->summary, path, SL_CSV_NAMED);
    g->dir[0] = '\0';
    return SL_OK;
}

int sl_report_groups_read(struct sl_report *r)
{
    SL_TRY(group_need(r, 0));
    SL_TRY(table_read(r));
    for (int i = 0; i < r->groups; i++) {
        r->group[i].first = -1;
        SL_TRY(results_read(r, i));
    }
    for (int i = 0; i < r->members; i++) {
        struct sl_report_group *g = &r->group[r->member[i].group];
        g->members++;
        if (g->first < 0 && r->member[i].state == SL_STATE_done) g->first = i;
    }
    return SL_OK;
}

void sl_report_mean(const struct sl_report *r, int group, const char *quantity, double *mean,
                    double *error)
{
    const struct sl_report_group *g = &r->group[group];
    long row = sl_csv_row(&g->summary, quantity);
    *mean = sl_csv_number(&g->summary, row, sl_csv_column(&g->summary, "mean"));
    *error = sl_csv_number(&g->summary, row, sl_csv_column(&g->summary, "standard_error"));
    if (!*g->dir && g->first >= 0) *mean = sl_report_value(&r->member[g->first], quantity);
}

int sl_report_counterpart(const struct sl_report *r, int group)
{
    const struct sl_report *other = r->against;
    for (int i = 0; other && i < other->groups; i++) {
        bool same = other->groups == 1 || !strcmp(other->group[i].what, r->group[group].what);
        if (same && *other->group[i].dir) return i;
    }
    return -1;
}
