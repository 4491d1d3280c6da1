/* lattice_gpu.cu - a start of dark matter on a device: draws of modes, products of second order,
 * fields on the lattice of the particles, and these; see device.h.
 *
 * Modes are drawn wherever one is needed, as a draw is cheaper than memory. Of second order three
 * fields, phi and its first two derivatives along z, lie as modes in x and y, planes along z: [fine
 * z][cells y][cells x / 2]; plane by plane six second derivatives go to the finer grid, and the
 * modes of their product that are wanted come back into the place of the planes of phi, closer
 * together: what lies there has been read.
 *
 * A number of modes n is below half the cells along each axis, as the Nyquist frequency is no mode.
 */
#include <stdlib.h>

#include "core/ic/lattice.h"
#include "core/measure/mode.h"
#include "gpu/inside.cuh"

enum { SECONDS = 6, ALONG_Z = 3, LINE = 256 };

/* Of a draw, as kernels get it. */
struct drawn {
    struct sl_density_modes modes;
    int cells, half;
    double unit; /* 2 pi / side */
};

struct lattice {
    struct drawn draw;
    int fine, side; /* cells of the finer grid, particles, along an axis */
    int wanted;     /* modes along x that particles have */
    const double *amplitude[SL_LATTICE_FIELDS]; /* owned, as all below; device */
    double2 *along[ALONG_Z];                    /* while products are made */
    double2 *modes;                             /* of the planes of second derivatives */
    double *planes, *product;
    double2 *product_modes;
    double2 *s;   /* NULL: first order; [side z][side y][wanted] */
    double *box;  /* a field, or its modes: [side][side][2 (side / 2 + 1)] */
    double *part; /* sums over shells */
    struct particle_lists lists;
};

/* Wave number of index i among n; n / 2 is none of them. */
static __device__ int wave(int i, int n)
{
    return 2 * i < n ? i : i - n;
}

static __device__ bool inside(int n, int count)
{
    return 2 * n < count && -2 * n < count;
}

static __device__ int square(const int n[3])
{
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
}

static __device__ double square_of_k(const struct drawn &d, const int n[3])
{
    double x = d.unit * n[0], y = d.unit * n[1], z = d.unit * n[2];
    return x * x + y * y + z * z;
}

/* The random number of a mode: 0 of none, and of the mean. */
static __device__ double2 draw(const struct drawn &d, const int n[3])
{
    double v[2] = {0, 0};
    double2 out;
    if (square(n) > 0 && inside(n[0], d.cells) && inside(n[1], d.cells) && inside(n[2], d.cells))
        sl_density_mode(&d.modes, n, v);
    out.x = v[0], out.y = v[1];
    return out;
}

static __device__ double2 times(double factor, double2 v)
{
    v.x *= factor, v.y *= factor;
    return v;
}

/* i factor v. */
static __device__ double2 turned(double factor, double2 v)
{
    double2 out;
    out.x = -factor * v.y, out.y = factor * v.x;
    return out;
}

/* ---- shells ---------------------------------------------------------------------------------- */

/* What a mode and its conjugate add to the sums of their shell, as sl_cosmology_fields_make. */
static __device__ int shell_terms(const struct drawn &d, const double *amplitude, const int n[3],
                                  int nshell, double term[SL_SHELL_COLUMNS])
{
    double count = n[0] > 0 ? 2 : 1, linear = amplitude[square(n)];
    double2 v = times(linear, draw(d, n));
    term[SL_SHELL_MODES] = count;
    term[SL_SHELL_K] = count * sqrt(square_of_k(d, n));
    term[SL_SHELL_REALISED] = count * (v.x * v.x + v.y * v.y);
    term[SL_SHELL_LINEAR] = count * linear * linear;
    return sl_mode_shell(sl_mode_length(n[0], n[1], n[2]), nshell);
}

/* A block of threads takes a row, along z, then x: the processor's order. Of a line along x modes
 * of the same shell lie beside each other: who finds the first of them adds them all. */
