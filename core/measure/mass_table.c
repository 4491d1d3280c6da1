/* mass_table.c - see mass_table.h. */
#include "core/measure/mass_table.h"

#include <math.h>

#include "core/cosmo/mass_function.h"
#include "core/measure/linear.h"
#include "core/sys/status.h"

enum { MASS, CLUMPS, FOUND, THEORY, COLUMNS = THEORY + SL_MASS_FUNCTIONS };

static void columns(struct sl_table *t)
{
    static const char *const name[COLUMNS] = {"mass", "clumps", "dn_dlnm",
#define NAME(name, title) #name,
                                              SL_MASS_FUNCTION_LIST(NAME)
#undef NAME
    };
    for (int i = 0; i < COLUMNS; i++)
        sl_table_column(t, i, name[i], i == MASS ? "Msun/h" : i == CLUMPS ? "1" : "(h/Mpc)^3");
}

static double volume_of(const struct sl_slab *s)
{
    return s->length[0] * s->length[1] * s->length[2];
}

static double middle(const struct sl_mass_counts *m, int bin)
{
    return m->first + (bin + 0.5) * m->width;
}

/* The first bin that is heavier than a cell of mean density. */
static int first_bin(const struct sl_slab *s, const struct sl_mass_counts *m)
{
    double cell = -log10((double)s->n[0] * s->n[1] * s->n[2]);
    int bin = 0;
    while (bin < m->bins - 1 && middle(m, bin) < cell)
        bin++;
    return bin;
}

static void fill(const struct sl_fields *f, const struct sl_mass_counts *m, int bin, double *row)
{
    struct sl_linear *l = f->linear;
    double volume = volume_of(f->slab), whole = sl_mass_of_volume(&l->u.c, volume);
    struct sl_mass_variance v = sl_linear_variance(l, whole * pow(10, middle(m, bin)));
    double growth = sl_linear_growth(l, f->scale_factor), z = 1 / f->scale_factor - 1;
    row[MASS] = v.mass;
    row[CLUMPS] = m->count[bin];
    row[FOUND] = m->count[bin] / (volume * m->width * log(10));
    for (int k = 0; k < SL_MASS_FUNCTIONS; k++)
        row[THEORY + k] = sl_mass_function((enum sl_mass_function)k, &l->u.c, &v, growth, z);
}

int sl_mass_table(const struct sl_fields *f, const struct sl_mass_counts *masses,
                  struct sl_tables *tables)
{
    struct sl_table *t;
    int first = first_bin(f->slab, masses);
    SL_TRY(sl_fields_table(f, tables, "mass_function", masses->bins - first, COLUMNS, &t,
                           "clumps over their mass, which is their share of the gas times all "
                           "matter of the box (middle of bins of 0.25 in log10), and dn/dlnM of "
                           "them, of Press and Schechter (1974), Sheth and Tormen (1999), Tinker "
                           "et al. (2008; 200 times the mean)"));
    columns(t);
    for (int bin = first; bin < masses->bins; bin++)
        fill(f, masses, bin, sl_table_at(t, bin - first, 0));
    return SL_OK;
}
