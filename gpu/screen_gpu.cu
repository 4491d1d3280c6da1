/* screen_gpu.cu - the potential of a box with nothing around it by sines and screening charges, on
 * one device: core/gravity/poisson.c and core/gravity/screen.c; see device.h.
 *
 * Transforms by sines are those of cuFFT in the same cells (Makhoul 1980): along each axis cells
 * change their sign by turns, the even ones come first and the odd ones behind them, backwards; a
 * mode of sines is then a sum of those modes k and -k. What those of three axes give one another is
 * an orbit of eight, which a thread has. Sides are few: their sines are sums.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/inside.cuh"

enum { PARTS = 8, ACTING = 3, FACES = 6 };

/* On the device; n: cells. kept: modes of the potential that is odd beyond the sides. Values at
 * sides as in core/gravity/screen.h: odd and side in space, waves as sines, swap for one axis,
 * part of each kind. */
struct screen_box {
    int n[3], places;
    double h[3];
    double *modes, *kept;
    const double *sine[3], *wave[3]; /* 2 sin(pi (k + 1) / 2 n) / h; sin(pi r / 2 n), r < 4 n */
    const double *near[3], *along[3], *same[3], *far[3];
    double *odd, *side, *waves, *swap, *part, *pair, *sum[2];
};

struct screen {
    struct screen_box box;
    double *mean; /* of each plane */
};

struct pair {
    double x[2];
};

static __host__ __device__ size_t screen_row(const struct screen_box &b)
{
    return 2 * (size_t)(b.n[0] / 2 + 1);
}

static __host__ __device__ void screen_across(int axis, int t[2])
{
    t[0] = axis == 0 ? 1 : 0;
    t[1] = axis == 2 ? 1 : 2;
}

static __host__ __device__ size_t screen_area(const struct screen_box &b, int axis)
{
    return (size_t)b.n[(axis + 1) % 3] * (size_t)b.n[(axis + 2) % 3];
}

static __host__ __device__ size_t screen_at(const struct screen_box &b, int axis, int side)
{
    size_t at = side ? screen_area(b, axis) : 0;
    for (int d = 0; d < axis; d++)
        at += 2 * screen_area(b, d);
    return at;
}

/* ---- sines of the box ------------------------------------------------------------------------ */

/* Where cell i of n stands among those that are transformed. */
static __device__ int screen_turned(int i, int n)
{
    return i % 2 == 0 ? i / 2 : n - (i + 1) / 2;
}

/* Cells to what is transformed, or back. */
static __global__ void screen_turn(struct screen_box b, struct gravity_grid g, int back)
{
    size_t i = this_cell(), row = i / (size_t)b.n[0];
    int x = (int)(i % (size_t)b.n[0]), y = (int)(row % (size_t)b.n[1]),
        z = (int)(row / (size_t)b.n[1]);
    if (z >= b.n[2]) return;
    double *cell = g.at + ((size_t)z * (size_t)g.N[1] + (size_t)y) * g.row + x;
    size_t line =
        (size_t)screen_turned(z, b.n[2]) * (size_t)b.n[1] + (size_t)screen_turned(y, b.n[1]);
    double *turned = b.modes + line * screen_row(b) + screen_turned(x, b.n[0]);
    double sign = (x + y + z) % 2 == 0 ? 1 : -1;
    if (back)
        *cell = sign * *turned;
    else
        *turned = sign * *cell;
}

/* The modes m or -m along each axis. */
struct orbit {
    int m[3];
    int there; /* bits of axes along which -m is another one */
};

static __device__ struct orbit orbit_of(const struct screen_box &b, int x, int y, int z)
{
    struct orbit o = {{x, y, z}, 0};
    for (int d = 0; d < 3; d++)
        if (o.m[d] > 0 && 2 * o.m[d] != b.n[d]) o.there |= 1 << d;
    return o;
}

/* The sine that corner s of an orbit is, bit d for -m along axis d; -1: none, or that of another
 * corner. */
static __device__ ptrdiff_t orbit_sine(const struct screen_box &b, const struct orbit &o, int s,
                                       int k[3])
{
    if (s & ~o.there) return -1;
    for (int d = 0; d < 3; d++)
        k[d] = s >> d & 1 ? o.m[d] - 1 : b.n[d] - 1 - o.m[d];
    return ((ptrdiff_t)k[2] * b.n[1] + k[1]) * b.n[0] + k[0];
}

