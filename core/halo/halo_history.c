/* halo_history.c - see halo_history.h. */
#include "core/halo/halo_history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/halo/halo_match.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- links of two snapshots ---- */

enum { ID, PARTICLES, OTHER, OTHER_PARTICLES, SHARED, OF_OTHER, OF_OWN, MAIN, LINK_COLUMNS };

/* A list of haloes with its links to another. */
struct linked {
    const char *kind, *about, *column[LINK_COLUMNS];
    const struct sl_haloes *own, *others;
    const struct sl_halo_link *link, *back;
};

static void link_fill(const struct linked *l, int i, double *row)
{
    const struct sl_halo *own = &l->own->halo[i];
    row[ID] = (double)own->id;
    row[PARTICLES] = (double)own->n;
    row[OTHER] = NAN;
    if (l->link[i].other < 0) return;
    const struct sl_halo *other = &l->others->halo[l->link[i].other];
    row[OTHER] = (double)other->id;
    row[OTHER_PARTICLES] = (double)other->n;
    row[SHARED] = (double)l->link[i].shared;
    row[OF_OTHER] = row[SHARED] / row[OTHER_PARTICLES];
    row[OF_OWN] = row[SHARED] / row[PARTICLES];
    row[MAIN] = sl_halo_is_main(l->link, i, l->back);
}

static int link_table(const struct linked *l, const struct sl_fields *f, struct sl_tables *tables)
{
    struct sl_table *t;
    SL_TRY(sl_fields_table(f, tables, l->kind, l->own->n, LINK_COLUMNS, &t, l->about));
    for (int i = 0; i < LINK_COLUMNS; i++)
        sl_table_column(t, i, l->column[i], "1");
    for (int i = 0; i < l->own->n; i++)
        link_fill(l, i, sl_table_at(t, i, 0));
    return SL_OK;
}

/* Of the haloes now, and of those of the snapshot before. */
static int link_tables(const struct sl_halo_history *h, const struct sl_fields *f,
                       const struct sl_haloes *now, const struct sl_halo_link *progenitor,
                       const struct sl_halo_link *descendant, struct sl_tables *tables)
{
    const struct linked later = {
        "halo_progenitors",
        "haloes as in the catalogue, and of each the one of the snapshot before that shares most "
        "particles with it, of equal ones that of the smaller id (nan: none does): its id and "
        "particles, those that both have, as a part of either; main: that one's descendant is this "
        "halo",
        {"id", "particles", "progenitor", "progenitor_particles", "shared", "of_progenitor",
         "of_halo", "main"},
        now,
        &h->last,
        progenitor,
        descendant};
    const struct linked earlier = {
        "halo_descendants",
        "haloes as in the catalogue, and of each the one of the snapshot after it that shares most "
        "particles with it, of equal ones that of the smaller id (nan: none does): its id and "
        "particles, those that both have, as a part of either; main: that one's progenitor is this "
        "halo",
        {"id", "particles", "descendant", "descendant_particles", "shared", "of_descendant",
         "of_halo", "main"},
        &h->last,
        now,
        descendant,
        progenitor};
    struct sl_fields before = *f;
    before.number = h->number;
    before.time = h->time;
    before.scale_factor = h->step[h->steps - 2].scale_factor;
    SL_TRY(link_table(&later, f, tables));
    return link_table(&earlier, &before, tables);
}

/* ---- from snapshot to snapshot ---- */

static int step_make(const struct sl_haloes *now, const struct sl_fields *f,
                     struct sl_halo_step *out)
{
    *out = (struct sl_halo_step){.scale_factor = f->scale_factor, .n = now->n};
    SL_TRY(sl_alloc("progenitors", (size_t)now->n, sizeof *out->before, &out->before));
    SL_TRY(
        sl_alloc("particles of haloes", (size_t)now->n, sizeof *out->particles, &out->particles));
    for (int i = 0; i < now->n; i++) {
        out->before[i] = -1;
        out->particles[i] = now->halo[i].n;
    }
    return SL_OK;
}

