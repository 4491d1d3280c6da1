/* device.h - what the host part of the CUDA backend (cuda.c) asks of its device part (*.cu).
 *
 * Everything here works on one device. Fields are those of core/step/sim.h in device memory. Work
 * is queued in order, on one of two streams; a call that gives a value to the host waits for it.
 *
 * Shapes  u[nblock][nvar][nt2][nt1][nt0]; tables hold nothing per cell but one list that all blocks
 *         share
 * Units   code units
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    struct sl_device owns all device memory and the pinned buffers; tables are copied
 * MPI     none
 * Where   host calls; fields in device memory
 * Refs    none
 * Tests   tests/gpu
 */
#ifndef SL_GPU_DEVICE_H
#define SL_GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cell/diffuse.h"
#include "core/cell/mass_flux.h"
#include "core/cell/mirror.h"
#include "core/cell/particle.h"
#include "core/cell/particle_lists.h"
#include "core/cell/source.h"
#include "core/cell/state.h"
#include "core/cell/totals.h"
#include "core/lists/boundary_list.h"
#include "core/lists/integrator_list.h"
#include "core/mesh/direction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A ghost cell of a block and the cell of the neighbour in direction dir that it copies. edges: of
 * the axes along which it lies beside the upper face of the box and is filled for the field there;
 * blocks that are not at all of these upper faces leave it out. */
struct sl_device_ghost {
    int to, from, dir, edges;
};

/* A box of cells of a block that crosses between ranks. */
struct sl_device_link {
    int block, lo[3], n[3];
    size_t start, cells; /* place in the message buffer, per variable */
};

/* Ghost cells at a face of the box. A cell that lies beyond several is filled by the last of them:
 * it copies a cell that an earlier one fills. */
struct sl_device_face {
    int block, axis, upper, lo[3], n[3];
    enum sl_boundary boundary;
    int side[3][2]; /* the faces of its block, -1: not at the edge of the box there */
    size_t start;   /* first of its cells among those whose values are given */
};

struct sl_device_spec {
    int id; /* number of the device */
    int dim, nvar, nblock, nleaf, n[3], g[3], nt[3];
    struct sl_gas gas;
    struct sl_layout layout;
    sl_real theta, dual_eta, gravity[3];
    int lifts;
    sl_real work[3]; /* as of sl_nest_work (core/transfer/nest.h) */
    int integrator, method, limiter, solver;
    int waves, cools; /* as in struct sl_scheme */
    int levels;       /* it is a level of several, which come and go */
    int nghost, nout, nin, nface;
    /* those across a face and next to it come first, then others that touch the block */
    int nnext, ntouch;
    const struct sl_device_ghost *ghost;
    const int *near;       /* [nblock][SL_NDIR], -1: none on this rank */
    const int *edges;      /* [nblock]; the upper faces of the box that it is at, a bit per axis */
    const unsigned *walls; /* [nblock]; as sl_mesh_walls */
    const struct sl_device_link *out, *in;
    const struct sl_device_face *face;
    size_t out_cells, in_cells, given_cells;
};

struct sl_device;
struct sl_lattice;

/* Number of devices, 0 when there is no driver. */
int sl_device_count(void);
/* The name of the device that is in use, cut where it does not fit, and its UUID (NULL: not
 * wanted); "unknown", and no UUID, where that is not known. */
void sl_device_name(char *out, size_t size, char uuid[16]);
const char *sl_device_new(const struct sl_device_spec *spec, struct sl_device **out);
void sl_device_free(struct sl_device *d);

/* A field of the device, whose values are not set, and a place for given boundary values in pinned
 * memory. Freed in the order of the work that is queued; memory of fields of levels waits for other
 * fields of levels. spare_drop: gives back what waits. */
const char *sl_device_field_new(struct sl_device *d, sl_real **out);
void sl_device_field_free(struct sl_device *d, const sl_real *field);
/* Likewise n values, which are 0. */
const char *sl_device_values_new(struct sl_device *d, size_t n, sl_real **out);
void sl_device_spare_drop(struct sl_device *d);
sl_real *sl_device_given(struct sl_device *d);

/* Buffers for messages, which all devices of the process share: pinned memory of the host, or,
 * after sl_device_direct, for those who reach into devices, of the device itself. messages: makes
 * room for so many values. packed: what was packed is where it is sent from (pinned: waits);
 * received: what came is where it is unpacked from. The stream is where work is queued. */