static __device__ struct pair *orbit_mode(const struct screen_box &b, const struct orbit &o, int s)
{
    int y = s & 2 ? (b.n[1] - o.m[1]) % b.n[1] : o.m[1],
        z = s & 4 ? (b.n[2] - o.m[2]) % b.n[2] : o.m[2];
    return (struct pair *)(b.modes + ((size_t)z * (size_t)b.n[1] + (size_t)y) * screen_row(b) +
                           2 * (size_t)o.m[0]);
}

/* exp(-i pi m / 2 n) times a number, or its inverse. */
static __device__ struct pair turned_by(const struct screen_box &b, int axis, int m, int inverse,
                                        struct pair v)
{
    double s = b.wave[axis][m], c = b.wave[axis][b.n[axis] + m];
    if (!inverse) s = -s;
    struct pair out = {{c * v.x[0] - s * v.x[1], c * v.x[1] + s * v.x[0]}};
    return out;
}

/* All corners of an orbit from modes to sines. */
static __device__ void orbit_forth(const struct screen_box &b, const struct orbit &o,
                                   struct pair v[8])
{
    for (int d = 0; d < 3; d++)
        for (int s = 0; s < 8; s++) {
            if (s >> d & 1) continue;
            struct pair p = turned_by(b, d, o.m[d], 0, v[s]),
                        q = turned_by(b, d, o.m[d], 1, v[s | 1 << d]);
            struct pair even = {{p.x[0] + q.x[0], p.x[1] + q.x[1]}},
                        odd = {{q.x[1] - p.x[1], p.x[0] - q.x[0]}};
            v[s] = even, v[s | 1 << d] = odd;
        }
}

static __device__ void orbit_back(const struct screen_box &b, const struct orbit &o,
                                  struct pair v[8])
{
    for (int d = 0; d < 3; d++)
        for (int s = 0; s < 8; s++) {
            if (s >> d & 1) continue;
            struct pair even = v[s], odd = v[s | 1 << d];
            struct pair p = {{0.5 * (even.x[0] + odd.x[1]), 0.5 * (even.x[1] - odd.x[0])}},
                        q = {{0.5 * (even.x[0] - odd.x[1]), 0.5 * (even.x[1] + odd.x[0])}};
            v[s] = turned_by(b, d, o.m[d], 1, p);
            v[s | 1 << d] = turned_by(b, d, o.m[d], 0, q);
        }
}

static __device__ double screen_square(const struct screen_box &b, const int k[3])
{
    double x = b.sine[0][k[0]], y = b.sine[1][k[1]], z = b.sine[2][k[2]];
    return x * x + (y * y + z * z);
}

static __device__ double screen_weight(const struct screen_box &b, int axis, int k)
{
    return k + 1 < b.n[axis] ? 1 : 0.5;
}

/* Orbits of block z of a part of rows; threads go through them. */
struct orbits {
    int z, first, count, nx;
};

static __device__ struct orbits orbits_here(const struct screen_box &b)
{
    int rows = b.n[1] / 2 + 1, part = (int)blockIdx.x % PARTS, first = rows * part / PARTS;
    struct orbits o = {(int)blockIdx.x / PARTS, first, 0, b.n[0] / 2 + 1};
    o.count = (rows * (part + 1) / PARTS - first) * o.nx;
    return o;
}

/* Modes of the density to those of the odd potential; the product of both, in a fixed order. */
static __global__ void screen_odd(struct screen_box b, double factor, double *product)
{
    __shared__ double sum[THREADS];
    struct orbits here = orbits_here(b);
    double cells = (double)b.n[0] * b.n[1] * b.n[2], own = 0;
    for (int i = (int)threadIdx.x; i < here.count; i += THREADS) {
        struct orbit o = orbit_of(b, i % here.nx, here.first + i / here.nx, here.z);
        struct pair v[8];
        for (int s = 0; s < 8; s++) {
            v[s] = *orbit_mode(b, o, s & 1 ? s ^ 7 : s);
            if (s & 1) v[s].x[1] = -v[s].x[1];
        }
        orbit_forth(b, o, v);
        for (int s = 0; s < 8; s++) {
            int k[3];
            ptrdiff_t at = orbit_sine(b, o, s, k);
            if (at < 0) continue;
            double mode = -factor / (8 * cells * screen_square(b, k)) * v[s].x[0];
            b.kept[at] = mode;
            own += screen_weight(b, 0, k[0]) * screen_weight(b, 1, k[1]) *
                   screen_weight(b, 2, k[2]) * (v[s].x[0] * mode);
        }
    }
    sum[threadIdx.x] = own;
    for (int by = THREADS / 2; by > 0; by /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < by) sum[threadIdx.x] += sum[threadIdx.x + by];
    }
    if (threadIdx.x == 0) product[blockIdx.x] = sum[0];
}

