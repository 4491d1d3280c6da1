/* own_mean.c - see own_mean.h. */
#include "pipeline/campaign/own_mean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/csv.h"
#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/own_table.h"
#include "pipeline/campaign/record.h"

/* The members of a group whose commands are done. */
struct group {
    const struct sl_campaign *campaign;
    int log, *member, n;        /* member: owned */
    bool *in;                   /* owned: the members of the ensemble */
    char dir[SL_PATH_MAX];      /* own/ of its results */
    struct sl_own_table *table; /* owned: of each member, of the file at hand */
};

bool sl_own_is_csv(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".csv") == 0;
}

/* Mean and standard deviation of one number of the members. */
static void moments(const struct group *g, long row, int column, double *mean, double *std)
{
    double sum = 0, square = 0;
    int n = 0;
    for (int i = 0; i < g->n; i++) {
        double x = sl_own_number(&g->table[i], row, column);
        if (isfinite(x)) sum += x, n++;
    }
    *mean = n > 0 ? sum / n : NAN;
    for (int i = 0; i < g->n; i++) {
        double x = sl_own_number(&g->table[i], row, column) - *mean;
        if (isfinite(x)) square += x * x;
    }
    *std = n > 1 ? sqrt(square / (n - 1)) : NAN;
}

static bool any_has(const struct group *g, int column)
{
    for (int i = 0; i < g->n; i++)
        if (sl_own_table_has(&g->table[i], column)) return true;
    return false;
}

static int write_means(const struct group *g, const char *path)
{
    const struct sl_own_table *first = &g->table[0];
    char target[SL_PATH_MAX], parent[SL_PATH_MAX];
    struct sl_buffer text = {.s = NULL};
    SL_TRY(sl_disk_join(target, "%s/%s", g->dir, path));
    SL_TRY(sl_path_parent(parent, target));
    SL_TRY(sl_mkdir_all(parent));
    sl_buffer_add(&text, "# members: %d\n%s", g->n, first->name[0]);
    for (int c = 1; c < first->columns; c++)
        if (any_has(g, c)) sl_buffer_add(&text, ",%s_mean,%s_std", first->name[c], first->name[c]);
    sl_buffer_add(&text, "\n");
    for (long row = 0; row < first->rows; row++) {
        sl_buffer_add(&text, "%.10g", sl_own_number(first, row, 0));
        for (int c = 1; c < first->columns; c++) {
            double mean, std;
            if (!any_has(g, c)) continue;
            moments(g, row, c, &mean, &std);
            sl_buffer_add(&text, ",%.10g,%.10g", mean, std);
        }
        sl_buffer_add(&text, "\n");
    }
    int code = sl_buffer_write(&text, target);
    sl_buffer_release(&text);
    return code;
}

static void leave_out(const struct group *g, const char *path, int member, const char *why)
{
    dprintf(g->log, "own/%s is not averaged: that of member %s: %s\n", sl_quote(path).text,
            g->campaign->member[member].id, why);
}

/* Reads the file of all members; *same: they have the same table. */
static void read_tables(struct group *g, const char *path, bool *same)
{
    *same = true;
    for (int i = 0; i < g->n; i++) {
        char home[SL_PATH_MAX], file[SL_PATH_MAX];
        int code = sl_campaign_home(home, g->campaign, g->member[i]);
        if (code == SL_OK) code = sl_disk_join(file, "%s/own/%s", home, path);
        if (code == SL_OK) code = sl_own_table_read(&g->table[i], file);
        bool alike = code == SL_OK && sl_own_table_alike(&g->table[0], &g->table[i]);
        if (alike) continue;
        leave_out(g, path, g->member[i],
                  code == SL_OK ? "its columns, or its first one, are not those of the first member"
                                : sl_error_text());
        *same = false;
        return;
    }
}

/* One file of the first member. */
static int average(const char *path, void *user)
{
    struct group *g = user;
    bool same;
    if (!sl_own_is_csv(path)) return SL_OK;
    read_tables(g, path, &same);
    int code = same ? write_means(g, path) : SL_OK;
    for (int i = 0; i < g->n; i++)
        sl_own_table_release(&g->table[i]);
    return code;
}

static int average_group(struct group *g)
{
    char home[SL_PATH_MAX];
    sl_disk_remove(g->dir); /* of an ensemble before this one */
    if (g->n < 2) return SL_OK;
    SL_TRY(sl_campaign_home(home, g->campaign, g->member[0]));
    SL_TRY(sl_disk_join(home, "%s/own", home));
    g->table = calloc((size_t)g->n, sizeof *g->table);
    SL_CHECK(g->table, SL_EMEM, "no memory for %d tables", g->n);
    int code = sl_disk_walk(home, "", average, g);
    free(g->table);
    return code;
}

static bool has_own(const struct sl_campaign *c, int member)
{
    char home[SL_PATH_MAX];
    return member >= 0 && sl_member_has(&c->member[member], SL_STAGE_own) &&
           sl_campaign_home(home, c, member) == SL_OK && sl_record_exists(home, SL_STAGE_own);
}

/* The members of a group, from groups.csv; without one those of the ensemble are one group. */
static void find_members(struct group *g, const struct sl_csv *groups, long number)
{
    g->n = 0;
    for (int i = 0; !groups && i < g->campaign->n; i++)
        if (g->in[i] && has_own(g->campaign, i)) g->member[g->n++] = i;
    for (long row = 0; groups && row < groups->rows; row++) {
        int member = sl_campaign_find(g->campaign, sl_csv_text(groups, row, 1));
        if (strtol(sl_csv_text(groups, row, 0), NULL, 10) == number && has_own(g->campaign, member))
            g->member[g->n++] = member;
    }
}

static long count_groups(const struct sl_csv *groups)
{
    long n = 1;
    for (long row = 0; groups && row < groups->rows; row++) {
        long number = strtol(sl_csv_text(groups, row, 0), NULL, 10);
        if (number > n) n = number;
    }
    return n;
}

static int average_all(struct group *g, const struct sl_csv *groups)
{
    long n = count_groups(groups);
    SL_CHECK(g->member && g->in, SL_EMEM, "no memory for %d members", g->campaign->n);
    SL_TRY(sl_ensemble_members(g->campaign, g->in));
    for (long number = 1; number <= n; number++) {
        find_members(g, groups, number);
        if (n > 1)
            SL_TRY(sl_disk_join(g->dir, "%s/ensemble/group-%ld/own", g->campaign->dir, number));
        else
            SL_TRY(sl_disk_join(g->dir, "%s/ensemble/own", g->campaign->dir));
        SL_TRY(average_group(g));
    }
    return SL_OK;
}

int sl_own_mean(const struct sl_campaign *c, int log)
{
    char path[SL_PATH_MAX];
    struct sl_csv groups;
    struct group g = {.campaign = c, .log = log};
    bool any = false;
    for (int i = 0; i < c->n; i++)
        any |= sl_member_has(&c->member[i], SL_STAGE_own);
    if (!any) return SL_OK;
    SL_TRY(sl_disk_join(path, "%s/ensemble/groups.csv", c->dir));
    bool several = sl_disk_exists(path);
    if (several) SL_TRY(sl_csv_read(&groups, path, SL_CSV_NAMED));
    g.member = calloc((size_t)c->n, sizeof *g.member);
    g.in = calloc((size_t)c->n, sizeof *g.in);
    int code = average_all(&g, several ? &groups : NULL);
    free(g.member);
    free(g.in);
    if (several) sl_csv_release(&groups);
    return code;
}