void sl_device_direct(struct sl_device *d);
const char *sl_device_messages(struct sl_device *d, size_t out, size_t in);
sl_real *sl_device_send_buffer(struct sl_device *d);
sl_real *sl_device_receive_buffer(struct sl_device *d);
const char *sl_device_packed(struct sl_device *d, size_t values);
const char *sl_device_received(struct sl_device *d, size_t values);
void *sl_device_stream(struct sl_device *d);
const char *sl_device_wait(struct sl_device *d);

/* Work is queued on the stream for what messages bring (1) or on that for all else (0, at first).
 * join: what is queued next on the present one waits for all that was queued on the other. */
void sl_device_stream_use(struct sl_device *d, int messages);
const char *sl_device_stream_join(struct sl_device *d);

/* Page-locks memory of the host, borrowed until the device is freed, so that copies run at full
 * bandwidth, several times faster; memory that the system does not lock is copied as it is. */
void sl_device_pin(struct sl_device *d, sl_real *host);
const char *sl_device_push(struct sl_device *d, sl_real *field, const sl_real *host);
const char *sl_device_pull(struct sl_device *d, const sl_real *field, sl_real *host);

/* Ghost cells that blocks of this rank copy from each other. */
enum sl_device_copies {
    SL_DEVICE_COPIES_ALL,
    SL_DEVICE_COPIES_NEXT,       /* of cells across a face and next to it */
    SL_DEVICE_COPIES_TOUCH,      /* of cells that touch the block, also across edges and corners */
    SL_DEVICE_COPIES_ASKED,      /* for the blocks of sl_device_asked alone */
    SL_DEVICE_COPIES_ASKED_NEXT, /* for these, of cells across a face and next to it */
    SL_DEVICE_COPIES_WALLS       /* for the first nwall of these */
};

/* Ghost cells of a field of nvar variables: messages into the send buffer; copies between blocks;
 * messages out of the receive buffer; boundaries. x: the
 * variables that a mirror turns. given: 0 where all variables of a given cell are zero, else the
 * buffer's values, whose first is a NaN where the mirror image stays. first: of the variables from
 * it on. */
const char *sl_device_asked(struct sl_device *d, const int *block, int n, int nwall);
const char *sl_device_pack(struct sl_device *d, int nvar, const sl_real *u);
const char *sl_device_local(struct sl_device *d, int nvar, int first, enum sl_device_copies copies,
                            sl_real *u);
const char *sl_device_unpack(struct sl_device *d, int nvar, sl_real *u);
/* The same of one variable in single precision; messages have sl_real. */
const char *sl_device_pack_single(struct sl_device *d, const float *u);
const char *sl_device_unpack_single(struct sl_device *d, float *u);
const char *sl_device_boundary(struct sl_device *d, int nvar, struct sl_mirror x, int given,
                               sl_real *u);

/* One stage over all blocks: out = (1 - b) u0 + b (from + dt L(u)); from is u or u0. */
struct sl_device_stage {
    const sl_real *u0, *u, *from;
    sl_real *out;
    sl_real b, dt, dt_dx[3], per_dx[3];
    sl_real ch, damp; /* MHD: speed at which errors of div B leave; what is left of psi */
    int last;         /* the cells' signals are wanted, not only whether they are bad */
    int first_order;  /* fluxes from cell averages */
    int axis;         /* of a sweep along one axis */
    /* cells beside a block are read in the blocks of this rank that have them, not among the
     * ghost cells */
    int across;
    /* As of struct sl_stage (core/sweep/sweep.h); of all blocks. */
    sl_real *mass;
    const sl_real *mass_before;
};

/* The cells of a stage: all of them, or those of interior tiles, which read nothing that another
 * rank sent, or the rest. overlaps: whether there are interior ones. finish: what follows when all
 * cells are made. */
enum sl_device_part { SL_DEVICE_ALL, SL_DEVICE_INTERIOR, SL_DEVICE_REST };
int sl_device_overlaps(const struct sl_device *d, const struct sl_device_stage *s);
const char *sl_device_advance(struct sl_device *d, const struct sl_device_stage *s,
                              enum sl_device_part part);