/* What both sides across an axis add to mode k. */
static __device__ double screen_asked(const struct screen_box &b, int axis, const int k[3])
{
    int t[2];
    screen_across(axis, t);
    size_t at = (size_t)k[t[1]] * (size_t)b.n[t[0]] + (size_t)k[t[0]];
    double low = b.waves[screen_at(b, axis, 0) + at], high = b.waves[screen_at(b, axis, 1) + at];
    return 2 / b.h[axis] * b.sine[axis][k[axis]] * (k[axis] % 2 == 0 ? low + high : low - high);
}

/* Modes of the potential. */
static __global__ void screen_true(struct screen_box b)
{
    struct orbits here = orbits_here(b);
    double cells = (double)b.n[0] * b.n[1] * b.n[2];
    for (int i = (int)threadIdx.x; i < here.count; i += THREADS) {
        struct orbit o = orbit_of(b, i % here.nx, here.first + i / here.nx, here.z);
        struct pair v[8];
        for (int s = 0; s < 8; s++) {
            int k[3], like = s;
            for (int d = 0; d < 3; d++)
                if (2 * o.m[d] == b.n[d]) like &= ~(1 << d);
            ptrdiff_t at = orbit_sine(b, o, like, k);
            v[s].x[0] = v[s].x[1] = 0;
            if (at < 0) continue;
            double asked = screen_asked(b, 0, k) + screen_asked(b, 1, k) + screen_asked(b, 2, k);
            v[s].x[0] = 8 * b.kept[at] + asked / (cells * screen_square(b, k));
        }
        orbit_back(b, o, v);
        for (int s = 0; s < 8; s += 2)
            *orbit_mode(b, o, s) = v[s];
    }
}

/* ---- sides ----------------------------------------------------------------------------------- */

/* Sines of the odd potential in the cells at both sides across an axis. */
static __global__ void screen_sides(struct screen_box b, int axis)
{
    const size_t step[3] = {1, (size_t)b.n[0], (size_t)b.n[0] * (size_t)b.n[1]};
    size_t i = this_cell();
    int t[2];
    screen_across(axis, t);
    if (i >= screen_area(b, axis)) return;
    const double *mode =
        b.kept + (i % (size_t)b.n[t[0]]) * step[t[0]] + (i / (size_t)b.n[t[0]]) * step[t[1]];
    double sum[2] = {0, 0};
    for (int k = 0; k < b.n[axis]; k++)
        sum[k % 2] += screen_weight(b, axis, k) * b.sine[axis][k] * mode[(size_t)k * step[axis]];
    b.waves[screen_at(b, axis, 0) + i] = b.h[axis] * (sum[0] + sum[1]);
    b.waves[screen_at(b, axis, 1) + i] = b.h[axis] * (sum[0] - sum[1]);
}

/* A side along its axis `along` (0 or 1), from sines to cells or back: the value of sine k in cell
 * j is 2 sin(pi (k + 1) (2 j + 1) / 2 n), whose place in `wave` goes around. */
static __global__ void screen_side(struct screen_box b, int axis, int along, int back,
                                   const double *from, double *to)
{
    size_t i = this_cell();
    int t[2];
    screen_across(axis, t);
    if (i >= screen_area(b, axis)) return;
    size_t n0 = (size_t)b.n[t[0]], x = i % n0, y = i / n0;
    int n = b.n[t[along]], at = (int)(along ? y : x), turn = back ? 2 * at + 1 : at + 1,
        step = back ? 2 * at + 1 : 2 * (at + 1);
    const double *wave = b.wave[t[along]], *value = along ? from + x : from + y * n0;
    double sum = 0;
    for (int q = 0; q < n; q++) {
        double weight = back ? screen_weight(b, t[along], q) : 1;
        sum += weight * (2 * wave[turn] * value[along ? (size_t)q * n0 : (size_t)q]);
        turn += step;
        if (turn >= 4 * n) turn -= 4 * n;
    }
    to[i] = sum;
}