static __global__ void lattice_shells(struct drawn d, const double *amplitude, int nshell, int y0,
                                      double *part)
{
    __shared__ double value[SL_SHELL_COLUMNS][LINE];
    __shared__ int shell[LINE];
    int t = (int)threadIdx.x, rows = nshell + 1, y = wave(y0 + (int)blockIdx.x, d.cells);
    double *to = part + (size_t)blockIdx.x * (size_t)rows * SL_SHELL_COLUMNS;
    for (int z = 0; z < d.cells; z++)
        for (int first = 0; first < d.half; first += LINE) {
            int count = min(LINE, d.half - first);
            const int n[3] = {first + t, y, wave(z, d.cells)};
            __syncthreads();
            if (t < count) {
                double term[SL_SHELL_COLUMNS];
                bool is = square(n) > 0 && inside(n[1], d.cells) && inside(n[2], d.cells);
                shell[t] = is ? shell_terms(d, amplitude, n, nshell, term) : rows;
                for (int c = 0; c < SL_SHELL_COLUMNS; c++)
                    value[c][t] = is ? term[c] : 0;
            }
            __syncthreads();
            for (int i = t; i < count * SL_SHELL_COLUMNS; i += LINE) {
                int x = i % count, c = i / count, s = shell[x];
                if (s >= rows || (x > 0 && shell[x - 1] == s)) continue;
                double sum = to[s * SL_SHELL_COLUMNS + c];
                for (; x < count && shell[x] == s; x++)
                    sum += value[c][x];
                to[s * SL_SHELL_COLUMNS + c] = sum;
            }
        }
}

/* ---- second order ---------------------------------------------------------------------------- */

struct fields {
    double2 *of[ALONG_Z];
};

/* phi, its first and its second derivative along z; zeros between the modes of the finer grid. */
static __global__ void lattice_potential(struct drawn d, const double *amplitude, int fine,
                                         struct fields to)
{
    size_t i = this_cell(), row = i / (size_t)d.half;
    int z = (int)(row / (size_t)d.cells);
    const int n[3] = {(int)(i % (size_t)d.half), wave((int)(row % (size_t)d.cells), d.cells),
                      wave(z, fine)};
    double2 v = {0, 0};
    if (z >= fine) return;
    if (square(n) > 0 && inside(n[1], d.cells) && inside(n[2], d.cells))
        v = times(-amplitude[square(n)] / square_of_k(d, n), draw(d, n));
    double k = d.unit * n[2];
    to.of[0][i] = v;
    to.of[1][i] = turned(k, v);
    to.of[2][i] = times(-k * k, v);
}

/* Of a plane, at phi, phi_z and phi_zz of one mode in x and y: xx, yy, zz, xy, xz, yz. */
static __device__ void derive(double kx, double ky, const double2 v[ALONG_Z], double2 out[SECONDS])
{
    out[0] = times(-kx * kx, v[0]);
    out[1] = times(-ky * ky, v[0]);
    out[2] = v[2];
    out[3] = times(-kx * ky, v[0]);
    out[4] = turned(kx, v[1]);
    out[5] = turned(ky, v[1]);
}

static __global__ void lattice_spread(struct drawn d, int fine, int plane, struct fields from,
                                      double2 *to)
{
    int width = fine / 2 + 1, i = (int)this_cell(), x = i % width, j = i / width, y = wave(j, fine);
    double2 v[ALONG_Z] = {{0, 0}, {0, 0}, {0, 0}}, out[SECONDS];
    if (j >= fine) return;
    if (x < d.half && inside(y, d.cells)) {
        size_t row = (size_t)plane * (size_t)d.cells + (size_t)(y < 0 ? y + d.cells : y);
        for (int a = 0; a < ALONG_Z; a++)
            v[a] = from.of[a][row * (size_t)d.half + (size_t)x];
    }
    derive(d.unit * x, d.unit * y, v, out);
    for (int a = 0; a < SECONDS; a++)
        to[(size_t)a * (size_t)fine * (size_t)width + (size_t)i] = out[a];
}

