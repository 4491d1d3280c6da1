/* spectrum_table.c - see spectrum_table.h. */
#include "core/ic/spectrum_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cosmo/columns.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

static int take_rows(const struct sl_columns *c, struct sl_table_spectrum *out)
{
    SL_CHECK(c->ncol == 2, SL_EINPUT, "%s:%d: two numbers expected, k and E(k)", c->path,
             c->line[0]);
    SL_CHECK(c->nrow >= 2, SL_EINPUT, "%s: at least two points are needed, %d found", c->path,
             c->nrow);
    for (int i = 0; i < c->nrow; i++) {
        double k = out->k[i] = sl_columns_at(c, i, 0), e = out->e[i] = sl_columns_at(c, i, 1);
        SL_CHECK(k > 0 && e > 0, SL_EINPUT, "%s:%d: k and E(k) must be positive", c->path,
                 c->line[i]);
        SL_CHECK(i == 0 || k > out->k[i - 1], SL_EINPUT, "%s:%d: k must increase from line to line",
                 c->path, c->line[i]);
    }
    return SL_OK;
}

static int make(const struct sl_columns *c, struct sl_table_spectrum *out)
{
    size_t n = (size_t)c->nrow * sizeof(double);
    struct sl_table_spectrum table = {c->nrow, malloc(n), malloc(n)};
    int code = table.k && table.e ? take_rows(c, &table) : SL_FAIL(SL_EMEM, "out of memory");
    if (code != SL_OK) sl_table_spectrum_release(&table);
    *out = table;
    return code;
}

int sl_table_spectrum_read(const char *path, struct sl_table_spectrum *out)
{
    struct sl_columns c;
    char *bytes;
    size_t n;
    SL_CHECK(access(path, R_OK) == 0, sl_file_status(errno),
             "cannot read the table of the spectrum %s: %s", path, strerror(errno));
    SL_TRY(sl_file_read(path, SL_COLUMNS_BYTES, &bytes, &n));
    int code = sl_columns_parse(path, bytes, n, &c);
    free(bytes);
    SL_TRY(code);
    code = make(&c, out);
    sl_columns_release(&c);
    return code;
}

void sl_table_spectrum_release(struct sl_table_spectrum *table)
{
    free(table->k);
    free(table->e);
    *table = (struct sl_table_spectrum){0, NULL, NULL};
}

int sl_table_spectrum_covers(const struct sl_table_spectrum *table, double kmin, double kmax)
{
    double first = table->k[0], last = table->k[table->n - 1];
    SL_CHECK(first <= fmax(kmin, 1) && last >= kmax, SL_EINPUT,
             "the table of the spectrum covers k = %g .. %g, but turbulence.kmin .. "
             "turbulence.kmax is %g .. %g",
             first, last, kmin, kmax);
    return SL_OK;
}