/* Charges of a side into one of twice the cells. */
static __global__ void screen_lay(struct screen_box b, int axis, int side, double *pad)
{
    int t[2];
    screen_across(axis, t);
    size_t n0 = (size_t)b.n[t[0]], n1 = (size_t)b.n[t[1]], row = 2 * (n0 + 1), i = this_cell(),
           x = i % row, y = i / row;
    if (y >= 2 * n1) return;
    double psi = x < n0 && y < n1 ? b.odd[screen_at(b, axis, side) + y * n0 + x] : 0;
    pad[i] = psi / (b.h[axis] * b.h[axis]);
}

/* Modes of the charges of both sides to those of their potential. */
static __global__ void screen_facing(struct screen_box b, int axis, double *low, double *high)
{
    int t[2];
    screen_across(axis, t);
    size_t n0 = (size_t)b.n[t[0]] + 1, n1 = (size_t)b.n[t[1]], i = this_cell(), x = i % n0,
           y = i / n0;
    if (y >= 2 * n1) return;
    size_t of = (y <= n1 ? y : 2 * n1 - y) * n0 + x;
    double same = b.same[axis][of], far = b.far[axis][of];
    for (int c = 0; c < 2; c++) {
        double p = low[2 * i + c], q = high[2 * i + c];
        low[2 * i + c] = same * p + far * q;
        high[2 * i + c] = far * p + same * q;
    }
}

static __global__ void screen_take(struct screen_box b, int axis, int side, const double *pad)
{
    int t[2];
    screen_across(axis, t);
    size_t n0 = (size_t)b.n[t[0]], n1 = (size_t)b.n[t[1]], i = this_cell(), x = i % n0, y = i / n0;
    if (y >= n1) return;
    b.part[screen_at(b, axis, side) + i] = pad[y * 2 * (n0 + 1) + x] / (4 * (double)(n0 * n1));
}

/* Sides of `axis` act on one of `to`; `shared` is the axis along both. */
struct meeting {
    int axis, to, side, shared, kind;
};

static __device__ size_t screen_from(size_t i, size_t n, int side)
{
    return side ? n - 1 - i : i;
}

/* Sums along `to`, of both sides of the axis: [side][place][shared axis]. */
static __global__ void screen_along_to(struct screen_box b, struct meeting m)
{
    size_t nt = (size_t)b.n[m.to], nc = (size_t)b.n[m.shared], i = this_cell(), c = i % nc,
           q = i / nc % (size_t)b.places, side = i / nc / (size_t)b.places;
    if (side >= 2) return;
    const double *near = b.near[m.to] + q * (nt + 1),
                 *psi = b.odd + screen_at(b, m.axis, (int)side);
    double sum = 0;
    for (size_t j = 0; j < nt; j++)
        sum += near[screen_from(j, nt, m.side)] * psi[m.to < m.shared ? c * nt + j : j * nc + c];
    b.sum[0][i] = sum / (b.h[m.axis] * b.h[m.axis]);
}

static __global__ void screen_along_shared(struct screen_box b, struct meeting m)
{
    size_t nc = (size_t)b.n[m.shared], i = this_cell(), c = i % nc, q = i / nc % (size_t)b.places;
    if (i / nc / (size_t)b.places >= 2) return;
    const double *along = b.along[m.shared] + q * (2 * nc - 1) + nc - 1 + c,
                 *from = b.sum[0] + (i - c);
    double sum = 0;
    for (size_t e = 0; e < nc; e++)
        sum += from[e] * *(along - e);
    b.sum[1][i] = sum;
}

static __global__ void screen_along_axis(struct screen_box b, struct meeting m)
{
    size_t na = (size_t)b.n[m.axis], nc = (size_t)b.n[m.shared], i = this_cell(), c = i % nc,
           a = i / nc, places = (size_t)b.places, all = screen_at(b, 3, 0);
    if (a >= na) return;
    double sum = 0;
    for (size_t side = 0; side < 2; side++)
        for (size_t q = 0; q < places; q++)
            sum += b.near[m.axis][q * (na + 1) + screen_from(a, na, (int)side)] *
                   b.sum[1][(side * places + q) * nc + c];
    size_t at = m.axis < m.shared ? c * na + a : a * nc + c;
    b.part[(size_t)m.kind * all + screen_at(b, m.to, m.side) + at] = sum;
}