/* S, as second_invariant of core/ic/lpt.c. */
static __global__ void lattice_multiply(size_t n, const double *d, double *product)
{
    size_t c = this_cell();
    if (c >= n) return;
    double xx = d[c], yy = d[n + c], zz = d[2 * n + c], xy = d[3 * n + c], xz = d[4 * n + c],
           yz = d[5 * n + c];
    product[c] = xx * yy + (xx + yy) * zz - xy * xy - xz * xz - yz * yz;
}

/* The modes in x and y that particles have, of a plane, which lie [side][wanted]. */
static __global__ void lattice_take(int fine, int side, int wanted, const double2 *from,
                                    double2 *to)
{
    int i = (int)this_cell(), x = i % wanted, j = i / wanted, y = wave(j, side);
    double2 v = {0, 0};
    if (j >= side) return;
    if (inside(y, side))
        v = from[(size_t)(y < 0 ? y + fine : y) * (size_t)(fine / 2 + 1) + (size_t)x];
    to[i] = v;
}

/* Of columns [fine z][side y][wanted] the modes in z, normalised. */
static __global__ void lattice_keep(int fine, int side, int wanted, const double2 *from,
                                    double2 *to)
{
    size_t i = this_cell(), plane = (size_t)side * (size_t)wanted;
    int j = (int)(i / plane), z = wave(j, side);
    double2 v = {0, 0};
    if (j >= side) return;
    if (inside(z, side)) v = from[(size_t)(z < 0 ? z + fine : z) * plane + i % plane];
    to[i] = times(1 / ((double)fine * fine * fine), v);
}

/* ---- fields of particles --------------------------------------------------------------------- */

/* A component of the vector whose divergence is -1 times the field: times i k / k^2. */
static __global__ void lattice_field(struct drawn d, const double *amplitude, int side,
                                     double second, const double2 *s, int axis, double2 *to)
{
    size_t i = this_cell(), width = (size_t)(side / 2 + 1), row = i / width;
    int j = (int)(row % (size_t)side), k = (int)(row / (size_t)side);
    const int n[3] = {(int)(i % width), wave(j, side), wave(k, side)};
    double2 v = {0, 0};
    if (k >= side) return;
    if (square(n) > 0 && inside(n[0], side) && inside(n[1], side) && inside(n[2], side)) {
        double k2 = square_of_k(d, n);
        v = times(amplitude[square(n)], draw(d, n));
        if (s) {
            double2 w = s[row * (size_t)((side + 1) / 2) + (size_t)n[0]];
            v.x += second * w.x, v.y += second * w.y;
        }
        v = turned(d.unit * n[axis] / k2, v);
    }
    to[i] = v;
}

/* Where particle i lies along an axis of the lattice, and where its value in a box. */
static __device__ size_t box_place(size_t i, int side, int at[3])
{
    size_t row = i / (size_t)side;
    at[0] = (int)(i % (size_t)side);
    at[1] = (int)(row % (size_t)side);
    at[2] = (int)(row / (size_t)side);
    return row * (size_t)(2 * (side / 2 + 1)) + (size_t)at[0];
}

static __global__ void lattice_places(struct sl_lattice_axis w, int axis, int spacing, int side,
                                      double hi, const double *box, uint32_t *x)
{
    int at[3];
    size_t i = this_cell(), from = box_place(i, side, at);
    if (at[2] >= side) return;
    double place = sl_lattice_place(&w, at[axis] * spacing, box[from]);
    x[i] = sl_particle_fraction(sl_lattice_rounded(w.single, place), w.lo, hi);
}

static __global__ void lattice_speeds(bool single, double to_kms, double to_code, int side,
                                      const double *box, sl_real *v)
{
    int at[3];
    size_t i = this_cell(), from = box_place(i, side, at);
    if (at[2] >= side) return;
    v[i] = (sl_real)(to_code * sl_lattice_rounded(single, to_kms * box[from]));
}

/* ---- memory ---------------------------------------------------------------------------------- */