const char *sl_device_finish(struct sl_device *d, const struct sl_device_stage *s);
/* Whether stages can do that, and keep no fluxes, which are made from ghost cells. */
int sl_device_reads_across(const struct sl_device *d);
int sl_device_keeps_fluxes(const struct sl_device *d);
/* Whether what keeps them reads the blocks beyond a side as a stage does, not ghost cells. */
int sl_device_keeps_across(const struct sl_device *d);

/* Signals of a field as it is. Signals (bad, rate_max, rate_sum) grow until they are taken; the
 * last two are of leaves alone. */
const char *sl_device_signal(struct sl_device *d, const sl_real per_dx[3], sl_real *u);
const char *sl_device_signal_take(struct sl_device *d, double signal[3]);
/* Cells that shared with others and that took a floor when fluxes were corrected, since this was
 * asked for last, as far as their numbers were copied to the host: with signals, and in a call of
 * `copy`. */
const char *sl_device_matched_copy(struct sl_device *d);
void sl_device_corrected_take(struct sl_device *d, long long corrected[2]);

/* Repairs, as in core/step/repair_rounds.h. flags: all zero, made at the first call; free: until
 * the next. */
const char *sl_device_flags(struct sl_device *d, sl_real **flags);
void sl_device_flags_free(struct sl_device *d);
const char *sl_device_flag(struct sl_device *d, const sl_real *out, long long *count);
const char *sl_device_remake(struct sl_device *d, const struct sl_device_stage *s);
const char *sl_device_lost(struct sl_device *d, const sl_real *out,
                           long long *count); /* not finite */
const char *sl_device_floor(struct sl_device *d, const struct sl_device_stage *s, long long *count);

/* Sums of the history: sum[nblock][SL_TOTALS] of core/cell/totals.h; lowers least[SL_LEASTS]. Ghost
 * cells are filled where there is a field. */
const char *sl_device_totals(struct sl_device *d, const struct sl_totals_of *a, const sl_real *u,
                             double *sum, double *least);

/* A random force: struct sl_force of core/step/backend.h, and where the blocks begin,
 * at[nblock][3]. most: largest density and square of a momentum. sums: adds the terms of
 * sl_drive_terms in units to sum[SL_DRIVE_SUMS][2], the parts of struct sl_sum. */
struct sl_device_force {
    int reach[3], cells[3], version;
    const double *even[2], *odd[2];
    const sl_real *cosine[3], *sine[3];
    const int *at;
};
const char *sl_device_force_most(struct sl_device *d, const sl_real *u, double out[2]);
const char *sl_device_force_sums(struct sl_device *d, const struct sl_device_force *force,
                                 const sl_real *u, const double *unit, long long *sum);
const char *sl_device_force_kick(struct sl_device *d, const struct sl_device_force *force,
                                 sl_real lambda, const sl_real mean[3], sl_real *u);

/* Runs a body of a source term (core/step/source_body.h) on all cells. at[nblock][3]: first cells
 * of the blocks, the same at every call; magic: adds the values in units of core/sys/sum.h to the
 * parts of a sum; 0: most is the largest value. */
struct sl_device_source {
    int body;
    const void *args;
    size_t size;
    const double *table; /* [ntable], the same at every call that has one; NULL: none */
    size_t ntable;
    struct sl_source_cell cell;
    double lo[3], magic;
    const int *at;
};
const char *sl_device_source(struct sl_device *d, const struct sl_device_source *what, sl_real *u,
                             double *most, long long sum[2]);

/* The potential of the gas of the whole box, of n cells (core/step/gravity.h). scale: 0.5 / h, 0
 * along axes that are not there; square: those of core/gravity/poisson.c, one axis after the other;
 * own and other: the first cells of the blocks of this rank, and of those of all others, rank by
 * rank; green and places as in core/step/gravity.h. All are borrowed for the call.
 * In the order of calls: new makes the grid and places where blocks lie in it, again when they
 * have changed; hand gives all of it to another device of this process. density puts the first of
 * nvar variables of own cells, 0 without gas, into the grid; pack puts it into the send buffer, and
 * lay what came of other ranks from the receive buffer into the grid. grid: where it is
 * transformed, in place; modes makes those of the density those of the potential; sums: of each
 * own row of modes the sum of rho phi, row[rows], mean of the density, largest |g| / h along an
 * axis and |g|^2 of the gas. kick: that of core/step/kick.h, what it gives to the energy to kicked,
 * too, unless that is NULL. work: as of core/step/mass_work.h. spread writes the potential, or what
 * lies beyond the sides of the box, to a field of one variable, beyond sides to the first ghost
 * cells. */
