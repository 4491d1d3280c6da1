/* vtkhdf.c - see vtkhdf.h. */
#include "core/io/vtkhdf.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/io/h5.h"
#include "core/sys/status.h"

enum { SIDES = 6 };

/* A level of the view: leaves, and single cells of covered blocks. */
struct view {
    int level;
    const struct sl_flash_level *rows;
    int nextra;
    struct extra {
        int64_t row;
        int cell[3]; /* of the block */
    } extra[SIDES];
};

/* ---- how far levels reach ------------------------------------------------------------------- */

/* The side of a block along an axis in cells of a coarser level, which counts upper sides
 * outwards. */
static int64_t side_of(const struct sl_flash *s, const struct sl_flash_block *b, int axis,
                       int upper, int level)
{
    int64_t n = s->state->mesh->n[axis];
    if (axis >= s->state->mesh->dim) return upper;
    return upper ? ((b->at[axis] + 1) * n - 1) >> (b->level - level)
                 : b->at[axis] * n >> (b->level - level);
}

/* The leaf of levels first .. last that reaches farthest; NULL: there is none. */
static const struct sl_flash_block *farthest(const struct sl_flash *s, int first, int last,
                                             int axis, int upper, int level)
{
    const struct sl_flash_block *best = NULL;
    for (int l = first; l <= last; l++)
        for (int64_t b = s->level[l].first; b < s->level[l].first + s->level[l].nleaf; b++) {
            int64_t here = side_of(s, &s->block[b], axis, upper, level);
            int64_t most = best ? side_of(s, best, axis, upper, level) : 0;
            if (!best || (upper ? here > most : here < most)) best = &s->block[b];
        }
    return best;
}

/* The cell of a level at that side of a leaf of a finer one. */
static int add_cell(const struct sl_flash *s, struct view *v, const struct sl_flash_block *leaf,
                    int axis, int upper)
{
    const int *n = s->state->mesh->n;
    int64_t first = v->rows->first + v->rows->nleaf, cell[3];
    struct extra *e = &v->extra[v->nextra++];
    for (int a = 0; a < 3; a++) {
        cell[a] = side_of(s, leaf, a, a == axis && upper, v->level);
        e->cell[a] = a < s->state->mesh->dim ? (int)(cell[a] % n[a]) : 0;
    }
    for (e->row = first; e->row < first + v->rows->ncovered; e->row++) {
        const int64_t *at = s->block[e->row].at;
        bool same = true;
        for (int a = 0; a < s->state->mesh->dim; a++)
            same = same && at[a] == cell[a] / n[a];
        if (same) return SL_OK;
    }
    return SL_FAIL(SL_EINPUT, "a block of level %d has no parent", leaf->level);
}

static int reach(const struct sl_flash *s, struct view *v)
{
    for (int side = 0; side < 2 * s->state->mesh->dim; side++) {
        int axis = side / 2, upper = side % 2, l = v->level;
        const struct sl_flash_block *own = farthest(s, l, l, axis, upper, l);
        const struct sl_flash_block *finer = farthest(s, l + 1, s->nlevel - 1, axis, upper, l);
        if (!finer) continue;
        int64_t a = side_of(s, own, axis, upper, l), b = side_of(s, finer, axis, upper, l);
        if (upper ? b > a : b < a) SL_TRY(add_cell(s, v, finer, axis, upper));
    }
    return SL_OK;
}

/* ---- a level -------------------------------------------------------------------------------- */

static hsize_t cells_of(const struct sl_flash *s)
{
    return (hsize_t)sl_field_cells(s->state->mesh);
}

/* Where the values of the leaves, and of the i-th extra cell, are. */
static void map_leaves(hid_t dcpl, const struct sl_flash *s, const struct view *v,
                       const char *source, hid_t to, hid_t from)
{
    const int *n = s->state->mesh->n;
    const hsize_t start[4] = {(hsize_t)v->rows->first, 0, 0, 0}, zero = 0;
    const hsize_t count[4] = {(hsize_t)v->rows->nleaf, (hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0]};
    const hsize_t flat = count[0] * cells_of(s);
    if (v->rows->nleaf < s->nblock)
        H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL);
    if (v->nextra > 0) H5Sselect_hyperslab(to, H5S_SELECT_SET, &zero, NULL, &flat, NULL);
    H5Pset_virtual(dcpl, to, ".", source, from);
}

static void map_extra(hid_t dcpl, const struct sl_flash *s, const struct view *v, int i,
                      const char *source, hid_t to, hid_t from)
{
    const struct extra *e = &v->extra[i];
    const hsize_t start[4] = {(hsize_t)e->row, (hsize_t)e->cell[2], (hsize_t)e->cell[1],
                              (hsize_t)e->cell[0]};
    const hsize_t one[4] = {1, 1, 1, 1};
    const hsize_t place = (hsize_t)v->rows->nleaf * cells_of(s) + (hsize_t)i;
    H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, one, NULL);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, &place, NULL, one, NULL);
    H5Pset_virtual(dcpl, to, ".", source, from);
}

