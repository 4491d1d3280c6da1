/* multipoles.c - see multipoles.h. */
#include "core/measure/multipoles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/measure/deposit.h"
#include "core/measure/linear.h"
#include "core/measure/places.h"
#include "core/measure/spectrum.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { K, MODES, POLE, THEORY = POLE + 3, COLUMNS = THEORY + 3 };

struct multipoles {
    const struct sl_config *cfg;
    const struct sl_fields *f;
    double *contrast, *room, *moved; /* borrowed, borrowed, owned; moved NULL: not interlaced */
    double *parseval;
    int rows;
    double *value; /* owned; [rows][COLUMNS] */
};

/* Adds the way that redshift moves particles along an axis; back: takes it away again. */
static int shift(const struct multipoles *m, int axis, bool back, struct sl_places *p)
{
    const struct sl_fields *f = m->f;
    double a = f->scale_factor, rate = a * a * sl_cosmology_rate(&f->linear->u.c, a);
    double part = (back ? -1 : 1) / (rate * f->slab->length[axis]);
    return sl_places_shift(p, axis, part);
}

static int deposit(const struct multipoles *m, const struct sl_places *p, double *contrast)
{
    double number;
    return sl_deposit_make(m->f->slab, 1 + (int)m->cfg->statistics_deposit, p->n,
                           (const double *const *)p->x, contrast, &number);
}

/* All particles, by so much of a cell along every axis. */
static int move(const struct multipoles *m, double cells, struct sl_places *p)
{
    for (int d = 0; d < 3; d++)
        SL_TRY(sl_places_move(p, d, cells / m->f->slab->n[d]));
    return SL_OK;
}

static int set_contrast(const struct multipoles *m, struct sl_places *p)
{
    SL_TRY(deposit(m, p, m->contrast));
    if (!m->moved) return SL_OK;
    SL_TRY(move(m, 0.5, p));
    SL_TRY(deposit(m, p, m->moved));
    SL_TRY(move(m, -0.5, p));
    return sl_spectrum_interlace(m->f->slab, m->contrast, m->moved);
}

/* A third of column `from` of the shells, times `factor` over their modes. */
static void add(const struct multipoles *m, const struct sl_shells *p, int from, int to,
                double factor)
{
    for (int i = 0; i < m->rows; i++)
        m->value[i * COLUMNS + to] += factor * sl_spectrum_at(p, i + 1, from) /
                                      sl_spectrum_at(p, i + 1, SL_SPECTRUM_MODES) / 3;
}

static void take(const struct multipoles *m, const struct sl_shells *p)
{
    const double *length = m->f->slab->length;
    double unit = 2 * acos(-1) / fmax(length[0], fmax(length[1], length[2]));
    for (int i = 0; i < m->rows; i++) {
        m->value[i * COLUMNS + K] = unit * sl_spectrum_at(p, i + 1, SL_SPECTRUM_K);
        m->value[i * COLUMNS + MODES] = sl_spectrum_at(p, i + 1, SL_SPECTRUM_MODES);
    }
    *m->parseval = fmax(*m->parseval, p->parseval);
}

/* What is seen along an axis. */
static int look(const struct multipoles *m, int axis)
{
    const double *length = m->f->slab->length;
    double volume = length[0] * length[1] * length[2];
    struct sl_windowed a = {m->contrast, 1 + (int)m->cfg->statistics_deposit, m->moved != NULL};
    double *const room[2] = {m->room, NULL}, *const last[1] = {m->contrast};
    struct sl_shells p;
    SL_TRY(sl_spectrum_pair(m->f->slab, &a, &a, NULL, room, &p));
    take(m, &p);
    add(m, &p, SL_PAIR_CORRECTED, POLE, volume);
    sl_spectrum_release(&p);
    SL_TRY(sl_spectrum_multipoles(m->f->slab, &a, axis, last, &p));
    add(m, &p, SL_POLE_2, POLE + 1, volume);
    add(m, &p, SL_POLE_4, POLE + 2, volume);
    sl_spectrum_release(&p);
    return SL_OK;
}

