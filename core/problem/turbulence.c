/* turbulence.c - a box of uniform density with a random velocity field, made by sluice-ic, and with
 * a magnetic field (MHD): a uniform one, a random one with a power law, or both.
 *
 * Use it for decaying turbulence in a periodic box. Density and pressure start uniform; the sound
 * speed at the start is 1 (ideal gas: p = rho / gamma) or fluid.sound_speed (isothermal). Passive
 * scalars mark halves of the box: scalar 0 is 1 in the lower half along x and 0 beyond, scalar 1
 * along y, and so on in turn.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT for an ic.h5 that is missing, damaged or made for another run
 * Owns    its copy of what it needs of the recipe
 * MPI     fill is collective
 * Where   host
 * Refs    Mac Low, Klessen, Burkert & Smith 1998; Federrath et al. 2010
 * Tests   tests/law/ic.sh
 */
#include "core/state/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/cell/centre.h"
#include "core/exact/whole.h"
#include "core/ic/magnetic_modes.h"
#include "core/ic/turbulence_recipe.h"
#include "core/io/field_file.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(turbulence, 1, "decaying turbulence: uniform density, random velocity field in a periodic box")
SL_SHOW(turbulence, "turbulence energies spectra", "density", "mach_rms_end kinetic_energy decay_exponent density_sigma")
SL_REAL_KEY(turbulence_mach, "turbulence.mach", "1", 1e-30, 1e6, none, "rms velocity of the start over its sound speed, which is 1 in an ideal gas (p = rho / gamma)")
SL_REAL_KEY(turbulence_spectrum, "turbulence.spectrum", "-2", -20, 20, none, "slope p of the start, E(k) ~ k^p: the energy per unit of |k|, summed over directions, so a mode has |v_k|^2 ~ k^(p-2) in 3D")
SL_TEXT_KEY(turbulence_table, "turbulence.table", "", path, "two-column text file k E(k), k in 2 pi / longest side, straight in the logarithms between points; replaces turbulence.spectrum")
SL_INT_KEY(turbulence_kmin, "turbulence.kmin", "1", 1, 100000, none, "smallest |k| of the start, inclusive, in 2 pi / longest side of the box")
SL_INT_KEY(turbulence_kmax, "turbulence.kmax", "8", 1, 100000, none, "largest |k| of the start, inclusive, in 2 pi / longest side of the box")
SL_REAL_KEY(turbulence_solenoidal, "turbulence.solenoidal", "1", 0, 1, none, "weight z of solenoidal modes: the compressive fraction of the power is (1-z)^2 / ((D-1) z^2 + (1-z)^2) in D dimensions; 1 solenoidal, 0.5 natural mixture, 0 compressive")
SL_REAL_KEY(turbulence_density, "turbulence.density", "1", 1e-30, 1e30, none, "uniform density of the start")
SL_REALS_KEY(turbulence_magnetic, "turbulence.magnetic", "[0, 0, 0]", 3, -1e30, 1e30, none, "uniform magnetic field of the start (MHD); its direction alone counts where turbulence.beta is given")
SL_REAL_KEY(turbulence_beta, "turbulence.beta", "0", 0, 1e30, none, "pressure of the gas over that of the uniform field at the start (MHD); 0: turbulence.magnetic is the field itself")
SL_REAL_KEY(turbulence_random_beta, "turbulence.random_beta", "0", 0, 1e30, none, "pressure of the gas over the mean pressure of a random field at the start, beside a uniform one (MHD); 0: no random field")
SL_REAL_KEY(turbulence_random_spectrum, "turbulence.random_spectrum", "-5/3", -20, 20, none, "slope p of the random field, E_B(k) ~ k^p, the energy per unit of |k|")
SL_INT_KEY(turbulence_random_kmin, "turbulence.random_kmin", "1", 1, 100000, none, "smallest |k| of the random field, inclusive, in 2 pi / longest side of the box")
SL_INT_KEY(turbulence_random_kmax, "turbulence.random_kmax", "8", 1, 100000, none, "largest |k| of the random field, inclusive")
SL_REAL_KEY(turbulence_random_helicity, "turbulence.random_helicity", "0", -1, 1, none, "of the random field: (1 + h) / 2 of the power is in waves with curl B = k B, the rest in those with curl B = -k B; 1, -1: fully helical")
SL_RULE(turbulence, mesh_boundary, periodic(cfg), "problem turbulence needs a periodic box; nearest: periodic")
SL_RULE(turbulence, turbulence_kmax, cfg->turbulence_kmin <= cfg->turbulence_kmax, "%lld is below turbulence.kmin, %lld: no waves are left", (long long)cfg->turbulence_kmax, (long long)cfg->turbulence_kmin)
SL_RULE(turbulence, turbulence_solenoidal, cfg->mesh_cells_n > 1 || cfg->turbulence_solenoidal == 0, "in one dimension every mode is compressive: set it to 0")
SL_RULE(turbulence, turbulence_kmax, waves_that_fit(cfg) >= (double)cfg->turbulence_kmax, "%lld waves are more than mesh.cells can resolve; nearest: %g", (long long)cfg->turbulence_kmax, waves_that_fit(cfg))
SL_RULE(turbulence, turbulence_magnetic, cfg->fluid_mhd != SL_MHD_none || !directed(cfg->turbulence_magnetic), "needs a magnetic field: fluid.mhd: glm or ct")
SL_RULE(turbulence, turbulence_random_beta, cfg->fluid_mhd != SL_MHD_none || cfg->turbulence_random_beta == 0, "needs a magnetic field: fluid.mhd: glm or ct")
SL_RULE(turbulence, turbulence_random_kmax, cfg->turbulence_random_kmin <= cfg->turbulence_random_kmax, "%lld is below turbulence.random_kmin, %lld: no waves are left", (long long)cfg->turbulence_random_kmax, (long long)cfg->turbulence_random_kmin)
SL_RULE(turbulence, turbulence_random_kmax, cfg->turbulence_random_beta == 0 || waves_that_fit(cfg) >= (double)cfg->turbulence_random_kmax, "%lld waves are more than mesh.cells can resolve; nearest: %g", (long long)cfg->turbulence_random_kmax, waves_that_fit(cfg))
SL_RULE(turbulence, turbulence_beta, cfg->fluid_mhd != SL_MHD_none || cfg->turbulence_beta == 0, "needs a magnetic field: fluid.mhd: glm or ct")
SL_RULE(turbulence, turbulence_beta, cfg->turbulence_beta == 0 || directed(cfg->turbulence_magnetic), "needs a direction: turbulence.magnetic")
/* clang-format on */

