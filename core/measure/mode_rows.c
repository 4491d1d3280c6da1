/* mode_rows.c - see mode_rows.h. */
#include "core/measure/mode_rows.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

static int set_planes(struct sl_mode_rows *m, int n, double *const room[])
{
    const struct sl_slab *s = m->slab;
    for (int c = 0; c < n; c++) {
        m->planes[c] = room ? room[c] : sl_alloc_large(sl_slab_cells(s) * sizeof *m->planes[c]);
        m->last[c] = malloc(((size_t)s->nz * (size_t)s->n[1] * 2 + 1) * sizeof *m->last[c]);
        SL_CHECK(m->planes[c] && m->last[c], SL_EMEM,
                 "out of memory for modes of %d x %d x %d cells", s->n[0], s->n[1], s->n[2]);
    }
    return SL_OK;
}

/* Of one row from each rank, or for each. */
static int set_message(struct sl_mode_rows *m)
{
    const struct sl_slab *s = m->slab;
    size_t ranks = (size_t)s->size, doubles = ranks * (size_t)s->nz * m->width;
    if (s->size == 1) return SL_OK;
    SL_CHECK(doubles <= INT_MAX && (size_t)s->n[2] * m->width <= INT_MAX, SL_EMEM,
             "rows of %d x %d modes are too large for messages", s->n[2], s->n[0] / 2 + 1);
    m->message = malloc((doubles + 1) * sizeof *m->message);
    m->count = malloc(4 * ranks * sizeof *m->count);
    SL_CHECK(m->message && m->count, SL_EMEM, "out of memory for messages of modes");
    return SL_OK;
}

int sl_mode_rows_init(const struct sl_slab *s, int n, double *const room[],
                      struct sl_mode_rows *out)
{
    *out = (struct sl_mode_rows){
        .slab = s, .width = 2 * ((size_t)s->n[0] / 2 + 1), .own = room == NULL};
    int code = set_planes(out, n, room);
    if (code == SL_OK) code = set_message(out);
    if (code != SL_OK) sl_mode_rows_release(out);
    return code;
}

void sl_mode_rows_release(struct sl_mode_rows *m)
{
    for (int c = 0; c < SL_MODE_FIELDS; c++) {
        if (m->own) free(m->planes[c]);
        free(m->last[c]);
    }
    free(m->message);
    free(m->count);
    *m = (struct sl_mode_rows){.width = 0};
}

/* ---- lines along x ---- */

static double *inner_line(const struct sl_mode_rows *m, int c, int k, int y)
{
    const struct sl_slab *s = m->slab;
    return m->planes[c] + ((size_t)k * (size_t)s->n[1] + (size_t)y) * (size_t)s->n[0];
}

static double *last_mode(const struct sl_mode_rows *m, int c, int k, int y)
{
    return m->last[c] + 2 * ((size_t)k * (size_t)m->slab->n[1] + (size_t)y);
}

static void put_line(struct sl_mode_rows *m, int c, int k, int y, const double *line)
{
    memcpy(inner_line(m, c, k, y), line, (m->width - 2) * sizeof *line);
    memcpy(last_mode(m, c, k, y), line + m->width - 2, 2 * sizeof *line);
}

static void get_line(const struct sl_mode_rows *m, int c, int k, int y, double *line)
{
    memcpy(line, inner_line(m, c, k, y), (m->width - 2) * sizeof *line);
    memcpy(line + m->width - 2, last_mode(m, c, k, y), 2 * sizeof *line);
}

void sl_mode_rows_put_plane(struct sl_mode_rows *m, int c, int k, const double *plane)
{
    for (int y = 0; y < m->slab->n[1]; y++)
        put_line(m, c, k, y, plane + (size_t)y * m->width);
}

void sl_mode_rows_get_plane(const struct sl_mode_rows *m, int c, int k, double *plane)
{
    for (int y = 0; y < m->slab->n[1]; y++)
        get_line(m, c, k, y, plane + (size_t)y * m->width);
}

/* ---- rows ---- */

/* Doubles between this rank's planes and row y of others, and between its row and their planes:
 * [4][ranks]. */
static void count_doubles(const struct sl_mode_rows *m, int y)
{
    const struct sl_slab *s = m->slab;
    int ranks = s->size, width = (int)m->width;
    int *theirs = m->count, *at_theirs = theirs + ranks, *mine = theirs + 2 * ranks,
        *at_mine = theirs + 3 * ranks;
    for (int r = 0; r < ranks; r++) {
        int z0 = sl_slab_first(s->n[2], r, ranks), z1 = sl_slab_first(s->n[2], r + 1, ranks),
            y0 = sl_slab_first(s->n[1], r, ranks), y1 = sl_slab_first(s->n[1], r + 1, ranks);
        theirs[r] = r != s->rank && y < y1 - y0 ? s->nz * width : 0;
        mine[r] = r != s->rank && y < s->ny ? (z1 - z0) * width : 0;
        at_theirs[r] = r * s->nz * width;
        at_mine[r] = z0 * width;
    }
}

void sl_mode_rows_get(const struct sl_mode_rows *m, int c, int y, double *row)
{
    const struct sl_slab *s = m->slab;
    for (int k = 0; k < s->nz && y < s->ny; k++)
        get_line(m, c, k, s->y0 + y, row + (size_t)(s->z0 + k) * m->width);
    if (s->size == 1) return;
    count_doubles(m, y);
    for (int r = 0; r < s->size; r++)
        for (int k = 0; k < s->nz && m->count[r] > 0; k++)
            get_line(m, c, k, sl_slab_first(s->n[1], r, s->size) + y,
                     m->message + m->count[s->size + r] + (size_t)k * m->width);
    MPI_Alltoallv(m->message, m->count, m->count + s->size, MPI_DOUBLE, row, m->count + 2 * s->size,
                  m->count + 3 * s->size, MPI_DOUBLE, s->comm);
}

void sl_mode_rows_put(struct sl_mode_rows *m, int c, int y, const double *row)
{
    const struct sl_slab *s = m->slab;
    for (int k = 0; k < s->nz && y < s->ny; k++)
        put_line(m, c, k, s->y0 + y, row + (size_t)(s->z0 + k) * m->width);
    if (s->size == 1) return;
    count_doubles(m, y);
    MPI_Alltoallv(row, m->count + 2 * s->size, m->count + 3 * s->size, MPI_DOUBLE, m->message,
                  m->count, m->count + s->size, MPI_DOUBLE, s->comm);
    for (int r = 0; r < s->size; r++)
        for (int k = 0; k < s->nz && m->count[r] > 0; k++)
            put_line(m, c, k, sl_slab_first(s->n[1], r, s->size) + y,
                     m->message + m->count[s->size + r] + (size_t)k * m->width);
}