static __global__ void screen_join(struct screen_box b)
{
    size_t i = this_cell(), all = screen_at(b, 3, 0);
    if (i >= all) return;
    b.side[i] = 0.5 * (b.odd[i] + (b.part[i] + (b.part[all + i] + b.part[2 * all + i])));
}

/* The product of the charges of an axis and the potential at its sides: a block of threads for each
 * axis, in a fixed order. */
static __global__ void screen_product(struct screen_box b, double factor, double *product)
{
    __shared__ double sum[THREADS];
    int axis = (int)blockIdx.x;
    double own = 0;
    for (size_t i = screen_at(b, axis, 0) + threadIdx.x; i < screen_at(b, axis + 1, 0);
         i += THREADS)
        own += b.odd[i] * (2 * b.side[i]);
    sum[threadIdx.x] = own;
    for (int by = THREADS / 2; by > 0; by /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < by) sum[threadIdx.x] += sum[threadIdx.x + by];
    }
    if (threadIdx.x == 0) product[axis] = -sum[0] / (b.h[axis] * b.h[axis]) / factor;
}

/* ---- the layer around the cells -------------------------------------------------------------- */

static __global__ void screen_around(struct screen_box b, struct gravity_grid g, int axis)
{
    const size_t step[3] = {1, g.row, g.row * (size_t)g.N[1]};
    size_t area = screen_area(b, axis), i = this_cell();
    int t[2], side = i >= area;
    screen_across(axis, t);
    if (i >= 2 * area) return;
    size_t of = i - (size_t)side * area;
    double *line = g.at + of % (size_t)b.n[t[0]] * step[t[0]] + of / (size_t)b.n[t[0]] * step[t[1]];
    size_t inside = (size_t)(side ? b.n[axis] - 1 : 0) * step[axis],
           beyond = (size_t)(side ? b.n[axis] : g.N[axis] - 1) * step[axis];
    line[beyond] = 2 * b.side[screen_at(b, axis, side) + of] - line[inside];
}

/* The mean of the density of each plane, then of all: a block of threads has a plane. */
static __global__ void screen_mean(struct screen_box b, struct gravity_grid g, double *mean)
{
    __shared__ double sum[THREADS];
    size_t plane = (size_t)b.n[0] * (size_t)b.n[1];
    double own = 0;
    for (size_t i = threadIdx.x; i < plane; i += THREADS)
        own += g.at[((size_t)blockIdx.x * (size_t)g.N[1] + i / (size_t)b.n[0]) * g.row +
                    i % (size_t)b.n[0]];
    sum[threadIdx.x] = own;
    for (int by = THREADS / 2; by > 0; by /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < by) sum[threadIdx.x] += sum[threadIdx.x + by];
    }
    if (threadIdx.x == 0) mean[blockIdx.x] = sum[0] / (double)plane;
}

static __global__ void screen_mean_of_all(struct screen_box b, const double *mean, double *out)
{
    double sum = 0;
    if (this_cell() > 0) return;
    for (int z = 0; z < b.n[2]; z++)
        sum += mean[z];
    *out = sum / b.n[2];
}

/* ---- the device ------------------------------------------------------------------------------ */

void screen_free(struct screen *s)
{
    if (!s) return;
    struct screen_box *b = &s->box;
    for (int d = 0; d < 3; d++) {
        room_free(b->sine[d]), room_free(b->wave[d]), room_free(b->near[d]);
        room_free(b->along[d]), room_free(b->same[d]), room_free(b->far[d]);
    }
    room_free(b->modes), room_free(b->kept), room_free(b->odd), room_free(b->side);
    room_free(b->waves), room_free(b->swap), room_free(b->part), room_free(b->pair);
    room_free(b->sum[0]), room_free(b->sum[1]), room_free(s->mean);
    free(s);
}

static const char *doubles_new(size_t n, double **out)
{
    return room_new(n * sizeof **out, (void **)out);
}

static const char *doubles_copy(const double *from, size_t n, const double **out)
{
    return table(from, n * sizeof *from, (const void **)out);
}