struct turbulence {
    double density, pressure, crossing;
    double magnetic[3];
    struct sl_magnetic_modes modes; /* owned; no waves: b is NULL */
    char path[SL_TEXT_MAX];
    char *made_for; /* owned */
};

static void close_turbulence(void *data)
{
    struct turbulence *t = data;
    if (t) free(t->made_for);
    if (t) sl_magnetic_modes_release(&t->modes);
    free(t);
}

static int set_random(const struct sl_config *cfg, double pressure, struct turbulence *t)
{
    if (cfg->turbulence_random_beta == 0) return SL_OK;
    struct sl_magnetic_spec s = {.seed = (uint64_t)cfg->seed,
                                 .dim = sl_config_dim(cfg),
                                 .rms = sqrt(2 * pressure / cfg->turbulence_random_beta),
                                 .kmin = (int)cfg->turbulence_random_kmin,
                                 .kmax = (int)cfg->turbulence_random_kmax,
                                 .slope = cfg->turbulence_random_spectrum,
                                 .helicity = cfg->turbulence_random_helicity};
    for (int d = 0; d < s.dim; d++)
        s.length[d] = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
    return sl_magnetic_modes_init(&s, &t->modes);
}

static int set_magnetic(const struct sl_config *cfg, struct turbulence *t)
{
    double cs = cfg->fluid_sound_speed, size = 0, scale = 1;
    double p = cfg->fluid_eos == SL_EOS_isothermal ? t->density * cs * cs : t->pressure;
    const double *b = cfg->turbulence_magnetic;
    size = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    if (cfg->turbulence_beta > 0) scale = sqrt(2 * p / cfg->turbulence_beta) / size;
    for (int d = 0; d < 3; d++)
        t->magnetic[d] = scale * b[d];
    return set_random(cfg, p, t);
}

static int open_turbulence(const struct sl_config *cfg, void **data)
{
    struct turbulence *t = calloc(1, sizeof *t);
    SL_CHECK(t, SL_EMEM, "out of memory");
    t->density = cfg->turbulence_density;
    t->pressure = t->density / cfg->fluid_gamma;
    int code = set_magnetic(cfg, t);
    if (code == SL_OK) code = sl_turbulence_recipe_text(cfg, &t->made_for);
    if (code != SL_OK) {
        close_turbulence(t);
        return code;
    }
    t->crossing = sl_turbulence_recipe_crossing(cfg);
    snprintf(t->path, sizeof t->path, "%s", cfg->run_input[0] ? cfg->run_input : "ic.h5");
    *data = t;
    return SL_OK;
}

/* Scalars as densities in a cell of block b. */
static void mark_cell(struct sl_state *run, int b, int k, int j, int i)
{
    const struct sl_mesh *m = run->mesh;
    const struct sl_layout *l = &run->layout;
    double lo[3], hi[3];
    sl_mesh_cell(m, b, k, j, i, lo, hi);
    sl_real rho = run->u[sl_mesh_at(m, l->nvar, b, SL_RHO, k, j, i)];
    for (int s = 0; s < l->nscalar; s++) {
        int a = s % m->dim;
        double middle = 0.5 * (m->spec.lo[a] + m->spec.hi[a]);
        bool below = 0.5 * (lo[a] + hi[a]) < middle;
        run->u[sl_mesh_at(m, l->nvar, b, l->scalar0 + s, k, j, i)] = below ? rho : 0;
    }
}

