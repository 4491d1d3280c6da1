/* energies.c - see energies.h. */
#include "core/stats/energies.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/sys/status.h"

static const struct {
    const char *name, *unit;
} kinds[SL_PARTED] = {{"velocity", "code velocity^2"},
                      {"kinetic", "code energy / code volume"},
                      {"magnetic", "code energy / code volume"}};
static const char *const ends[] = {"", "_solenoidal", "_compressive"};

int sl_energies_add(struct sl_energies *e, double time, double time_unit,
                    const struct sl_measured *m)
{
    struct sl_energies_row *more = realloc(e->row, ((size_t)e->n + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "out of memory");
    e->row = more;
    struct sl_energies_row *r = &e->row[e->n++];
    *r = (struct sl_energies_row){.time = time, .time_unit = time_unit};
    for (int i = 0; i < SL_PARTED; i++)
        r->part[i] = m->part[i];
    return SL_OK;
}

static bool measured(const struct sl_energies *e, int kind)
{
    return e->n > 0 && e->row[0].part[kind].measured;
}

/* A field has no compressive part that means anything: its whole alone. */
static int columns_of(int kind)
{
    return kind == SL_PARTED_magnetic ? 1 : 3;
}

static void fill(const struct sl_energies *e, int kind, int column, struct sl_table *t)
{
    for (int c = 0; c < columns_of(kind); c++) {
        char name[SL_TABLE_NAME];
        snprintf(name, sizeof name, "%s%s", kinds[kind].name, ends[c]);
        sl_table_column(t, column + c, name, kinds[kind].unit);
        for (int r = 0; r < e->n; r++) {
            const struct sl_parts *p = &e->row[r].part[kind];
            const double value[] = {p->whole, p->solenoidal, p->compressive};
            *sl_table_at(t, r, column + c) = value[c];
        }
    }
}

int sl_energies_table(const struct sl_energies *e, struct sl_tables *tables)
{
    int columns = 2;
    struct sl_table *t;
    for (int i = 0; i < SL_PARTED; i++)
        columns += measured(e, i) ? columns_of(i) : 0;
    if (columns == 2) return SL_OK;
    SL_TRY(sl_tables_add(
        tables, "energies", e->n, columns, &t,
        "means over the volume at each snapshot: kinetic, 1/2 rho v^2, with the "
        "solenoidal and compressive parts of sqrt(rho) v; velocity, 1/2 v^2, with those "
        "of v; magnetic, 1/2 B^2; the parts are those of the modes with k > 0"));
    sl_table_column(t, 0, "time_unit", "time.unit of the recipe");
    sl_table_column(t, 1, "time", "code time");
    for (int r = 0; r < e->n; r++) {
        *sl_table_at(t, r, 0) = e->row[r].time_unit;
        *sl_table_at(t, r, 1) = e->row[r].time;
    }
    for (int i = 0, column = 2; i < SL_PARTED; i++)
        if (measured(e, i)) {
            fill(e, i, column, t);
            column += columns_of(i);
        }
    return SL_OK;
}

void sl_energies_release(struct sl_energies *e)
{
    free(e->row);
    *e = (struct sl_energies){0};
}