static const char *tables_make(struct screen_box *b, const struct sl_device_screen *what, int d)
{
    size_t n = (size_t)b->n[d], places = (size_t)b->places;
    int t[2];
    screen_across(d, t);
    size_t factors = ((size_t)b->n[t[0]] + 1) * ((size_t)b->n[t[1]] + 1);
    PASS(doubles_copy(what->sine[d], n, &b->sine[d]));
    PASS(doubles_copy(what->wave[d], 4 * n, &b->wave[d]));
    PASS(doubles_copy(what->near[d], places * (n + 1), &b->near[d]));
    PASS(doubles_copy(what->along[d], places * (2 * n - 1), &b->along[d]));
    PASS(doubles_copy(what->same[d], factors, &b->same[d]));
    return doubles_copy(what->far[d], factors, &b->far[d]);
}

static const char *rooms_make(struct screen *s)
{
    struct screen_box *b = &s->box;
    size_t all = screen_at(*b, 3, 0), cells = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2],
           pad = 0, longest = 0;
    for (int d = 0; d < 3; d++) {
        int t[2];
        screen_across(d, t);
        size_t of = 4 * (size_t)b->n[t[1]] * ((size_t)b->n[t[0]] + 1);
        pad = of > pad ? of : pad;
        longest = (size_t)b->n[d] > longest ? (size_t)b->n[d] : longest;
    }
    PASS(doubles_new(screen_row(*b) * (size_t)b->n[1] * (size_t)b->n[2], &b->modes));
    PASS(doubles_new(cells, &b->kept));
    PASS(doubles_new(all, &b->odd));
    PASS(doubles_new(all, &b->side));
    PASS(doubles_new(all, &b->waves));
    PASS(doubles_new(all, &b->swap));
    PASS(doubles_new(ACTING * all, &b->part));
    PASS(doubles_new(2 * pad, &b->pair));
    PASS(doubles_new(2 * (size_t)b->places * longest, &b->sum[0]));
    PASS(doubles_new(2 * (size_t)b->places * longest, &b->sum[1]));
    return doubles_new((size_t)b->n[2], &s->mean);
}

const char *screen_new(struct sl_device *d, const struct sl_device_screen *what,
                       struct screen **out)
{
    struct screen *s = *out = (struct screen *)calloc(1, sizeof *s);
    if (!s) return "no memory on the host";
    s->box.places = what->places;
    memcpy(s->box.n, what->n, sizeof s->box.n);
    memcpy(s->box.h, what->h, sizeof s->box.h);
    for (int a = 0; a < 3; a++)
        PASS(tables_make(&s->box, what, a));
    PASS(rooms_make(s));
    return wait(d); /* the host's numbers may go */
}

extern "C" double *sl_device_screen_modes(struct sl_device *d)
{
    return screen_of(d)->box.modes;
}

extern "C" double *sl_device_screen_pair(struct sl_device *d, int axis, int side)
{
    const struct screen_box *b = &screen_of(d)->box;
    int t[2];
    screen_across(axis, t);
    return b->pair + (side ? 4 * (size_t)b->n[t[1]] * ((size_t)b->n[t[0]] + 1) : 0);
}