enum sl_device_gravity_value { SL_DEVICE_GRAVITY_POTENTIAL, SL_DEVICE_GRAVITY_BEYOND };
/* With screening charges (core/gravity/screen.h), of boxes with nothing around them; sine: 2 sin(pi
 * (k + 1) / 2 n) / h of mode k; wave: sin(pi r / 2 n), r < 4 n; more as struct sl_screen_tables.
 * In the order of calls: begin lays cells where they are transformed, modes; odd makes modes of the
 * potential that is odd beyond the sides, and that potential there; of each axis lay gives the
 * charges of both sides, pair, to be transformed, facing makes modes of their potential, and take
 * takes what came back; true makes the modes of the potential, and end lays it back. */
struct sl_device_screen {
    int n[3], places;
    double h[3];
    const double *sine[3], *wave[3], *near[3], *along[3], *same[3], *far[3];
};
double *sl_device_screen_modes(struct sl_device *d);
double *sl_device_screen_pair(struct sl_device *d, int axis, int side);
const char *sl_device_screen_begin(struct sl_device *d);
const char *sl_device_screen_odd(struct sl_device *d, double factor);
const char *sl_device_screen_lay(struct sl_device *d, int axis);
const char *sl_device_screen_facing(struct sl_device *d, int axis);
const char *sl_device_screen_take(struct sl_device *d, int axis);
const char *sl_device_screen_true(struct sl_device *d, double factor);
const char *sl_device_screen_end(struct sl_device *d);

/* A periodic box of three axes that several devices share: rank has some planes of cells, and some
 * rows of modes (gpu/share.h). A window is the cells of own blocks with layers around them, from lo
 * on, wide cells in all; a sheet is a plane of a window that is also one of somebody's planes: what
 * number it is of the window, and of those planes, the first cell of its rows and their numbers;
 * start: of its numbers in a message. own: sheets between this rank and itself, mine: of its window
 * with planes of others, theirs: of windows of others with its planes.
 * In the order of calls: clear makes the densities of planes 0; pack puts those of the own window
 * into the send buffer, which is for the planes of others, and what is for the own planes behind
 * the `came` numbers that the receive buffer is to have; add takes both. Mass of particles is
 * whole numbers, and goes by itself, to where lay makes densities of it. cells: the planes, which
 * are transformed along x and y; turn puts modes into their own rows and the send buffer, turned
 * takes rows that came; rows: these, transformed along z; turn_back, turned_back: likewise back.
 * pack_back and put: of the potential, from planes to windows. */
enum sl_device_matter { SL_DEVICE_GAS, SL_DEVICE_PARTICLES };
struct sl_device_sheet {
    size_t start;
    int window, plane, lo[2], n[2];
};
struct sl_device_sheets {
    const struct sl_device_sheet *at;
    int n;
};
struct sl_device_slabs {
    int n[3], rank, size, lo[3], wide[3], layers;
    struct sl_device_sheets own, mine, theirs;
};
const char *sl_device_slabs_clear(struct sl_device *d);
const char *sl_device_slabs_pack(struct sl_device *d, enum sl_device_matter what, size_t came);
const char *sl_device_slabs_add(struct sl_device *d, enum sl_device_matter what, size_t came);
const char *sl_device_slabs_lay(struct sl_device *d, double density);
double *sl_device_slabs_cells(struct sl_device *d);
const char *sl_device_slabs_turn(struct sl_device *d);
const char *sl_device_slabs_turned(struct sl_device *d);
void *sl_device_slabs_rows(struct sl_device *d);
const char *sl_device_slabs_turn_back(struct sl_device *d);
const char *sl_device_slabs_turned_back(struct sl_device *d);
const char *sl_device_slabs_pack_back(struct sl_device *d, size_t came);
const char *sl_device_slabs_put(struct sl_device *d, enum sl_device_matter what, size_t came);

