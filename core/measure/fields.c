/* fields.c - see fields.h. */
#include "core/measure/fields.h"

#include <math.h>
#include <stdio.h>

#include "core/sys/status.h"

void sl_fields_note(const struct sl_fields *f, struct sl_table *t)
{
    sl_table_note(t, "time", f->time);
    if (!(f->scale_factor > 0)) return;
    sl_table_note(t, "redshift", 1 / f->scale_factor - 1);
    sl_table_note(t, "scale_factor", f->scale_factor);
    if (isfinite(f->redshift_around)) sl_table_note(t, "redshift_around", f->redshift_around);
}

int sl_fields_table(const struct sl_fields *f, struct sl_tables *tables, const char *kind, int nrow,
                    int ncol, struct sl_table **t, const char *about)
{
    char name[SL_TABLE_NAME];
    snprintf(name, sizeof name, "%.48s_%04d", kind, f->number);
    SL_TRY(sl_tables_add(tables, name, nrow, ncol, t, "%s", about));
    sl_fields_note(f, *t);
    return SL_OK;
}
