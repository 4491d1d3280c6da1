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
 */
#include "core/gravity/poisson.h"

#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/gravity/lattice_green.h"
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
    bool isolated;
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
    double *square[3];       /* owned; (2 sin(pi n / N) / h)^2 */
    double *part;            /* owned; [slab.ny][end - first][SUMS] */
    struct sl_pencil_transpose *in_plane;      /* owned; NULL for whole planes */
    struct sl_transpose *to_rows, *to_columns; /* owned; NULL without modes */
    struct plans x, y, z;
    /* owned; of isolated densities: factors of modes [rows beside each other or alike][0 .. n2][0
     * .. n0], the first of these rows, and a batch of lines [nz][LINES] */
    double *green, *line;
    int green_row;
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

static int make_room(struct sl_poisson *p)
{
    const struct sl_pencil *s = &p->pencil;
    size_t nz = at_least_one(s->nz), ny = at_least_one(s->ny), lines = at_least_one(p->slab.ny);
    const struct sl_potential_room r =
        sl_potential_room_of(s->n, p->isolated, s->py == 1, ny, nz, lines);
    p->planes = fftw_alloc_real(r.planes);
    p->columns = s->py == 1 ? sl_poisson_row(p, 0, 0) : fftw_alloc_real(r.columns);
    p->beside = fftw_alloc_real(r.beside);
    p->rows = fftw_alloc_real(r.rows);
    p->part = malloc(lines * at_least_one(p->end - p->first) * SUMS * sizeof *p->part);
    bool room = p->planes && p->columns && p->beside && p->rows && p->part;
    if (p->isolated) {
        p->green = fftw_alloc_real(r.green);
        p->line = fftw_malloc((size_t)p->nz * LINES * sizeof *p->line);
        room = room && p->green && p->line;
    }
    for (int d = 0; d < 3; d++) {
        p->square[d] = malloc((size_t)s->n[d] * sizeof(double));
        room = room && p->square[d];
    }
    SL_CHECK(room, SL_EMEM, "no memory for the potential of %d x %d x %d cells", p->cells[0],
             p->cells[1], p->cells[2]);
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < s->n[d]; i++)
            p->square[d][i] = pow(2 * sin(acos(-1) * i / s->n[d]) / p->h[d], 2);
    SL_TRY(make_plans(plan_rows, s->n[0], &s->rows, p->row, sl_poisson_row(p, 0, 0), &p->x));
    SL_TRY(make_plans(plan_columns, s->n[1], &p->modes, p->row, p->columns, &p->y));
    if (p->isolated) return make_plans(plan_columns, p->nz, &p->modes, LINES, p->line, &p->z);
    return make_plans(plan_columns, p->nz, &p->modes, p->row, p->rows, &p->z);
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
    if (!p->isolated || p->slab.ny == 0) return SL_OK;
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

int sl_poisson_new(MPI_Comm comm, int dim, bool isolated, const int cells[3],
                   const double length[3], struct sl_poisson **out)
{
    int n[3];
    struct sl_poisson *p = calloc(1, sizeof *p);
    SL_TRY(sl_agree(comm, p ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a potential")));
    sl_potential_cells(cells, isolated, n);
    sl_pencil_init(comm, dim, n, length, &p->pencil);
    p->isolated = isolated;
    for (int d = 0; d < 3; d++) {
        p->cells[d] = d < dim ? cells[d] : 1;
        p->h[d] = p->pencil.length[d] / p->cells[d];
    }
    p->nz = isolated ? 2 * p->cells[2] : p->cells[2];
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
        free(p->square[d]);
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
    if (!p->isolated) return true;
    return way == FORTH ? y < n[1] && z < n[2] : y <= n[1] || y == 2 * n[1] - 1;
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
        if (way == FORTH)
            fftw_execute_dft_r2c(plan, at, (fftw_complex *)at);
        else
            fftw_execute_dft_c2r(plan, (fftw_complex *)at, at);
    }
}

/* A batch of own modes of lines that begin at row `at`. */
static void transform_batch(const struct sl_poisson *p, const struct plans *plans, int way, int b,
                            double *at)
{
    fftw_complex *modes = (fftw_complex *)at + sl_batches_first(&p->modes, b);
    fftw_execute_dft(plan_of(plans, way, &p->modes, b), modes, modes);
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
    if (p->isolated) clear_around(p);
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

/* ---- solving --------------------------------------------------------------------------------- */

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
    if (!p->isolated) return (struct lines){at, p->row};
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
    if (!p->isolated) return;
    for (int z = 0; z < p->slab.n[2]; z++) {
        int from = z <= p->cells[2] ? z : p->nz - 1;
        memcpy(at + (size_t)z * p->row, p->line + (size_t)from * LINES, size);
    }
}

static void transform_z(const struct sl_poisson *p, int way, int b, const struct lines *l)
{
    fftw_complex *modes = (fftw_complex *)l->at;
    if (p->nz > 1) fftw_execute_dft(plan_of(&p->z, way, &p->modes, b), modes, modes);
}

/* What makes modes `first` .. first + count - 1 along x of mode y and z those of the potential, of
 * 1 / N of the sums over cells. */
static void set_green(const struct sl_poisson *p, double factor, int y, int z, int first, int count,
                      double *green)
{
    const double cells = cells_of(p), *square = p->square[0] + first;
    if (p->isolated) {
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
            skip = !p->isolated;
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

/* The planes beyond the first and the last own one, and the rows where planes are shared. */
static int exchange_edges(const struct sl_poisson *p)
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

int sl_poisson_solve(struct sl_poisson *p, double factor, struct sl_poisson_sums *out)
{
    int batches = p->end - p->first, lines = batches > 0 ? p->slab.ny : 0;
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
    return exchange_edges(p);
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

static void bend_along_row(const double *phi, int cells, double scale, int i, int n, double *out)
{
    for (int q = 0; q < n; q++) {
        double lower = phi[(i + q + cells - 1) % cells], upper = phi[(i + q + 1) % cells];
        out[q] = scale * (2 * phi[i + q] - (lower + upper));
    }
}

void sl_poisson_bend(const struct sl_poisson *p, int axis, int k, int j, int i, int n, double *out)
{
    double scale = 1 / p->h[axis];
    const double *here = sl_poisson_row(p, k, j);
    int up = axis == 1, far = axis == 2;
    if (axis == 0) {
        bend_along_row(here, p->pencil.n[0], scale, i, n, out);
        return;
    }
    const double *lower = row_near(p, k - far, j - up) + i,
                 *upper = row_near(p, k + far, j + up) + i;
    for (int q = 0; q < n; q++)
        out[q] = scale * (2 * here[i + q] - (lower[q] + upper[q]));
}