/* screen, slabs: NULL: none. */
struct sl_device_gravity {
    int n[3], isolated, places, nother;
    double h[3], scale[3];
    const struct sl_device_screen *screen;
    const struct sl_device_slabs *slabs;
    const double *square, *green[3];
    const int *own, *other;
};
struct sl_device_work {
    struct sl_mass_work how;
    const sl_real *mass;
    sl_real *kicked;
};
const char *sl_device_gravity_new(struct sl_device *d, const struct sl_device_gravity *what);
const char *sl_device_gravity_places(struct sl_device *d, const struct sl_device_gravity *what);
void sl_device_gravity_hand(struct sl_device *from, struct sl_device *to);
const char *sl_device_gravity_density(struct sl_device *d, int nvar, const sl_real *u);
const char *sl_device_gravity_pack(struct sl_device *d, int nvar, const sl_real *u);
const char *sl_device_gravity_lay(struct sl_device *d);
double *sl_device_gravity_grid(struct sl_device *d);
const char *sl_device_gravity_modes(struct sl_device *d, double factor);
int sl_device_gravity_rows(const struct sl_device *d);
const char *sl_device_gravity_sums(struct sl_device *d, double *row, double *mean, double most[2]);
const char *sl_device_gravity_kick(struct sl_device *d, sl_real time, sl_real *u, sl_real *kicked);
const char *sl_device_gravity_work(struct sl_device *d, const struct sl_device_work *what,
                                   sl_real *u);
/* A kick over a time, then the work. */
const char *sl_device_gravity_close(struct sl_device *d, sl_real time,
                                    const struct sl_device_work *what, sl_real *u);
const char *sl_device_gravity_potential(struct sl_device *d, double *own);
const char *sl_device_gravity_spread(struct sl_device *d, enum sl_device_gravity_value what,
                                     sl_real *field);

/* Particles of dark matter on the mesh of that potential (core/particles/store.h), on a device each
 * those in the blocks of its rank. A particle takes 20 bytes, 1 for its kind and its velocity: 45
 * in double, 33 in single precision, and 12 more at most while they are sorted. margin, whole: as
 * in core/particles/push.h; local[blocks of the box]: -1 where a block is of another rank; NULL:
 * none is. what is borrowed for the call.
 * set: all of them, at[n]; add: more; count: those that are there; get: these, at[count].
 * In the order of calls: deposit puts their mass into a field of whole numbers, of the whole box,
 * or of a window of it, with the layers around it that a kernel reads; of the whole box lay adds
 * it, times the density of a unit, to the grid of the potential, and potential fills the field with
 * what has become of that grid. mass: the field between the first two, where those of several ranks
 * are added up; field brings it to the host (put: 0) or from there. kick gathers the pull from it.
 * drift counts those that left an open box, and those that came to blocks of other ranks; leave
 * brings these, at[n], to the host.
 * look: largest |g| / h and |v| / h along an axis. bounds: largest |terms| (SL_PARTICLE_TERMS);
 * sums: adds theirs to sum[term][unit][part], in units as struct sl_sum_units has them. */
struct sl_device_particles {
    int kernel, n[3], block[3];
    int lo[3], wide[3];       /* the cells that the field has, but for layers around them */
    double scale[3], rate[3]; /* 0.5 / h, 1 / h */
    int64_t margin[3];
    const int *local;
};
struct sl_device_terms {
    double mass[SL_PARTICLE_KINDS], magic[SL_PARTICLE_TERMS], unit[SL_PARTICLE_TERMS],
        fine[SL_PARTICLE_TERMS];
};
const char *sl_device_particles_new(struct sl_device *d, const struct sl_device_particles *what);
const char *sl_device_particles_set(struct sl_device *d, const struct sl_particle *at, size_t n);
const char *sl_device_particles_add(struct sl_device *d, const struct sl_particle *at, size_t n);
size_t sl_device_particles_count(const struct sl_device *d);
const char *sl_device_particles_get(struct sl_device *d, struct sl_particle *at);
const char *sl_device_particles_hash(struct sl_device *d, uint64_t *sum);
/* All that there are, who is gone left out; waits. */
const char *sl_device_particles_lists(struct sl_device *d, struct sl_particle_lists *out);
const char *sl_device_particles_deposit(struct sl_device *d, const int64_t *whole);
const char *sl_device_particles_lay(struct sl_device *d, double density);
const char *sl_device_particles_potential(struct sl_device *d);
int64_t *sl_device_particles_mass(struct sl_device *d);
size_t sl_device_particles_field_size(const struct sl_device *d); /* numbers of 8 bytes */
const char *sl_device_particles_field(struct sl_device *d, void *host, int put);
const char *sl_device_particles_kick(struct sl_device *d, struct sl_particle_kick by);
const char *sl_device_particles_drift(struct sl_device *d, const double way[3], int64_t *gone,
                                      int64_t *moved);
