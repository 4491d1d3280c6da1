/* field_planes.c - see field_planes.h. */
#include "core/io/field_planes.h"

#include <stdlib.h>
#include <string.h>

#include "core/grid/pencil.h"
#include "core/grid/planes.h"
#include "core/io/field_cells.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { FIELDS = SL_CELL_MAGNETIC }; /* that are put */

/* Fields on their way from planes to boxes of cells, which are blocks, or what covers blocks. */
struct way {
    const struct sl_mesh *mesh; /* borrowed; its blocks have the cells of the boxes */
    bool single;
    struct sl_pencil pencil;
    struct sl_planes *planes; /* owned; NULL: before the first field */
    double *value;            /* owned; [nblock][FIELDS][n2][n1][n0] */
    /* of the field that comes */
    int field;
    const double *from; /* borrowed */
};

struct sl_field_planes {
    struct sl_state *state; /* borrowed */
    double magnetic[3];
    bool single;
    int level;
    struct way way;       /* of level 0 */
    struct sl_slab slab;  /* else: of the planes */
    double *kept[FIELDS]; /* owned; NULL: before they came */
};

int sl_field_planes_new(struct sl_state *state, const double magnetic[3], bool single, int level,
                        struct sl_field_planes **out)
{
    struct sl_field_planes *p = NULL;
    int code = sl_alloc("fields of the start", 1, sizeof *p, &p);
    SL_TRY(sl_agree(state->mesh->comm, code));
    *p = (struct sl_field_planes){.state = state, .single = single, .level = level};
    memcpy(p->magnetic, magnetic, sizeof p->magnetic);
    *out = p;
    return SL_OK;
}

static void close_way(struct way *w)
{
    sl_planes_free(w->planes);
    free(w->value);
    w->planes = NULL;
    w->value = NULL;
}

void sl_field_planes_free(struct sl_field_planes *p)
{
    if (!p) return;
    close_way(&p->way);
    for (int i = 0; i < FIELDS; i++)
        free(p->kept[i]);
    free(p);
}

/* Cells of a block, without those around it. */
static size_t block_cells(const struct sl_mesh *m)
{
    return (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
}

static int open_way(struct way *w, const struct sl_mesh *m, bool single, const struct sl_slab *slab)
{
    size_t numbers = (size_t)m->nblock * FIELDS * block_cells(m);
    w->mesh = m;
    w->single = single;
    int code = sl_alloc("fields of the start", numbers, sizeof *w->value, &w->value);
    SL_TRY(sl_agree(m->comm, code));
    sl_pencil_of_slab(slab, &w->pencil);
    return sl_planes_new_around(m, &w->pencil, 0, sizeof(double), &w->planes);
}

static void give_row(void *context, int k, int j, int i, int n, void *row)
{
    const struct way *w = context;
    const int *size = w->pencil.n;
    const double *from = w->from + ((size_t)k * (size_t)size[1] + (size_t)j) * (size_t)size[0] + i;
    double *to = row;
    for (int x = 0; x < n; x++)
        to[x] = w->single ? (double)(float)from[x] : from[x];
}

static double *field_of(const struct way *w, int block, int field)
{
    return w->value + ((size_t)block * FIELDS + (size_t)field) * block_cells(w->mesh);
}

static void take_row(void *context, int block, int k, int j, void *row)
{
    const struct way *w = context;
    const int *n = w->mesh->n;
    double *to =
        field_of(w, block, w->field) + ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0];
    memcpy(to, row, (size_t)n[0] * sizeof *to);
}

static int go(struct way *w, MPI_Comm comm, int field, const double *from)
{
    w->field = field;
    w->from = from;
    return sl_agree(comm, sl_planes_spread(w->planes, give_row, take_row, w));
}

static int keep(struct sl_field_planes *p, const struct sl_slab *slab, int field,
                const double *from)
{
    size_t n = sl_slab_cells(slab);
    double **to = &p->kept[field];
    free(*to);
    *to = NULL;
    p->slab = *slab;
    SL_TRY(sl_agree(slab->comm, sl_alloc("fields of the start", n, sizeof **to, to)));
    memcpy(*to, from, n * sizeof **to);
    return SL_OK;
}

int sl_field_planes_put(struct sl_field_planes *p, const struct sl_slab *slab, const char *name,
                        const double *value)
{
    int field = 0;
    while (field < FIELDS && strcmp(name, sl_field_cells_name(field)) != 0)
        field++;
    if (field == FIELDS) return SL_OK;
    if (p->level > 0) return keep(p, slab, field, value);
    if (!p->way.planes) SL_TRY(open_way(&p->way, p->state->mesh, p->single, slab));
    return go(&p->way, slab->comm, field, value);
}

/* value: room for the fields of a box, which has so many cells along each axis for one of the
 * block. */
static void fill_block(const struct sl_field_planes *p, const struct way *w,
                       const struct sl_state *state, int b, double *value)
{
    const struct sl_mesh *m = w->mesh;
    struct sl_field_cells c = {.fill = {1, 1, 1}, .cells = block_cells(m), .keep_heat = true};
    for (int d = 0; d < 3; d++) {
        c.n[d] = m->n[d];
        c.ratio[d] = m->n[d] / state->mesh->n[d];
    }
    memcpy(value, field_of(w, b, 0), FIELDS * c.cells * sizeof *value);
    for (size_t i = 0; i < 3 * c.cells; i++)
        value[SL_CELL_MAGNETIC * c.cells + i] = p->magnetic[i / c.cells];
    sl_field_cells_set(&c, value, state, b);
}

static int fill_blocks(const struct sl_field_planes *p, const struct way *w,
                       const struct sl_state *state)
{
    const struct sl_mesh *m = w->mesh;
    double *value = NULL;
    int code =
        sl_alloc("fields of a block", SL_CELL_SCALAR * block_cells(m), sizeof *value, &value);
    for (int b = 0; b < m->nblock && code == SL_OK; b++)
        fill_block(p, w, state, b, value);
    free(value);
    return sl_agree(m->comm, code);
}

int sl_field_planes_fill(struct sl_field_planes *p)
{
    if (p->level > 0) return SL_OK;
    int code = fill_blocks(p, &p->way, p->state);
    close_way(&p->way);
    return code;
}

int sl_field_planes_level(const struct sl_field_planes *p, const struct sl_state *state)
{
    struct sl_mesh boxes = *state->mesh; /* of cells of the grid */
    struct way way = {.planes = NULL};
    for (int d = 0; d < 3; d++)
        boxes.n[d] <<= p->level - state->mesh->level;
    int code = open_way(&way, &boxes, p->single, &p->slab);
    for (int i = 0; i < FIELDS && code == SL_OK; i++)
        code = go(&way, p->slab.comm, i, p->kept[i]);
    if (code == SL_OK) code = fill_blocks(p, &way, state);
    close_way(&way);
    return code;
}