template <class T> static const char *list_new(size_t n, T **out)
{
    return room_new(n * sizeof **out, (void **)out);
}

template <class T> static void list_free(T **list)
{
    room_free(*list);
    *list = NULL;
}

static void products_free(struct lattice *l)
{
    for (int i = 0; i < ALONG_Z; i++)
        list_free(&l->along[i]);
    list_free(&l->modes);
    list_free(&l->planes);
    list_free(&l->product);
    list_free(&l->product_modes);
}

void lattice_free(struct lattice *l)
{
    if (!l) return;
    for (int i = 0; i < SL_LATTICE_FIELDS; i++)
        list_free(&l->amplitude[i]);
    products_free(l);
    list_free(&l->s);
    list_free(&l->box);
    list_free(&l->part);
    free(l);
}

static size_t cube(int n)
{
    return (size_t)n * (size_t)n * (size_t)n;
}

static size_t fine_modes(const struct lattice *l)
{
    return (size_t)l->fine * (size_t)(l->fine / 2 + 1);
}

extern "C" const char *sl_device_lattice_new(struct sl_device *d, const struct sl_lattice *what,
                                             int fine)
{
    struct lattice *l = d->lattice = (struct lattice *)calloc(1, sizeof *l);
    if (!l) return "no memory on the host";
    size_t half = (size_t)(what->cells / 2), amplitudes = 3 * half * half + 1;
    l->draw.modes = what->modes;
    l->draw.cells = what->cells, l->draw.half = what->cells / 2;
    l->draw.unit = 2 * acos(-1.0) / what->axis[0].length;
    l->fine = fine, l->side = what->cells / what->spacing;
    l->wanted = (l->side + 1) / 2;
    for (int i = 0; i < SL_LATTICE_FIELDS; i++)
        PASS(table(what->amplitude[i], amplitudes * sizeof(double),
                   (const void **)&l->amplitude[i]));
    return wait(d); /* the host's numbers may go */
}

extern "C" void sl_device_lattice_free(struct sl_device *d)
{
    lattice_free(d->lattice);
    d->lattice = NULL;
    (void)cudaGetLastError(); /* that there is no room is no error of what comes after */
}

/* ---- calls ----------------------------------------------------------------------------------- */

extern "C" const char *sl_device_lattice_shells(struct sl_device *d, int nshell, int y0, int ny,
                                                double *part)
{
    struct lattice *l = d->lattice;
    size_t size = (size_t)ny * (size_t)(nshell + 1) * SL_SHELL_COLUMNS * sizeof *part;
    if (ny <= 0) return NULL;
    PASS(room_zero(size, (void **)&l->part));
    lattice_shells<<<(unsigned)ny, LINE, 0, d->stream>>>(l->draw, l->amplitude[SL_LATTICE_PLACE],
                                                         nshell, y0, l->part);
    TRY(cudaGetLastError());
    PASS(move(d, part, l->part, size, cudaMemcpyDeviceToHost));
    PASS(wait(d));
    list_free(&l->part);
    return NULL;
}

extern "C" const char *sl_device_lattice_products(struct sl_device *d)
{
    struct lattice *l = d->lattice;
    size_t band = (size_t)l->fine * (size_t)l->draw.cells * (size_t)l->draw.half,
           plane = (size_t)l->fine * (size_t)l->fine;
    for (int i = 0; i < ALONG_Z; i++)
        PASS(list_new(band, &l->along[i]));
    PASS(list_new(SECONDS * fine_modes(l), &l->modes));
    PASS(list_new(SECONDS * plane, &l->planes));
    PASS(list_new(plane, &l->product));
    PASS(list_new(fine_modes(l), &l->product_modes));
    return list_new((size_t)l->side * (size_t)l->side * (size_t)l->wanted, &l->s);
}

static struct fields fields_of(const struct lattice *l)
{
    struct fields f;
    for (int i = 0; i < ALONG_Z; i++)
        f.of[i] = l->along[i];
    return f;
}