const char *sl_device_particles_leave(struct sl_device *d, struct sl_particle *at, size_t n);
const char *sl_device_particles_look(struct sl_device *d, double *pull, double *speed);
const char *sl_device_particles_bounds(struct sl_device *d, const struct sl_device_terms *terms,
                                       double *bound);
const char *sl_device_particles_sums(struct sl_device *d, const struct sl_device_terms *terms,
                                     int64_t *sum);

/* A start of dark matter (core/ic/lattice.h), which each device makes of the whole box; those in
 * blocks of other ranks are then dropped. fine: cells of the finer grid along an axis. Most that it
 * takes: to second order 24 fine / cells bytes for each cell of the box, 30 or 36, with what the
 * transforms take 230 for those of a plane of the finer grid, and 8 for each particle, before there
 * are any; then for each of these its 45 bytes (33), an eighth more, and 24, those of S, of a field
 * and of its transform.
 * In the order of calls: new; shells: sums over own rows, part[ny][nshell + 1][SL_SHELL_COLUMNS].
 * To second order products takes room, potential makes modes of three fields, of which row gives
 * rows along y to be transformed along z, each `width` wide; for each plane of the finer grid
 * spread makes modes of six fields to be transformed back, multiply their product, and take takes
 * its modes; of these, rows of field 0, transformed, keep keeps S and gives room back. room: for
 * particles and a field; field makes its modes, of displacements or velocities along an axis, which
 * are transformed in the box, and put gives them to the particles; hi: the end of the box; end
 * brings these in order. free: when all is done, or there was no room for it. */
struct sl_device_lattice_planes {
    void *modes, *product_modes;
    double *planes, *product;
};
const char *sl_device_lattice_new(struct sl_device *d, const struct sl_lattice *what, int fine);
void sl_device_lattice_free(struct sl_device *d);
const char *sl_device_lattice_shells(struct sl_device *d, int nshell, int y0, int ny, double *part);
const char *sl_device_lattice_products(struct sl_device *d);
const char *sl_device_lattice_potential(struct sl_device *d);
void *sl_device_lattice_row(struct sl_device *d, int field, int y, int width);
const char *sl_device_lattice_spread(struct sl_device *d, int plane);
struct sl_device_lattice_planes sl_device_lattice_planes(const struct sl_device *d);
const char *sl_device_lattice_multiply(struct sl_device *d);
const char *sl_device_lattice_take(struct sl_device *d, int plane);
const char *sl_device_lattice_keep(struct sl_device *d);
const char *sl_device_lattice_room(struct sl_device *d);
double *sl_device_lattice_box(const struct sl_device *d);
const char *sl_device_lattice_field(struct sl_device *d, const struct sl_lattice *what, int field,
                                    int axis);
const char *sl_device_lattice_put(struct sl_device *d, const struct sl_lattice *what, int field,
                                  int axis, double hi);
const char *sl_device_lattice_end(struct sl_device *d);

/* A stage of a super time step of diffusion (core/step/diffuse.h) of all cells, ghost cells of now
 * filled, to next. */
struct sl_device_diffuse {
    struct sl_diffuse p;
    struct sl_diffuse_mix mix;
    int begin;
    const sl_real *now;
    sl_real *next;
};
const char *sl_device_diffuse(struct sl_device *d, const struct sl_device_diffuse *s);

/* Most bytes of the device that this process had from its pool at a time, and for fields of levels
 * at a time; 0 where there is no pool. */
const char *sl_device_memory(double *most);

/* Bytes that fields of levels have, and that they may have besides: of such fields that were given
 * back, and free ones. */
const char *sl_device_room(double *taken, double *spare);

/* Bytes read and written per second by a copy within the device. */
const char *sl_device_copy_rate(double *bytes_per_s);

#ifdef __cplusplus
}
#endif
#endif