/* Kaiser's multipoles of the linear power; NaN where the input is not known. */
static void set_theory(const struct multipoles *m, const struct sl_table *matter)
{
    int input = matter ? sl_table_find(matter, "input") : -1;
    double f = sl_growth_at(&m->f->linear->u.c, m->f->scale_factor).f1;
    const double part[3] = {1 + 2 * f / 3 + f * f / 5, 4 * f / 3 + 4 * f * f / 7, 8 * f * f / 35};
    for (int i = 0; i < m->rows; i++)
        for (int l = 0; l < 3; l++)
            m->value[i * COLUMNS + THEORY + l] =
                input >= 0 ? part[l] * *sl_table_at(matter, i, input) : (double)NAN;
}

static const struct sl_table *matter_of(const struct multipoles *m, const struct sl_tables *tables)
{
    char name[SL_TABLE_NAME];
    snprintf(name, sizeof name, "matter_particles_%04d", m->f->number);
    for (int i = 0; i < tables->n; i++)
        if (!strcmp(tables->table[i].name, name)) return &tables->table[i];
    return NULL;
}

static int make_table(const struct multipoles *m, struct sl_tables *tables)
{
    static const char *const name[COLUMNS] = {
        "k", "modes", "monopole", "quadrupole", "hexadecapole", "theory_0", "theory_2", "theory_4"};
    struct sl_table *t;
    set_theory(m, matter_of(m, tables));
    SL_TRY(sl_fields_table(m->f, tables, "multipoles_particles", m->rows, COLUMNS, &t,
                           "multipoles of P(k, mu) of the particles in redshift space, mean of "
                           "three lines of sight, each mode over the window of the deposit; "
                           "theory: those of the input, grown, by Kaiser (1987)"));
    for (int c = 0; c < COLUMNS; c++)
        sl_table_column(t, c, name[c], c == K ? "h/Mpc" : c == MODES ? "1" : "(Mpc/h)^3");
    memcpy(t->value, m->value, (size_t)m->rows * COLUMNS * sizeof *t->value);
    sl_table_note(t, "growth_rate", sl_growth_at(&m->f->linear->u.c, m->f->scale_factor).f1);
    return SL_OK;
}

static int measure(const struct multipoles *m, struct sl_places *p)
{
    for (int axis = 0; axis < 3; axis++) {
        SL_TRY(shift(m, axis, false, p));
        SL_TRY(set_contrast(m, p));
        SL_TRY(look(m, axis));
        SL_TRY(shift(m, axis, true, p));
    }
    return SL_OK;
}

static int make_room(struct multipoles *m)
{
    SL_TRY(sl_alloc("multipoles", (size_t)m->rows * COLUMNS, sizeof *m->value, &m->value));
    if (!m->cfg->statistics_interlace) return SL_OK;
    return sl_alloc("a density half a cell off", sl_slab_cells(m->f->slab) + 1, sizeof *m->moved,
                    &m->moved);
}

int sl_multipoles_measure(const struct sl_config *cfg, const struct sl_fields *f,
                          double *const work[2], struct sl_tables *tables, double *parseval)
{
    struct multipoles m = {.cfg = cfg,
                           .f = f,
                           .contrast = work[0],
                           .room = work[1],
                           .parseval = parseval,
                           .rows = sl_spectrum_shells(f->slab) - 1};
    struct sl_places p = {0};
    int code = sl_agree(f->slab->comm, make_room(&m));
    if (code == SL_OK) code = sl_places_of_particles(cfg, f->slab, f->particles, true, &p);
    if (code == SL_OK) code = measure(&m, &p);
    if (code == SL_OK) code = sl_agree(f->slab->comm, make_table(&m, tables));
    sl_places_release(&p);
    free(m.value);
    free(m.moved);
    return code;
}