extern "C" const char *sl_device_lattice_potential(struct sl_device *d)
{
    struct lattice *l = d->lattice;
    size_t band = (size_t)l->fine * (size_t)l->draw.cells * (size_t)l->draw.half;
    lattice_potential<<<blocks_of(band), THREADS, 0, d->stream>>>(
        l->draw, l->amplitude[SL_LATTICE_MATTER], l->fine, fields_of(l));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" void *sl_device_lattice_row(struct sl_device *d, int field, int y, int width)
{
    return d->lattice->along[field] + (size_t)y * (size_t)width;
}

extern "C" const char *sl_device_lattice_spread(struct sl_device *d, int plane)
{
    struct lattice *l = d->lattice;
    lattice_spread<<<blocks_of(fine_modes(l)), THREADS, 0, d->stream>>>(l->draw, l->fine, plane,
                                                                        fields_of(l), l->modes);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" struct sl_device_lattice_planes sl_device_lattice_planes(const struct sl_device *d)
{
    const struct lattice *l = d->lattice;
    struct sl_device_lattice_planes p = {l->modes, l->product_modes, l->planes, l->product};
    return p;
}

extern "C" const char *sl_device_lattice_multiply(struct sl_device *d)
{
    struct lattice *l = d->lattice;
    size_t plane = (size_t)l->fine * (size_t)l->fine;
    lattice_multiply<<<blocks_of(plane), THREADS, 0, d->stream>>>(plane, l->planes, l->product);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_lattice_take(struct sl_device *d, int plane)
{
    struct lattice *l = d->lattice;
    size_t modes = (size_t)l->side * (size_t)l->wanted;
    lattice_take<<<blocks_of(modes), THREADS, 0, d->stream>>>(
        l->fine, l->side, l->wanted, l->product_modes, l->along[0] + (size_t)plane * modes);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_lattice_keep(struct sl_device *d)
{
    struct lattice *l = d->lattice;
    size_t modes = (size_t)l->side * (size_t)l->side * (size_t)l->wanted;
    lattice_keep<<<blocks_of(modes), THREADS, 0, d->stream>>>(l->fine, l->side, l->wanted,
                                                              l->along[0], l->s);
    TRY(cudaGetLastError());
    products_free(l);
    return room_return(d);
}

extern "C" const char *sl_device_lattice_room(struct sl_device *d)
{
    struct lattice *l = d->lattice;
    PASS(list_new((size_t)l->side * (size_t)l->side * (size_t)(2 * (l->side / 2 + 1)), &l->box));
    return particles_begin(d, cube(l->side), &l->lists);
}

extern "C" double *sl_device_lattice_box(const struct sl_device *d)
{
    return d->lattice->box;
}

extern "C" const char *sl_device_lattice_field(struct sl_device *d, const struct sl_lattice *what,
                                               int field, int axis)
{
    struct lattice *l = d->lattice;
    size_t modes = (size_t)l->side * (size_t)l->side * (size_t)(l->side / 2 + 1);
    lattice_field<<<blocks_of(modes), THREADS, 0, d->stream>>>(
        l->draw, l->amplitude[field], l->side, what->second[field], l->s, axis, (double2 *)l->box);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_lattice_put(struct sl_device *d, const struct sl_lattice *what,
                                             int field, int axis, double hi)
{
    struct lattice *l = d->lattice;
    const struct sl_lattice_axis *w = &what->axis[axis];
    unsigned blocks = blocks_of(cube(l->side));
    if (field == SL_LATTICE_PLACE)
        lattice_places<<<blocks, THREADS, 0, d->stream>>>(*w, axis, what->spacing, l->side, hi,
                                                          l->box, l->lists.x[axis]);
    else
        lattice_speeds<<<blocks, THREADS, 0, d->stream>>>(w->single, what->to_kms, what->to_code,
                                                          l->side, l->box, l->lists.v[axis]);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_lattice_end(struct sl_device *d)
{
    list_free(&d->lattice->box);
    list_free(&d->lattice->s);
    return particles_end(d);
}