static size_t cells_of(const struct screen_box *b)
{
    return (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
}

static unsigned orbits_of(const struct screen_box *b)
{
    return (unsigned)((b->n[2] / 2 + 1) * PARTS);
}

extern "C" const char *sl_device_screen_begin(struct sl_device *d)
{
    struct screen *s = screen_of(d);
    const struct screen_box *b = &s->box;
    struct gravity_grid g = gravity_grid_of(d);
    struct gravity_parts parts = gravity_parts_of(d);
    screen_turn<<<blocks_of(cells_of(b)), THREADS, 0, d->stream>>>(*b, g, 0);
    screen_mean<<<(unsigned)b->n[2], THREADS, 0, d->stream>>>(*b, g, s->mean);
    screen_mean_of_all<<<1, 1, 0, d->stream>>>(*b, s->mean, parts.at + parts.n - 1);
    TRY(cudaGetLastError());
    return NULL;
}

/* Both sides across an axis, from sines to cells or back. */
static const char *sides_turn(struct sl_device *d, int back, double *from, double *to)
{
    const struct screen_box *b = &screen_of(d)->box;
    for (int f = 0; f < FACES; f++) {
        int axis = f / 2;
        size_t at = screen_at(*b, axis, f % 2);
        unsigned grid = blocks_of(screen_area(*b, axis));
        screen_side<<<grid, THREADS, 0, d->stream>>>(*b, axis, 0, back, from + at, b->swap + at);
        screen_side<<<grid, THREADS, 0, d->stream>>>(*b, axis, 1, back, b->swap + at, to + at);
    }
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_screen_odd(struct sl_device *d, double factor)
{
    const struct screen_box *b = &screen_of(d)->box;
    struct gravity_parts parts = gravity_parts_of(d);
    TRY(cudaMemsetAsync(parts.at, 0, (parts.n - 1) * sizeof(double), d->stream));
    screen_odd<<<orbits_of(b), THREADS, 0, d->stream>>>(*b, factor, parts.at);
    for (int a = 0; a < 3; a++)
        screen_sides<<<blocks_of(screen_area(*b, a)), THREADS, 0, d->stream>>>(*b, a);
    TRY(cudaGetLastError());
    return sides_turn(d, 1, b->waves, b->odd);
}

extern "C" const char *sl_device_screen_lay(struct sl_device *d, int axis)
{
    const struct screen_box *b = &screen_of(d)->box;
    int t[2];
    screen_across(axis, t);
    size_t pad = 4 * (size_t)b->n[t[1]] * ((size_t)b->n[t[0]] + 1);
    for (int side = 0; side < 2; side++)
        screen_lay<<<blocks_of(pad), THREADS, 0, d->stream>>>(*b, axis, side,
                                                              sl_device_screen_pair(d, axis, side));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_screen_facing(struct sl_device *d, int axis)
{
    const struct screen_box *b = &screen_of(d)->box;
    int t[2];
    screen_across(axis, t);
    size_t modes = 2 * (size_t)b->n[t[1]] * ((size_t)b->n[t[0]] + 1);
    screen_facing<<<blocks_of(modes), THREADS, 0, d->stream>>>(
        *b, axis, sl_device_screen_pair(d, axis, 0), sl_device_screen_pair(d, axis, 1));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_screen_take(struct sl_device *d, int axis)
{
    const struct screen_box *b = &screen_of(d)->box;
    for (int side = 0; side < 2; side++)
        screen_take<<<blocks_of(screen_area(*b, axis)), THREADS, 0, d->stream>>>(
            *b, axis, side, sl_device_screen_pair(d, axis, side));
    TRY(cudaGetLastError());
    return NULL;
}

/* Of the other two axes on one side. */
static void meet(struct sl_device *d, int to, int side, int which)
{
    const struct screen_box *b = &screen_of(d)->box;
    int t[2];
    screen_across(to, t);
    struct meeting m = {t[which], to, side, t[1 - which], 1 + which};
    size_t lines = 2 * (size_t)b->places * (size_t)b->n[m.shared];
    screen_along_to<<<blocks_of(lines), THREADS, 0, d->stream>>>(*b, m);
    screen_along_shared<<<blocks_of(lines), THREADS, 0, d->stream>>>(*b, m);
    screen_along_axis<<<blocks_of(screen_area(*b, to)), THREADS, 0, d->stream>>>(*b, m);
}

extern "C" const char *sl_device_screen_true(struct sl_device *d, double factor)
{
    const struct screen_box *b = &screen_of(d)->box;
    struct gravity_parts parts = gravity_parts_of(d);
    for (int f = 0; f < 2 * FACES; f++)
        meet(d, f / 4, f / 2 % 2, f % 2);
    screen_join<<<blocks_of(screen_at(*b, 3, 0)), THREADS, 0, d->stream>>>(*b);
    screen_product<<<3, THREADS, 0, d->stream>>>(*b, factor, parts.at + parts.n - 4);
    TRY(cudaGetLastError());
    PASS(sides_turn(d, 0, b->side, b->waves));
    screen_true<<<orbits_of(b), THREADS, 0, d->stream>>>(*b);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_screen_end(struct sl_device *d)
{
    const struct screen_box *b = &screen_of(d)->box;
    struct gravity_grid g = gravity_grid_of(d);
    screen_turn<<<blocks_of(cells_of(b)), THREADS, 0, d->stream>>>(*b, g, 1);
    for (int a = 0; a < 3; a++)
        screen_around<<<blocks_of(2 * screen_area(*b, a)), THREADS, 0, d->stream>>>(*b, g, a);
    TRY(cudaGetLastError());
    return NULL;
}