static void mark_halves(struct sl_state *run)
{
    const struct sl_mesh *m = run->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++)
                    mark_cell(run, b, k, j, i);
}

/* ---- the random field ------------------------------------------------------------------------ */

static int on_faces(const struct sl_state *run, int component)
{
    return run->layout.face >= 0 && component < run->mesh->dim;
}

/* Adds one value; the pressure stays. */
static void add_field(const struct sl_state *run, sl_real *u, int component, double b)
{
    const struct sl_layout *l = &run->layout;
    size_t var = run->mesh->block_cells;
    if (on_faces(run, component)) { /* the cells follow from them */
        u[(size_t)(l->face + component) * var] += (sl_real)b;
        return;
    }
    sl_real *cell = u + (size_t)(l->magnetic + component) * var;
    sl_real more = sl_centre_put(cell, *cell + (sl_real)b);
    if (l->energy >= 0) u[(size_t)l->energy * var] += more;
}

static int add_block(const struct turbulence *t, struct sl_state *run, int block, int component)
{
    const struct sl_mesh *m = run->mesh;
    struct sl_magnetic_part p = {.component = component,
                                 .face = on_faces(run, component) ? component : -1};
    size_t size = 1;
    for (int d = 0; d < 3; d++) {
        p.cells[d] = d < m->dim ? m->spec.cells[d] : 1;
        p.n[d] = m->n[d] + (d == p.face);
        p.from[d] = d < m->dim ? m->blocks[block].at[d] * m->n[d] : 0;
        size *= (size_t)p.n[d];
    }
    double *b = malloc(size * sizeof *b), *from = b;
    SL_CHECK(b, SL_EMEM, "out of memory");
    int code = sl_magnetic_modes_average(&t->modes, &p, b);
    for (int k = 0; k < p.n[2] && code == SL_OK; k++)
        for (int j = 0; j < p.n[1]; j++)
            for (int i = 0; i < p.n[0]; i++)
                add_field(run,
                          run->u + sl_mesh_at(m, run->layout.nvar, block, 0, k + m->g[2],
                                              j + m->g[1], i + m->g[0]),
                          component, *from++);
    free(b);
    return code;
}

/* The components that live on faces, or the others. */
static int add_random(const struct turbulence *t, struct sl_state *run, int faces)
{
    for (int c = 0; c < 3 && t->modes.b; c++)
        for (int b = 0; b < run->mesh->nblock && on_faces(run, c) == faces; b++)
            SL_TRY(add_block(t, run, b, c));
    return SL_OK;
}

static int add_to_faces(const void *data, struct sl_state *run)
{
    return add_random(data, run, 1);
}

static int fill(const void *data, struct sl_state *run)
{
    const struct turbulence *t = data;
    struct sl_field_source source = {.path = t->path,
                                     .expect = t->made_for,
                                     .density = t->density,
                                     .pressure = t->pressure,
                                     .scalars_optional = 1};
    for (int d = 0; d < 3; d++)
        source.magnetic[d] = t->magnetic[d];
    SL_TRY(sl_field_file_fill(&source, run));
    SL_TRY(sl_agree(run->mesh->comm, add_random(t, run, 0)));
    if (run->layout.nscalar > 0) mark_halves(run);
    return SL_OK;
}

static double crossing(const void *data)
{
    const struct turbulence *t = data;
    return t->crossing;
}

/* Difference of velocity v across cell c along an axis, over twice the size of the cell. */
static double slope(const struct sl_whole *w, int v, int axis, const int c[3])
{
    int up[3] = {c[0], c[1], c[2]}, down[3] = {c[0], c[1], c[2]};
    up[axis] = (c[axis] + 1) % w->n[axis];
    down[axis] = (c[axis] + w->n[axis] - 1) % w->n[axis];
    return (sl_whole_at(w, 1 + v, up[2], up[1], up[0]) -
            sl_whole_at(w, 1 + v, down[2], down[1], down[0])) /
           (2 * w->dx[axis]);
}

/* Centred differences weight a wave of solenoidal velocity by sin(k dx)^2: most of what they find
 * has wavelengths of 4 to 8 cells. */
static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    double sum = 0;
    (void)data;
    SL_TRY(sl_whole_init(run, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++)
                for (int a = 0; a < 3; a++) {
                    const int c[3] = {i, j, k}, b = (a + 1) % 3, d = (a + 2) % 3;
                    double curl = slope(&w, d, b, c) - slope(&w, b, d, c);
                    sum += 0.5 * curl * curl;
                }
    sl_measure(out, "enstrophy", "mean of |curl v|^2 / 2, by centred differences",
               sum / w.n[0] / w.n[1] / w.n[2]);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_turbulence = {.name = "turbulence",
                                                 .open = open_turbulence,
                                                 .close = close_turbulence,
                                                 .fill = fill,
                                                 .faces = add_to_faces,
                                                 .crossing = crossing,
                                                 .measure = measure};