static int put_field(hid_t cells, const struct sl_flash *s, const struct view *v, int f)
{
    const int *n = s->state->mesh->n;
    const hsize_t shape[4] = {(hsize_t)s->nblock, (hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0]};
    const hsize_t flat = (hsize_t)v->rows->nleaf * cells_of(s) + (hsize_t)v->nextra;
    const double lost = NAN; /* a source that is gone must show */
    struct sl_field_about about = sl_field_about(sl_field_at(s->state, f));
    char source[8];
    snprintf(source, sizeof source, "/%s", about.name);
    hid_t from = H5Screate_simple(4, shape, NULL), to = H5Screate_simple(1, &flat, NULL);
    hid_t dcpl = sl_h5_dataset();
    H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &lost);
    map_leaves(dcpl, s, v, source, to, from);
    for (int i = 0; i < v->nextra; i++)
        map_extra(dcpl, s, v, i, source, to, from);
    H5Sselect_all(to);
    hid_t set = H5Dcreate2(cells, *about.yt ? about.yt : about.name, sl_flash_type(s), to,
                           H5P_DEFAULT, dcpl, H5P_DEFAULT);
    herr_t rc = set < 0 ? -1 : H5Dclose(set);
    H5Pclose(dcpl);
    H5Sclose(from);
    H5Sclose(to);
    SL_CHECK(rc >= 0, SL_EIO, "cannot make the VTKHDF view of %s", about.name);
    return SL_OK;
}

static int put_boxes(hid_t group, const struct sl_flash *s, const struct view *v)
{
    const hsize_t shape[2] = {(hsize_t)(v->rows->nleaf + v->nextra), 6};
    int(*box)[6] = malloc((size_t)shape[0] * sizeof *box);
    SL_CHECK(box, SL_EMEM, "no memory for the boxes of %" PRIu64 " blocks", (uint64_t)shape[0]);
    for (int64_t b = 0; b < (int64_t)shape[0]; b++) {
        const struct extra *e = b < v->rows->nleaf ? NULL : &v->extra[b - v->rows->nleaf];
        const int64_t *at = s->block[e ? e->row : v->rows->first + b].at;
        for (int a = 0; a < 3; a++) {
            int n = s->state->mesh->n[a], lo = (int)at[a] * n + (e ? e->cell[a] : 0);
            box[b][2 * a] = lo;
            box[b][2 * a + 1] = lo + (e ? 0 : n - 1);
        }
    }
    int code = sl_h5_put_array(group, "AMRBox", H5T_NATIVE_INT, 2, shape, box);
    free(box);
    return code;
}

static int put_level(hid_t group, const struct sl_flash *s, const struct view *v)
{
    const struct sl_mesh_spec *spec = &s->state->mesh->spec;
    double spacing[3] = {1, 1, 1};
    for (int a = 0; a < spec->dim; a++)
        spacing[a] = ldexp((spec->hi[a] - spec->lo[a]) / spec->cells[a] * s->length, -v->level);
    SL_TRY(sl_h5_put_reals(group, "Spacing", 3, spacing));
    SL_TRY(put_boxes(group, s, v));
    H5Gclose(sl_h5_group(group, "PointData"));
    H5Gclose(sl_h5_group(group, "FieldData"));
    hid_t cells = sl_h5_group(group, "CellData");
    int code = SL_OK;
    for (int f = 0; f < s->nfield && code == SL_OK; f++)
        code = put_field(cells, s, v, f);
    H5Gclose(cells);
    return code;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static int put_levels(hid_t group, const struct sl_flash *s)
{
    int code = SL_OK;
    for (int l = 0, n = 0; l < s->nlevel && code == SL_OK; l++) {
        struct view v = {.level = l, .rows = &s->level[l]};
        char name[32];
        if (v.rows->nleaf == 0) continue;
        SL_TRY(reach(s, &v));
        snprintf(name, sizeof name, "Level%d", n++);
        hid_t level = sl_h5_group(group, name);
        code = put_level(level, s, &v);
        H5Gclose(level);
    }
    return code;
}

int sl_vtkhdf_make(hid_t file, const struct sl_flash *s)
{
    const struct sl_mesh_spec *spec = &s->state->mesh->spec;
    const int64_t version[2] = {1, 0};
    double origin[3] = {0, 0, 0};
    for (int a = 0; a < spec->dim; a++)
        origin[a] = spec->lo[a] * s->length;
    hid_t group = sl_h5_group(file, "VTKHDF");
    int code = sl_h5_put_ints(group, "Version", 2, version);
    if (code == SL_OK) code = sl_h5_put_text(group, "Type", "OverlappingAMR");
    if (code == SL_OK) code = sl_h5_put_text(group, "GridDescription", "XYZ");
    if (code == SL_OK) code = sl_h5_put_reals(group, "Origin", 3, origin);
    if (code == SL_OK) code = put_levels(group, s);
    H5Gclose(group);
    return code;
}
