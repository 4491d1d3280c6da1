/* poisson.c - see poisson.h.
 *
 * Rows have 2 (n0 / 2 + 1) doubles, so that they are transformed in place. Own rows lie between two
 * planes of the neighbours, modes in rows of the same length, of which a rank may have a range: so
 * all batches of lines have the distances and the alignment that FFTW planned for. Without other
 * ranks in the own planes their rows are transformed along y where they are.
 *
 * Of an isolated density the arrays are those of twice the cells along x and y, and of two planes
 * more along z, whose lines alone are made longer one batch after the other: rows and planes behind
 * the cells hold the potential in the layer around them. Rows that no density reaches and whose
 * potential nobody reads are not transformed.
 *
 * With screening charges the arrays have two cells more along each axis, for that layer: the last
 * ones are those before the first. Sines of cells are odd beyond the sides; modes are real, and two
 * of them take the place of a complex one in all batches. What values at the sides add to the modes
 * is known without a transform of the box: so the modes are kept, and go back twice.
 */
#include "core/gravity/poisson.h"

#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/gravity/lattice_green.h"
#include "core/gravity/screen.h"
#include "core/grid/pencil_transpose.h"
#include "core/grid/transpose.h"
#include "core/measure/mode.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

enum { FORTH, BACK, WAYS };
enum { MEAN, PRODUCT, SUMS };
enum {
    MODES = 8,            /* in a batch, at least */
    LINES = 4 * MODES + 2 /* doubles of the modes of the largest batch, and of one more */
};

/* Of a batch, and of one with a line more. */
struct plans {
    fftw_plan of[WAYS][2];
};

struct sl_poisson {
    struct sl_pencil pencil; /* of the arrays */
    enum sl_around around;
    int cells[3];            /* of the density */
    int nz;                  /* cells of a line along z that is transformed */
    MPI_Comm column;         /* ranks that have the same modes; owned if there are several kinds */
    struct sl_slab slab;     /* the planes and rows of own modes */
    struct sl_batches modes; /* of a row */
    int first, end;          /* own batches */
    double h[3];             /* of a cell */
    size_t row;              /* doubles in a row */
    double *planes;          /* owned; [-1 .. nz][ny][row] */
    double *beside;          /* owned; [2][nz][row], rows before and after the own ones */
    double *columns;         /* [nz][n1][row]; owned, or the own planes where these are whole */
    double *rows;            /* owned; [slab.ny][n2][row] */
    double *square[3];       /* owned; (2 sin(pi n / N) / h)^2, or of sines as in their modes */
    double *part;            /* owned; [slab.ny][end - first][SUMS] */
    struct sl_pencil_transpose *in_plane;      /* owned; NULL for whole planes */
    struct sl_transpose *to_rows, *to_columns; /* owned; NULL without modes */
    struct plans x, y, z;
    /* owned; of twice the cells: factors of modes [rows beside each other or alike][0 .. n2][0 ..
     * n0], the first of these rows, and a batch of lines [nz][LINES] */
    double *green, *line;
    int green_row;
    /* owned; with screening charges: the modes, as rows are; at the sides the potential that is odd
     * beyond them, the true one, and its modes (screen.h) */
    double *kept, *odd, *side, *side_modes;
    double *sine[3];          /* owned; of a mode in the cells at a side, over h */
    struct sl_screen *screen; /* owned */
};

static size_t plane_size(const struct sl_poisson *p)
{
    return (size_t)p->pencil.ny * p->row;
}

double *sl_poisson_row(const struct sl_poisson *p, int k, int j)
{
    return p->planes + (size_t)(k + 1) * plane_size(p) + (size_t)j * p->row;
}