static int step_add(struct sl_halo_history *h, const struct sl_haloes *now,
                    const struct sl_fields *f)
{
    struct sl_halo_step *more = realloc(h->step, (size_t)(h->steps + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "out of memory");
    h->step = more;
    return step_make(now, f, &h->step[h->steps++]);
}

static void note_branches(struct sl_halo_step *step, const struct sl_halo_link *progenitor,
                          const struct sl_halo_link *descendant)
{
    for (int i = 0; i < step->n; i++)
        if (sl_halo_is_main(progenitor, i, descendant))
            step->before[i] = (int32_t)progenitor[i].other;
}

/* The step of `now` is the last one. */
static int match(struct sl_halo_history *h, const struct sl_fields *f, const struct sl_haloes *now,
                 struct sl_tables *tables)
{
    MPI_Comm comm = f->slab->comm;
    struct sl_halo_link *progenitor = NULL, *descendant = NULL;
    int code = sl_alloc("links of haloes", (size_t)now->n, sizeof *progenitor, &progenitor);
    if (code == SL_OK)
        code = sl_alloc("links of haloes", (size_t)h->last.n, sizeof *descendant, &descendant);
    code = sl_agree(comm, code);
    if (code == SL_OK) code = sl_haloes_match(comm, &h->last, now, progenitor, descendant);
    if (code == SL_OK) {
        code = sl_agree(comm, link_tables(h, f, now, progenitor, descendant, tables));
        note_branches(&h->step[h->steps - 1], progenitor, descendant);
    }
    free(progenitor);
    free(descendant);
    return code;
}

int sl_halo_history_add(struct sl_halo_history *h, const struct sl_fields *f, struct sl_haloes *now,
                        struct sl_tables *tables)
{
    SL_TRY(sl_agree(f->slab->comm, step_add(h, now, f)));
    if (h->steps > 1) SL_TRY(match(h, f, now, tables));
    sl_haloes_release(&h->last);
    h->last = *now;
    h->number = f->number;
    h->time = f->time;
    *now = (struct sl_haloes){.n = 0};
    return SL_OK;
}

/* ---- accretion ---- */

enum { SCALE_FACTOR, REDSHIFT, FIRST };
enum { FOLLOWED, LOW, MEDIAN, HIGH, OF_CLASS };
enum { ACCRETION_COLUMNS = FIRST + OF_CLASS * SL_HALO_STACKS };

/* Haloes of the last snapshot on their way back. */
struct walk {
    const struct sl_halo_step *end;
    int32_t *at;  /* owned, [end->n]: its place in the step, -1: its branch has ended */
    double *mass; /* owned, room for a class */
};

/* The class of a halo, by its particles at the end; -1: too few. */
static int class_of(uint64_t particles)
{
    int class = SL_HALO_STACKS - 1;
    while (class >= 0 && (double)particles < sl_halo_stack_least(class))
        class --;
    return class;
}

static int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* A part of n ascending values lies below, between two of them by a straight line; nan where one of
 * these is 0. */
static double percentile(const double *value, int n, double part)
{
    double at = part * (n - 1);
    int low = (int)at, high = low + (at > low);
    if (n == 0 || !(value[low] > 0)) return NAN;
    return value[low] + (at - low) * (value[high] - value[low]);
}

static void fill_class(const struct walk *w, const struct sl_halo_step *step, int class,
                       double *row)
{
    int n = 0, followed = 0;
    for (int i = 0; i < w->end->n; i++) {
        if (class_of(w->end->particles[i]) != class) continue;
        followed += w->at[i] >= 0;
        w->mass[n++] =
            w->at[i] < 0 ? 0 : (double)step->particles[w->at[i]] / (double)w->end->particles[i];
    }
    qsort(w->mass, (size_t)n, sizeof *w->mass, ascending);
    row[FOLLOWED] = followed;
    row[LOW] = percentile(w->mass, n, 0.16);
    row[MEDIAN] = percentile(w->mass, n, 0.5);
    row[HIGH] = percentile(w->mass, n, 0.84);
}

static void step_back(const struct walk *w, const struct sl_halo_step *step)
{
    for (int i = 0; i < w->end->n; i++)
        if (w->at[i] >= 0) w->at[i] = step->before[w->at[i]];
}

static void accretion_columns(struct sl_table *t)
{
    static const char *const of[OF_CLASS] = {"haloes", "p16", "median", "p84"};
    sl_table_column(t, SCALE_FACTOR, "scale_factor", "1");
    sl_table_column(t, REDSHIFT, "redshift", "1");
    for (int k = 0; k < SL_HALO_STACKS; k++)
        for (int i = 0; i < OF_CLASS; i++) {
            char name[SL_TABLE_NAME];
            snprintf(name, sizeof name, "%s_%g", of[i], sl_halo_stack_least(k));
            sl_table_column(t, FIRST + OF_CLASS * k + i, name, "1");
        }
}

static int walk_back(const struct sl_halo_history *h, struct walk *w, struct sl_table *t)
{
    SL_TRY(sl_alloc("branches of haloes", (size_t)w->end->n, sizeof *w->at, &w->at));
    SL_TRY(sl_alloc("masses of haloes", (size_t)w->end->n, sizeof *w->mass, &w->mass));
    for (int i = 0; i < w->end->n; i++)
        w->at[i] = i;
    for (int s = h->steps - 1; s >= 0; s--) {
        double *row = sl_table_at(t, s, 0);
        row[SCALE_FACTOR] = h->step[s].scale_factor;
        row[REDSHIFT] = 1 / h->step[s].scale_factor - 1;
        for (int k = 0; k < SL_HALO_STACKS; k++)
            fill_class(w, &h->step[s], k, row + FIRST + OF_CLASS * k);
        step_back(w, &h->step[s]);
    }
    return SL_OK;
}

int sl_halo_history_table(const struct sl_halo_history *h, struct sl_tables *tables)
{
    struct sl_table *t;
    if (h->steps < 2) return SL_OK;
    struct walk w = {.end = &h->step[h->steps - 1]};
    SL_TRY(sl_tables_add(
        tables, "halo_accretion", h->steps, ACCRETION_COLUMNS, &t,
        "M(z) over M of the last snapshot, of haloes with at least so many particles there and "
        "below the next class, along main branches: those that are followed as far, and 16 %%, "
        "50 %% and 84 %% of all of the class, where one whose branch has ended counts as lighter "
        "than the others; nan: such a one is there"));
    accretion_columns(t);
    int code = walk_back(h, &w, t);
    free(w.at);
    free(w.mass);
    return code;
}

void sl_halo_history_release(struct sl_halo_history *h)
{
    for (int s = 0; s < h->steps; s++) {
        free(h->step[s].before);
        free(h->step[s].particles);
    }
    free(h->step);
    sl_haloes_release(&h->last);
    *h = (struct sl_halo_history){.steps = 0};
}