const struct sl_pencil *sl_poisson_pencil(const struct sl_poisson *p)
{
    return &p->pencil;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void plan_rows(int n, int many, int pitch, double *at, fftw_plan of[WAYS])
{
    fftw_complex *modes = (fftw_complex *)at;
    of[FORTH] = fftw_plan_many_dft_r2c(1, &n, many, at, NULL, 1, 2 * pitch, modes, NULL, 1, pitch,
                                       FFTW_ESTIMATE);
    of[BACK] = fftw_plan_many_dft_c2r(1, &n, many, modes, NULL, 1, pitch, at, NULL, 1, 2 * pitch,
                                      FFTW_ESTIMATE);
}

static void plan_columns(int n, int many, int pitch, double *at, fftw_plan of[WAYS])
{
    fftw_complex *modes = (fftw_complex *)at;
    for (int way = 0; way < WAYS; way++)
        of[way] = fftw_plan_many_dft(1, &n, many, modes, NULL, pitch, 1, modes, NULL, pitch, 1,
                                     way == FORTH ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
}

/* Sines: n real numbers along x, which stand at the begin of a row. */
static void plan_sine_rows(int n, int many, int pitch, double *at, fftw_plan of[WAYS])
{
    const fftw_r2r_kind kind[WAYS] = {FFTW_RODFT10, FFTW_RODFT01};
    for (int way = 0; way < WAYS; way++)
        of[way] = fftw_plan_many_r2r(1, &n, many, at, NULL, 1, 2 * pitch, at, NULL, 1, 2 * pitch,
                                     &kind[way], FFTW_ESTIMATE);
}

static void plan_sine_columns(int n, int many, int pitch, double *at, fftw_plan of[WAYS])
{
    const fftw_r2r_kind kind[WAYS] = {FFTW_RODFT10, FFTW_RODFT01};
    for (int way = 0; way < WAYS; way++)
        of[way] = fftw_plan_many_r2r(1, &n, 2 * many, at, NULL, 2 * pitch, 1, at, NULL, 2 * pitch,
                                     1, &kind[way], FFTW_ESTIMATE);
}

typedef void plan_lines(int n, int many, int pitch, double *at, fftw_plan of[WAYS]);

static int make_plans(plan_lines *plan, int n, const struct sl_batches *batches, size_t row,
                      double *at, struct plans *out)
{
    for (int more = 0; more < 2; more++) {
        fftw_plan of[WAYS];
        plan(n, batches->n / batches->count + more, (int)row / 2, at, of);
        for (int way = 0; way < WAYS; way++)
            out->of[way][more] = of[way];
        SL_CHECK(of[FORTH] && of[BACK], SL_EMEM, "FFTW cannot plan lines of %d cells", n);
    }
    return SL_OK;
}

/* Which modes this rank transforms along y and z. */
static int share_modes(struct sl_poisson *p)
{
    const struct sl_pencil *s = &p->pencil;
    p->modes = sl_batches_of(s->n[0] / 2 + 1, MODES);
    p->first = sl_slab_first(p->modes.count, s->iy, s->py);
    p->end = sl_slab_first(p->modes.count, s->iy + 1, s->py);
    p->column = s->py == 1 ? s->comm : MPI_COMM_NULL;
    if (s->py > 1) {
        int kind = s->nz > 0 ? s->iy : MPI_UNDEFINED,
            made = MPI_Comm_split(s->comm, kind, s->iz, &p->column);
        SL_CHECK(made == MPI_SUCCESS, SL_EMPI, "cannot part the ranks of a grid");
    }
    if (p->column != MPI_COMM_NULL) sl_slab_init(p->column, 3, s->n, s->length, &p->slab);
    return SL_OK;
}

static size_t at_least_one(int n)
{
    return n > 0 ? (size_t)n : 1;
}

static void set_squares(struct sl_poisson *p)
{
    double pi = acos(-1);
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < p->pencil.n[d]; i++) {
            if (p->around == SL_AROUND_screened)
                p->sine[d][i] = 2 * sin(pi * (i + 1) / (2 * p->cells[d])) / p->h[d],
                p->square[d][i] = p->sine[d][i] * p->sine[d][i];
            else
                p->square[d][i] = pow(2 * sin(pi * i / p->pencil.n[d]) / p->h[d], 2);
        }
}

static int set_plans(struct sl_poisson *p)
{
    const struct sl_pencil *s = &p->pencil;
    double *planes = sl_poisson_row(p, 0, 0);
    if (p->around == SL_AROUND_screened) {
        SL_TRY(make_plans(plan_sine_rows, p->cells[0], &s->rows, p->row, planes, &p->x));
        SL_TRY(make_plans(plan_sine_columns, p->cells[1], &p->modes, p->row, p->columns, &p->y));
        return make_plans(plan_sine_columns, p->nz, &p->modes, p->row, p->rows, &p->z);
    }
    SL_TRY(make_plans(plan_rows, s->n[0], &s->rows, p->row, planes, &p->x));
    SL_TRY(make_plans(plan_columns, s->n[1], &p->modes, p->row, p->columns, &p->y));
    if (p->around == SL_AROUND_padded)
        return make_plans(plan_columns, p->nz, &p->modes, LINES, p->line, &p->z);
    return make_plans(plan_columns, p->nz, &p->modes, p->row, p->rows, &p->z);
}

static int make_room(struct sl_poisson *p)
{
    const struct sl_pencil *s = &p->pencil;
    size_t nz = at_least_one(s->nz), ny = at_least_one(s->ny), lines = at_least_one(p->slab.ny);
    const struct sl_potential_room r =
        sl_potential_room_of(p->cells, p->around, s->py == 1, ny, nz, lines);
    p->planes = fftw_alloc_real(r.planes);
    p->columns = s->py == 1 ? sl_poisson_row(p, 0, 0) : fftw_alloc_real(r.columns);
    p->beside = fftw_alloc_real(r.beside);
    p->rows = fftw_alloc_real(r.rows);
    p->part = malloc(lines * at_least_one(p->end - p->first) * SUMS * sizeof *p->part);
    bool room = p->planes && p->columns && p->beside && p->rows && p->part;
    if (p->around == SL_AROUND_padded) {
        p->green = fftw_alloc_real(r.green);
        p->line = fftw_malloc((size_t)p->nz * LINES * sizeof *p->line);
        room = room && p->green && p->line;
    }
    if (p->around == SL_AROUND_screened) {
        size_t sides = sl_screen_at(p->cells, 3, 0);
        p->kept = fftw_alloc_real(r.rows);
        p->odd = fftw_alloc_real(sides);
        p->side = fftw_alloc_real(sides);
        p->side_modes = fftw_alloc_real(sides);
        room = room && p->kept && p->odd && p->side && p->side_modes;
    }
    for (int d = 0; d < 3; d++) {
        p->square[d] = malloc((size_t)s->n[d] * sizeof(double));
        p->sine[d] = malloc((size_t)s->n[d] * sizeof(double));
        room = room && p->square[d] && p->sine[d];
    }
    SL_CHECK(room, SL_EMEM, "no memory for the potential of %d x %d x %d cells", p->cells[0],
             p->cells[1], p->cells[2]);
    set_squares(p);
    return set_plans(p);
}

static double *green_at(const struct sl_poisson *p, int y, int z)
{
    const int *n = p->cells;
    size_t row = (size_t)(y - p->green_row) * ((size_t)n[2] + 1) + (size_t)z;
    return p->green + row * ((size_t)n[0] + 1);
}

/* Mode k of 2 n and mode 2 n - k are alike. */
static int folded(int k, int n)
{
    return k <= n ? k : 2 * n - k;
}

/* Factors of the modes of own rows. */
static int make_green(struct sl_poisson *p)
{
    const int *n = p->cells;
    struct sl_lattice_green *g;
    int first = folded(p->slab.y0, n[1]), end = folded(p->slab.y0 + p->slab.ny - 1, n[1]);
    if (p->around == SL_AROUND_screened) return sl_screen_new(n, p->h, &p->screen);
    if (p->around == SL_AROUND_periodic || p->slab.ny == 0) return SL_OK;
    SL_TRY(sl_lattice_green_new(n, p->h, &g));
    int last = p->slab.y0 <= n[1] && p->slab.y0 + p->slab.ny > n[1] ? n[1]
               : first > end                                        ? first
                                                                    : end;
    p->green_row = first < end ? first : end;
    for (int y = p->green_row; y <= last; y++)
        for (int z = 0; z <= n[2]; z++)
            sl_lattice_green_row(g, y, z, green_at(p, y, z));
    sl_lattice_green_free(g);
    return SL_OK;
}

static int make_transposes(struct sl_poisson *p)
{
    const size_t pitch[2] = {p->row, p->row};
    int modes = sl_batches_first(&p->modes, p->end) - sl_batches_first(&p->modes, p->first);
    if (p->column == MPI_COMM_NULL || modes == 0) return SL_OK;
    struct sl_slab rows = sl_slab_swapped(&p->slab);
    SL_TRY(sl_transpose_new(&p->slab, 2 * (size_t)modes, pitch, &p->to_rows));
    return sl_transpose_new(&rows, 2 * (size_t)modes, pitch, &p->to_columns);
}

/* After the pencil. What ranks share is made between agreements: none waits for one that failed. */
static int make(struct sl_poisson *p)
{
    MPI_Comm comm = p->pencil.comm;
    SL_TRY(sl_agree(comm, share_modes(p)));
    SL_TRY(sl_agree(comm, make_room(p)));
    SL_TRY(sl_agree(comm, make_green(p)));
    if (p->pencil.py > 1)
        SL_TRY(sl_agree(comm, sl_pencil_transpose_new(&p->pencil, &p->modes, &p->in_plane)));
    return sl_agree(comm, make_transposes(p));
}

int sl_poisson_new(MPI_Comm comm, int dim, enum sl_around around, const int cells[3],
                   const double length[3], struct sl_poisson **out)
{
    int n[3];
    struct sl_poisson *p = calloc(1, sizeof *p);
    SL_TRY(sl_agree(comm, p ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a potential")));
    sl_potential_cells(cells, around, n);
    sl_pencil_init(comm, dim, n, length, &p->pencil);
    p->around = around;
    for (int d = 0; d < 3; d++) {
        p->cells[d] = d < dim ? cells[d] : 1;
        p->h[d] = p->pencil.length[d] / p->cells[d];
    }
    p->nz = around == SL_AROUND_padded ? 2 * p->cells[2] : p->cells[2];
    p->row = 2 * (size_t)(p->pencil.n[0] / 2 + 1);
    int code = make(p);
    if (code == SL_OK)
        *out = p;
    else
        sl_poisson_free(p);
    return code;
}

static void plans_release(struct plans *p)
{
    for (int way = 0; way < WAYS; way++)
        for (int more = 0; more < 2; more++)
            if (p->of[way][more]) fftw_destroy_plan(p->of[way][more]);
}

void sl_poisson_free(struct sl_poisson *p)
{
    if (!p) return;
    plans_release(&p->x);
    plans_release(&p->y);
    plans_release(&p->z);
    for (int d = 0; d < 3; d++)
        free(p->square[d]), free(p->sine[d]);
    sl_pencil_transpose_free(p->in_plane);
    sl_transpose_free(p->to_rows);
    sl_transpose_free(p->to_columns);
    if (p->pencil.py > 1) {
        fftw_free(p->columns);
        if (p->column != MPI_COMM_NULL) MPI_Comm_free(&p->column);
    }
    fftw_free(p->planes);
    fftw_free(p->beside);
    fftw_free(p->rows);
    fftw_free(p->green);
    fftw_free(p->line);
    fftw_free(p->kept);
    fftw_free(p->odd);
    fftw_free(p->side);
    fftw_free(p->side_modes);
    sl_screen_free(p->screen);
    free(p->part);
    free(p);
}

/* ---- transforms ------------------------------------------------------------------------------ */

static fftw_plan plan_of(const struct plans *p, int way, const struct sl_batches *b, int batch)
{
    int many = sl_batches_first(b, batch + 1) - sl_batches_first(b, batch);
    return p->of[way][many - b->n / b->count];
}

/* Whether there is density in a row, or somebody reads its potential, of own plane k. */
static bool is_used(const struct sl_poisson *p, int way, int y, int k)
{
    const int *n = p->cells, z = p->pencil.z0 + k;
    if (p->around == SL_AROUND_periodic) return true;
    return way == FORTH || p->around == SL_AROUND_screened ? y < n[1] && z < n[2]
                                                           : y <= n[1] || y == 2 * n[1] - 1;
}

static void transform_x(const struct sl_poisson *p, int way, int k)
{
    const struct sl_pencil *s = &p->pencil;
    int first = sl_slab_first(s->rows.count, s->iy, s->py),
        end = sl_slab_first(s->rows.count, s->iy + 1, s->py);
    for (int b = first; b < end; b++) {
        int y = sl_batches_first(&s->rows, b), last = sl_batches_first(&s->rows, b + 1) - 1;
        fftw_plan plan = plan_of(&p->x, way, &s->rows, b);
        double *at = sl_poisson_row(p, k, y - s->y0);
        if (!is_used(p, way, y, k) && !is_used(p, way, last, k)) continue;
        if (p->around == SL_AROUND_screened)
            fftw_execute_r2r(plan, at, at);
        else if (way == FORTH)
            fftw_execute_dft_r2c(plan, at, (fftw_complex *)at);
        else
            fftw_execute_dft_c2r(plan, (fftw_complex *)at, at);
    }
}

static void execute_columns(const struct sl_poisson *p, fftw_plan plan, fftw_complex *modes)
{
    if (p->around == SL_AROUND_screened)
        fftw_execute_r2r(plan, (double *)modes, (double *)modes);
    else
        fftw_execute_dft(plan, modes, modes);
}

/* A batch of own modes of lines that begin at row `at`. */
static void transform_batch(const struct sl_poisson *p, const struct plans *plans, int way, int b,
                            double *at)
{
    fftw_complex *modes = (fftw_complex *)at + sl_batches_first(&p->modes, b);
    execute_columns(p, plan_of(plans, way, &p->modes, b), modes);
}

static void transform_y(const struct sl_poisson *p, int way, int k)
{
    double *plane = p->columns + (size_t)k * (size_t)p->pencil.n[1] * p->row;
    if (!is_used(p, way, 0, k)) return;
    for (int b = p->first; b < p->end; b++)
        transform_batch(p, &p->y, way, b, plane);
}

/* Nothing is around an isolated density. */
static void clear_around(struct sl_poisson *p)
{
    const struct sl_pencil *s = &p->pencil;
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++) {
            size_t own = is_used(p, FORTH, s->y0 + j, k) ? (size_t)p->cells[0] : 0;
            memset(sl_poisson_row(p, k, j) + own, 0, (p->row - own) * sizeof(double));
        }
}

static int forth(struct sl_poisson *p)
{
    int nz = p->pencil.nz;
    if (p->around != SL_AROUND_periodic) clear_around(p);
    for (int k = 0; k < nz; k++) {
        transform_x(p, FORTH, k);
        if (!p->in_plane) transform_y(p, FORTH, k);
    }
    if (!p->in_plane) return SL_OK;
    SL_TRY(sl_pencil_transpose_forth(p->in_plane, sl_poisson_row(p, 0, 0), p->columns));
    for (int k = 0; k < nz; k++)
        transform_y(p, FORTH, k);
    return SL_OK;
}

static int back(struct sl_poisson *p)
{
    int nz = p->pencil.nz;
    for (int k = 0; k < nz && p->in_plane; k++)
        transform_y(p, BACK, k);
    if (p->in_plane)
        SL_TRY(sl_pencil_transpose_back(p->in_plane, p->columns, sl_poisson_row(p, 0, 0)));
    for (int k = 0; k < nz; k++) {
        if (!p->in_plane) transform_y(p, BACK, k);
        transform_x(p, BACK, k);
    }
    return SL_OK;
}

/* From planes to rows along z, or back, of own modes. */
static int transpose(const struct sl_poisson *p, struct sl_transpose *t, const double *in,
                     double *out)
{
    size_t first = 2 * (size_t)sl_batches_first(&p->modes, p->first);
    return t ? sl_transpose_run(t, in + first, out + first) : SL_OK;
}

/* ---- modes ----------------------------------------------------------------------------------- */

static double cells_of(const struct sl_poisson *p)
{
    return (double)p->cells[0] * p->cells[1] * p->cells[2];
}

/* Lines along z of a batch: the first mode of each cell, `pitch` doubles apart. */
struct lines {
    double *at;
    size_t pitch;
};

/* Those of own row y. An isolated density is followed by as many cells without any. */
static struct lines lines_open(const struct sl_poisson *p, int y, int b)
{
    size_t first = 2 * (size_t)sl_batches_first(&p->modes, b),
           size = (2 * (size_t)sl_batches_first(&p->modes, b + 1) - first) * sizeof(double);
    double *at = p->rows + (size_t)y * (size_t)p->slab.n[2] * p->row + first;
    if (p->around != SL_AROUND_padded) return (struct lines){at, p->row};
    for (int z = 0; z < p->cells[2]; z++)
        memcpy(p->line + (size_t)z * LINES, at + (size_t)z * p->row, size);
    memset(p->line + (size_t)p->cells[2] * LINES, 0, (size_t)p->cells[2] * LINES * sizeof(double));
    return (struct lines){p->line, LINES};
}

/* The potential of cells and of those before the first and behind the last. */
static void lines_close(const struct sl_poisson *p, int y, int b)
{
    size_t first = 2 * (size_t)sl_batches_first(&p->modes, b),
           size = (2 * (size_t)sl_batches_first(&p->modes, b + 1) - first) * sizeof(double);
    double *at = p->rows + (size_t)y * (size_t)p->slab.n[2] * p->row + first;
    if (p->around != SL_AROUND_padded) return;
    for (int z = 0; z < p->slab.n[2]; z++) {
        int from = z <= p->cells[2] ? z : p->nz - 1;
        memcpy(at + (size_t)z * p->row, p->line + (size_t)from * LINES, size);
    }
}

static void transform_z(const struct sl_poisson *p, int way, int b, const struct lines *l)
{
    fftw_complex *modes = (fftw_complex *)l->at;
    if (p->nz > 1 || p->around == SL_AROUND_screened)
        execute_columns(p, plan_of(&p->z, way, &p->modes, b), modes);
}

/* What makes modes `first` .. first + count - 1 along x of mode y and z those of the potential, of
 * 1 / N of the sums over cells. */
static void set_green(const struct sl_poisson *p, double factor, int y, int z, int first, int count,
                      double *green)
{
    const double cells = cells_of(p), *square = p->square[0] + first;
    if (p->around == SL_AROUND_padded) {
        const double *of = green_at(p, folded(y, p->cells[1]), folded(z, p->cells[2])) + first;
        for (int x = 0; x < count; x++)
            green[x] = -factor / (8 * cells) * of[x];
        return;
    }
    double across = p->square[1][y] + p->square[2][z];
    for (int x = 0; x < count; x++)
        green[x] = -factor / (cells * (square[x] + across));
}

/* Multiplies modes; adds their products to sum[count]. */
static void solve_line(const double *green, int count, double *mode, double *sum)
{
    for (int x = 0; x < count; x++) {
        double re = mode[2 * x], im = mode[2 * x + 1];
        mode[2 * x] = green[x] * re;
        mode[2 * x + 1] = green[x] * im;
        sum[x] += green[x] * (re * re + im * im);
    }
}

/* A batch of modes of own row y. */
static void solve_batch(const struct sl_poisson *p, double factor, int y, int b, double *part)
{
    double sum[2 * MODES] = {0}, green[2 * MODES];
    int first = sl_batches_first(&p->modes, b), end = sl_batches_first(&p->modes, b + 1);
    const struct lines l = lines_open(p, y, b);
    transform_z(p, FORTH, b, &l);
    part[MEAN] = part[PRODUCT] = 0;
    for (int z = 0; z < p->nz; z++) {
        double *mode = l.at + (size_t)z * l.pitch;
        int skip = 0;
        if (p->slab.y0 + y == 0 && z == 0 && first == 0) { /* the first mode is the mean */
            part[MEAN] = mode[0] / cells_of(p);
            skip = p->around == SL_AROUND_periodic;
            for (int i = 0; i < 2 * skip; i++)
                mode[i] = 0;
        }
        set_green(p, factor, p->slab.y0 + y, z, first + skip, end - first - skip, green);
        solve_line(green, end - first - skip, mode + 2 * skip, sum + skip);
    }
    for (int x = first; x < end; x++)
        part[PRODUCT] += sl_mode_count(x, p->pencil.n[0]) * sum[x - first];
    transform_z(p, BACK, b, &l);
    lines_close(p, y, b);
}

/* First and last own values to the ranks before and after this one, and theirs: `blocks` blocks, a
 * plane apart. */
static int exchange_ends(const struct sl_poisson *p, int blocks, size_t length, const int rank[2],
                         double *const own[2], double *const other[2])
{
    MPI_Datatype type;
    int code = MPI_SUCCESS;
    MPI_Type_vector(blocks, (int)length, (int)plane_size(p), MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    for (int to = 0; to < 2 && code == MPI_SUCCESS; to++)
        code = MPI_Sendrecv(own[to], 1, type, rank[to], to, other[1 - to], blocks * (int)length,
                            MPI_DOUBLE, rank[1 - to], to, p->pencil.comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot exchange the potential");
    return SL_OK;
}

int sl_poisson_edges(struct sl_poisson *p)
{
    const struct sl_pencil *s = &p->pencil;
    const int *n = s->n, last = s->nz - 1;
    if (s->nz > 0 && s->dim == 3) {
        const int rank[2] = {sl_pencil_owner(s, s->y0, (s->z0 + n[2] - 1) % n[2]),
                             sl_pencil_owner(s, s->y0, (s->z0 + s->nz) % n[2])};
        double *const own[2] = {sl_poisson_row(p, 0, 0), sl_poisson_row(p, last, 0)},
                      *const other[2] = {sl_poisson_row(p, -1, 0), sl_poisson_row(p, s->nz, 0)};
        SL_TRY(exchange_ends(p, 1, plane_size(p), rank, own, other));
    }
    if (s->nz > 0 && s->py > 1) {
        const int rank[2] = {sl_pencil_owner(s, (s->y0 + n[1] - 1) % n[1], s->z0),
                             sl_pencil_owner(s, (s->y0 + s->ny) % n[1], s->z0)};
        double *const own[2] = {sl_poisson_row(p, 0, 0), sl_poisson_row(p, 0, s->ny - 1)},
                      *const other[2] = {p->beside, p->beside + (size_t)s->nz * p->row};
        SL_TRY(exchange_ends(p, s->nz, p->row, rank, own, other));
    }
    return SL_OK;
}

static int lines_of(const struct sl_poisson *p)
{
    return p->end > p->first ? p->slab.ny : 0;
}

/* ---- sines ----------------------------------------------------------------------------------- */

/* Modes along x of a batch that are there: two for each complex one. */
static int sines_of(const struct sl_poisson *p, int b, int *first)
{
    int end = 2 * sl_batches_first(&p->modes, b + 1);
    *first = 2 * sl_batches_first(&p->modes, b);
    end = end < p->cells[0] ? end : p->cells[0];
    return end > *first ? end - *first : 0;
}

/* In a sum of products over cells the last mode along an axis counts for a half. */
static double weight_of(const struct sl_poisson *p, int axis, int k)
{
    return k + 1 < p->cells[axis] ? 1 : 0.5;
}

/* 1 / N of what makes the Laplacian of a mode the mode; across: of the other axes. */
static double sine_green(const struct sl_poisson *p, double across, int x)
{
    return -1 / (8 * cells_of(p) * (p->square[0][x] + across));
}

/* Modes of the density of own row y to those of the potential that is odd beyond the sides, which
 * are kept; their product. */
static double solve_sines(const struct sl_poisson *p, double factor, int y, int b)
{
    const struct lines l = lines_open(p, y, b);
    int first, count = sines_of(p, b, &first), row = p->slab.y0 + y;
    double product = 0;
    transform_z(p, FORTH, b, &l);
    for (int z = 0; z < p->nz; z++) {
        double *mode = l.at + (size_t)z * l.pitch, sum = 0;
        double across = p->square[1][row] + p->square[2][z];
        for (int x = 0; x < count; x++) {
            double density = mode[x];
            mode[x] *= factor * sine_green(p, across, first + x);
            sum += weight_of(p, 0, first + x) * (density * mode[x]);
        }
        product += weight_of(p, 1, row) * weight_of(p, 2, z) * sum;
        memcpy(p->kept + (mode - p->rows), mode, (size_t)count * sizeof *mode);
    }
    transform_z(p, BACK, b, &l);
    return product;
}

/* Modes of both sides across an axis from place `at` on. */
struct side_modes {
    const double *low, *high;
};

static struct side_modes modes_at(const struct sl_poisson *p, int axis, size_t at)
{
    return (struct side_modes){p->side_modes + sl_screen_at(p->cells, axis, 0) + at,
                               p->side_modes + sl_screen_at(p->cells, axis, 1) + at};
}

/* Both sides, from which modes are even or odd by turns. */
static double side_mode(const struct side_modes *m, int x, int k)
{
    return k % 2 == 0 ? m->low[x] + m->high[x] : m->low[x] - m->high[x];
}

/* Modes first .. first + count - 1 along x of mode y and z. */
static void solve_side_line(const struct sl_poisson *p, int y, int z, int first, int count,
                            const double *kept, double *mode)
{
    const size_t n0 = (size_t)p->cells[0], n1 = (size_t)p->cells[1];
    const struct side_modes mx = modes_at(p, 0, (size_t)z * n1 + (size_t)y),
                            my = modes_at(p, 1, (size_t)z * n0),
                            mz = modes_at(p, 2, (size_t)y * n0);
    double across = p->square[1][y] + p->square[2][z], of_x[3] = {2 / p->h[0], 0, 0};
    of_x[1] = 2 / p->h[1] * p->sine[1][y], of_x[2] = 2 / p->h[2] * p->sine[2][z];
    for (int x = first; x < first + count; x++) {
        double sum = of_x[0] * p->sine[0][x] * side_mode(&mx, 0, x) +
                     of_x[1] * side_mode(&my, x, y) + of_x[2] * side_mode(&mz, x, z);
        mode[x - first] = kept[x - first] - sine_green(p, across, x) * sum;
    }
}

/* Modes of the potential of own row y, from those that were kept and from the sides. */
static void solve_sides(const struct sl_poisson *p, int y, int b)
{
    const struct lines l = lines_open(p, y, b);
    int first, count = sines_of(p, b, &first);
    for (int z = 0; z < p->nz; z++) {
        double *mode = l.at + (size_t)z * l.pitch;
        solve_side_line(p, p->slab.y0 + y, z, first, count, p->kept + (mode - p->rows), mode);
    }
    transform_z(p, BACK, b, &l);
}

/* The potential in the cells at the sides, for all ranks. */
static int gather_sides(const struct sl_poisson *p, double *out)
{
    const struct sl_pencil *s = &p->pencil;
    const int *n = p->cells;
    size_t count = sl_screen_at(n, 3, 0), n0 = (size_t)n[0], n1 = (size_t)n[1];
    memset(out, 0, count * sizeof *out);
    for (int k = 0; k < s->nz && s->z0 + k < n[2]; k++)
        for (int j = 0; j < s->ny && s->y0 + j < n[1]; j++) {
            const double *phi = sl_poisson_row(p, k, j);
            size_t z = (size_t)(s->z0 + k), y = (size_t)(s->y0 + j);
            for (int side = 0; side < 2; side++) {
                out[sl_screen_at(n, 0, side) + z * n1 + y] = phi[side ? n[0] - 1 : 0];
                if ((int)y == (side ? n[1] - 1 : 0))
                    memcpy(out + sl_screen_at(n, 1, side) + z * n0, phi, n0 * sizeof *phi);
                if ((int)z == (side ? n[2] - 1 : 0))
                    memcpy(out + sl_screen_at(n, 2, side) + y * n0, phi, n0 * sizeof *phi);
            }
        }
    int code = MPI_Allreduce(MPI_IN_PLACE, out, (int)count, MPI_DOUBLE, MPI_SUM, s->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot gather the potential at the sides of a box");
    return SL_OK;
}

/* Sums over the sides of the products of the screening charges and the potential. */
static double charge_product(const struct sl_poisson *p)
{
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        double part = 0;
        for (size_t i = sl_screen_at(p->cells, d, 0); i < sl_screen_at(p->cells, d + 1, 0); i++)
            part += p->odd[i] * (2 * p->side[i]);
        sum += part / (p->h[d] * p->h[d]);
    }
    return sum;
}

static int sides_to_modes(const struct sl_poisson *p)
{
    memcpy(p->side_modes, p->side, sl_screen_at(p->cells, 3, 0) * sizeof *p->side);
    for (int d = 0; d < 3; d++) {
        int n0 = p->cells[d == 0], n1 = p->cells[d == 2 ? 1 : 2];
        double *at = p->side_modes + sl_screen_at(p->cells, d, 0);
        fftw_plan plan = fftw_plan_r2r_2d(n1, n0, at, at, FFTW_RODFT10, FFTW_RODFT10,
                                          FFTW_ESTIMATE | FFTW_UNALIGNED);
        SL_CHECK(plan, SL_EMEM, "FFTW cannot plan a side of %d x %d cells", n0, n1);
        fftw_execute_r2r(plan, at, at);
        at = p->side_modes + sl_screen_at(p->cells, d, 1);
        fftw_execute_r2r(plan, at, at);
        fftw_destroy_plan(plan);
    }
    return SL_OK;
}

/* The layer around the cells: its mean with the cells beside it is the potential at the sides. */
static void fill_around(const struct sl_poisson *p)
{
    const struct sl_pencil *s = &p->pencil;
    const int *n = p->cells;
    const double *in = p->odd, *at = p->side;
    size_t n0 = (size_t)n[0], n1 = (size_t)n[1];
    for (int k = 0; k < s->nz; k++)
        for (int j = 0; j < s->ny; j++) {
            double *phi = sl_poisson_row(p, k, j);
            int y = s->y0 + j, z = s->z0 + k, side = y == n[1] + 1 || z == n[2] + 1 ? 0 : 1;
            if (y < n[1] && z < n[2]) {
                size_t low = (size_t)z * n1 + (size_t)y, high = low + sl_screen_at(n, 0, 1);
                phi[n[0]] = 2 * at[high] - in[high];
                phi[n[0] + 1] = 2 * at[low] - in[low];
            } else if (y < n[1] || z < n[2]) {
                size_t of = y >= n[1] ? sl_screen_at(n, 1, side) + (size_t)z * n0
                                      : sl_screen_at(n, 2, side) + (size_t)y * n0;
                for (size_t x = 0; x < n0; x++)
                    phi[x] = 2 * at[of + x] - in[of + x];
                phi[n[0]] = phi[n[0] + 1] = 0;
            } else
                memset(phi, 0, p->row * sizeof *phi);
        }
}

/* The mean of the density, which its sines do not have. */
static int find_mean(const struct sl_poisson *p, double *mean)
{
    const struct sl_pencil *s = &p->pencil;
    int rows = s->nz * s->ny;
    double *sum = malloc(at_least_one(rows) * sizeof *sum);
    SL_TRY(sl_agree(s->comm, sum ? SL_OK : SL_FAIL(SL_EMEM, "no memory for %d sums", rows)));
    for (int r = 0; r < rows; r++) {
        int k = r / s->ny, j = r % s->ny;
        const double *rho = sl_poisson_row(p, k, j);
        sum[r] = 0;
        for (int x = 0; x < p->cells[0] && is_used(p, FORTH, s->y0 + j, k); x++)
            sum[r] += rho[x];
    }
    int code = sl_sum_columns(s->comm, rows, 1, sum, mean);
    *mean /= cells_of(p);
    free(sum);
    return code;
}

/* The values at the sides, which p->side gets, from the potential that is odd beyond them. */
static int find_sides(struct sl_poisson *p)
{
    SL_TRY(gather_sides(p, p->odd));
    return sl_screen_solve(p->screen, p->pencil.comm, p->odd, p->side);
}

/* The potential that is odd beyond the sides; the sum of its products with the density. */
static int solve_odd(struct sl_poisson *p, double factor, double *product)
{
    int batches = p->end - p->first, lines = lines_of(p);
    SL_TRY(forth(p));
    SL_TRY(transpose(p, p->to_rows, p->columns, p->rows));
    for (int y = 0; y < lines; y++)
        for (int b = 0; b < batches; b++)
            p->part[y * batches + b] =
                p->slab.y0 + y < p->cells[1] ? solve_sines(p, factor, y, p->first + b) : 0;
    SL_TRY(transpose(p, p->to_columns, p->rows, p->columns));
    SL_TRY(back(p));
    return sl_sum_columns(p->pencil.comm, lines * batches, 1, p->part, product);
}

static int solve_true(struct sl_poisson *p)
{
    int lines = lines_of(p);
    SL_TRY(sl_agree(p->pencil.comm, sides_to_modes(p)));
    for (int y = 0; y < lines && p->slab.y0 + y < p->cells[1]; y++)
        for (int b = p->first; b < p->end; b++)
            solve_sides(p, y, b);
    SL_TRY(transpose(p, p->to_columns, p->rows, p->columns));
    return back(p);
}

static int solve_screened(struct sl_poisson *p, double factor, struct sl_poisson_sums *out)
{
    SL_TRY(find_mean(p, &out->mean));
    SL_TRY(solve_odd(p, factor, &out->product));
    SL_TRY(find_sides(p));
    out->product -= charge_product(p) / factor;
    SL_TRY(solve_true(p));
    SL_TRY(gather_sides(p, p->odd));
    fill_around(p);
    return SL_OK;
}

/* ---- solving --------------------------------------------------------------------------------- */

static int solve_modes(struct sl_poisson *p, double factor, struct sl_poisson_sums *out)
{
    int batches = p->end - p->first, lines = lines_of(p);
    double sums[SUMS];
    SL_TRY(forth(p));
    SL_TRY(transpose(p, p->to_rows, p->columns, p->rows));
    for (int y = 0; y < lines; y++)
        for (int b = 0; b < batches; b++)
            solve_batch(p, factor, y, p->first + b, p->part + (y * batches + b) * SUMS);
    SL_TRY(transpose(p, p->to_columns, p->rows, p->columns));
    SL_TRY(back(p));
    SL_TRY(sl_sum_columns(p->pencil.comm, lines * batches, SUMS, p->part, sums));
    *out = (struct sl_poisson_sums){sums[MEAN], sums[PRODUCT]};
    return SL_OK;
}

int sl_poisson_solve(struct sl_poisson *p, double factor, struct sl_poisson_sums *out)
{
    return p->around == SL_AROUND_screened ? solve_screened(p, factor, out)
                                           : solve_modes(p, factor, out);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

static void pull_along_row(const double *phi, int cells, double scale, int i, int n, double *out)
{
    for (int q = 0; q < n; q++) {
        int below = i + q > 0 ? i + q - 1 : cells - 1, above = i + q + 1 < cells ? i + q + 1 : 0;
        out[q] = scale * (phi[below] - phi[above]);
    }
}

/* Row j of own plane k, one beyond the own rows at most. */
static const double *row_near(const struct sl_poisson *p, int k, int j)
{
    const struct sl_pencil *s = &p->pencil;
    if (j >= 0 && j < s->ny) return sl_poisson_row(p, k, j);
    if (s->py == 1) return sl_poisson_row(p, k, (j + s->ny) % s->ny);
    return p->beside + (size_t)(j < 0 ? k : s->nz + k) * p->row;
}

void sl_poisson_pull(const struct sl_poisson *p, int axis, int k, int j, int i, int n, double *out)
{
    double scale = 0.5 / p->h[axis];
    if (axis == 0) {
        pull_along_row(sl_poisson_row(p, k, j), p->pencil.n[0], scale, i, n, out);
        return;
    }
    int up = axis == 1, far = axis == 2;
    const double *lower = row_near(p, k - far, j - up) + i,
                 *upper = row_near(p, k + far, j + up) + i;
    for (int q = 0; q < n; q++)
        out[q] = scale * (lower[q] - upper[q]);
}
