/* cosmology.c - gas and dark matter of a universe from the redshift of their start, which sluice-ic
 * makes.
 *
 * Use it for initial conditions: fields of gas and particles of dark matter in ic.h5, their
 * spectra, and a snapshot of the gas that other programs read (time.end: 0). With time.unit:
 * redshift the run goes on from there: the gas flows, and particles of dark matter
 * (particles.spacing) move on the mesh of gravity (core/source/particles.c). A run makes its start
 * itself, without a file, unless ic.write asks for one, or, of particles alone, reads that of
 * another code (ic.file). Own particles begin at corners of cells, with the displacement of the
 * corner: where a mesh has one cell per particle, particles at centres would lie on the cusp of
 * the kernel. Code units are those in which the equations of a gas with gamma = 5/3 keep their form
 * while the universe expands: comoving Mpc/h, the mean density of matter, 100 km/s over the scale
 * factor. A magnetic field begins uniform (cosmology.field).
 *
 * The start has the resolution of level ic.level of the mesh: one start that is made finer than the
 * root grid has there the means of its waves, and no noise of those that the root lacks. Where the
 * start is refined each level up to that has its values. The motion that cells of means
 * cannot hold is no heat of theirs: of cold gas it is many times that.
 *
 * Shapes  none
 * Units   comoving Mpc/h; density over the mean of all matter; a v / (100 km/s)
 * Errors  SL_EINPUT for keys that make no sense, or an ic.h5 that is missing, damaged or made for
 *         another run
 * Owns    its copy of what it needs of the recipe; the particles that fill has made with the gas,
 *         until they are taken; its fine fields (field_planes.h), until all levels are filled
 * MPI     fill is collective
 * Where   host
 * Refs    Schive, Tsai & Chiueh 2010, eq. 15 and 16 (variables) and section 5 (baryons alone)
 * Tests   tests/law/cosmology.sh, tests/law/start_here.sh, tests/law/start_gas.sh,
 *         tests/law/gadget_start.sh
 */
#include "core/state/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/expansion.h"
#include "core/ic/cosmology_file.h"
#include "core/ic/cosmology_recipe.h"
#include "core/io/field_file.h"
#include "core/io/field_planes.h"
#include "core/io/gadget_file.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/io/particle_file.h"
#include "core/particles/backend.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(cosmology, 1, "gas and dark matter in an expanding universe; mesh.box in comoving Mpc/h; a run goes to any redshift with time.unit: redshift, with time.end: 0 it is the start alone")
SL_SHOW(cosmology, "universe energies spectra", "density", "density_sigma clumps clump_mass_share haloes haloes_above halo_mass_share")
SL_RULE_UNKNOWN(cosmology)
SL_RULE(cosmology, mesh_cells, cfg->mesh_cells_n == 3, "problem cosmology needs three dimensions; nearest: [%lld, %lld, %lld]", (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0])
SL_RULE(cosmology, mesh_cells, odd_cells(cfg) == 0, "problem cosmology needs even numbers of cells, not %lld; nearest: %lld", (long long)odd_cells(cfg), (long long)odd_cells(cfg) + 1)
SL_RULE(cosmology, ic_level, cfg->ic_level <= cfg->mesh_levels, "%lld is finer than the mesh, mesh.levels: %lld; nearest: %lld", (long long)cfg->ic_level, (long long)cfg->mesh_levels, (long long)cfg->mesh_levels)
SL_RULE(cosmology, ic_level, cfg->ic_level <= finest_start(cfg) || cfg->ic_level > cfg->mesh_levels, "%lld: the start has more cells along an axis than mesh.cells can be; nearest: %lld", (long long)cfg->ic_level, (long long)finest_start(cfg))
SL_RULE(cosmology, ic_level, cfg->ic_level == 0 || !cfg->ic_particles || cfg->ic_species == SL_IC_SPECIES_baryons, "%lld: a start with particles is as fine as the root grid; nearest: 0, or ic.species: baryons", (long long)cfg->ic_level)
SL_RULE(cosmology, ic_table, cfg->ic_transfer != SL_IC_TRANSFER_table || cfg->ic_table[0], "must be given with ic.transfer: table, the file")
SL_RULE(cosmology, ic_table, cfg->ic_transfer == SL_IC_TRANSFER_table || !cfg->ic_table[0], "is read with ic.transfer: table, not with %s", sl_choice_name("ic.transfer", cfg->ic_transfer))
SL_RULE(cosmology, cosmology_normalise, cfg->ic_transfer == SL_IC_TRANSFER_table || cfg->cosmology_normalise != SL_NORMALISE_table, "table is the amplitude of a table of P(k) (ic.transfer: table); nearest: a_s or sigma8")
SL_RULE(cosmology, mesh_boundary, periodic(cfg), "problem cosmology needs a periodic box; nearest: periodic")
SL_RULE(cosmology, fluid_mhd, cfg->fluid_mhd == SL_MHD_none || sl_config_expands(cfg), "problem cosmology has a magnetic field in a run alone (time.unit: redshift), from cosmology.field; nearest: none")
SL_RULE(cosmology, fluid_scalars, cfg->fluid_scalars == 0, "problem cosmology sets no passive scalars; nearest: 0")
SL_RULE(cosmology, cosmology_omega_b, !two_kinds(cfg) || cfg->cosmology_omega_b > 0, "%g: there is no gas; ic.species: dark_matter says that this is meant", cfg->cosmology_omega_b)
SL_RULE(cosmology, cosmology_omega_b, !two_kinds(cfg) || cfg->cosmology_omega_b < cfg->cosmology_omega_m, "%g of cosmology.omega_m, %g: there is no dark matter; ic.species: baryons says that this is meant", cfg->cosmology_omega_b, cfg->cosmology_omega_m)
SL_RULE(cosmology, units_length, cfg->units_length == 0, "problem cosmology has units of its own, lengths are comoving Mpc/h; nearest: no units.*, and h times each length in Mpc")
SL_RULE(cosmology, time_unit, cfg->time_unit != SL_TIME_UNIT_crossing, "problem cosmology has no crossing time; nearest: redshift")
SL_RULE(cosmology, time_end, sl_config_expands(cfg) || cfg->time_end <= 0, "%g: a run follows the expansion with time.unit: redshift, time.end is its last redshift then; nearest: 0, the start alone", cfg->time_end)
SL_RULE(cosmology, ic_species, !sl_config_expands(cfg) || !sl_config_has_gas(cfg) || cfg->ic_species != SL_IC_SPECIES_dark_matter, "dark_matter has no gas: a run of particles alone says so with fluid.eos: none; nearest: distinct")
SL_RULE(cosmology, ic_species, sl_config_has_gas(cfg) || cfg->ic_species == SL_IC_SPECIES_dark_matter, "%s has gas, but fluid.eos: none is a run without; nearest: dark_matter", sl_choice_name("ic.species", cfg->ic_species))
SL_RULE(cosmology, ic_file, !cfg->ic_file[0] || (sl_config_expands(cfg) && !sl_config_has_gas(cfg)), "is the start of a run of dark matter alone; nearest: fluid.eos: none, time.unit: redshift, or no ic.file")
SL_RULE(cosmology, ic_file, !cfg->ic_file[0] || cfg->cosmology_m_nu == 0, "is the start of another code, which does not say whether its masses have massive neutrinos in them (cosmology.m_nu: %g); nearest: no ic.file", cfg->cosmology_m_nu)
SL_RULE(cosmology, ic_transfer, cfg->cosmology_m_nu == 0 || cfg->ic_transfer == SL_IC_TRANSFER_table, "%s knows no massive neutrinos (cosmology.m_nu: %g); nearest: table, transfer functions of CAMB or CLASS with them", sl_choice_name("ic.transfer", cfg->ic_transfer), cfg->cosmology_m_nu)
SL_RULE(cosmology, ic_noise, !cfg->ic_noise[0] || !cfg->ic_file[0], "is for starts that sluice makes, and ic.file has one of another code; nearest: one of the two")
SL_RULE(cosmology, ic_low_modes, !cfg->ic_noise[0] || cfg->ic_low_modes == 0, "%lld: all modes are those of ic.noise; nearest: 0", (long long)cfg->ic_low_modes)
SL_RULE(cosmology, ic_write, !cfg->ic_file[0] || cfg->ic_write != SL_IC_WRITE_true, "true: the start is that of ic.file, there is none to write; nearest: %s", "auto")
SL_RULE(cosmology, ic_write, cfg->ic_write != SL_IC_WRITE_false || sl_config_expands(cfg) || cfg->run_input[0], "false: without time.unit: redshift the start is all there is, and ic.h5 holds it; nearest: %s", "auto")
SL_RULE(cosmology, time_begin, !cfg->ic_file[0] || cfg->time_begin != SL_BEGIN_zero, "zero is for starts that sluice makes, and ic.file has one of ic.redshift; nearest: %s", "start")
SL_RULE(cosmology, mesh_cells, !cfg->ic_file[0] || (cfg->mesh_cells[1] == cfg->mesh_cells[0] && cfg->mesh_cells[2] == cfg->mesh_cells[0]), "ic.file is of a cube; nearest: [%lld, %lld, %lld]", (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0])
SL_RULE(cosmology, ic_particles, !sl_config_wants(cfg, SL_SOURCE_particles) || cfg->ic_particles, "a run moves the particles of the start; nearest: true")
/* clang-format on */

/* What the start of a run without a file leaves. */
struct made {
    struct sl_cosmology_particles dark; /* until they are taken */
    struct sl_field_planes *fine; /* owned; of ic.level above 0, until all levels are filled */
};

struct cosmology {
    char path[SL_TEXT_MAX];
    char *made_for;    /* owned */
    int level;         /* ic.level */
    struct made *made; /* owned; by fill */
};

static void close_cosmology(void *data)
{
    struct cosmology *c = data;
    if (!c) return;
    if (c->made) {
        sl_cosmology_particles_release(&c->made->dark);
        sl_field_planes_free(c->made->fine);
    }
    free(c->made);
    free(c->made_for);
    free(c);
}

static int open_cosmology(const struct sl_config *cfg, void **data)
{
    SL_CHECK(
        !sl_config_has_gas(cfg) || cfg->ic_species != SL_IC_SPECIES_dark_matter, SL_EINPUT,
        "ic.species: dark_matter has no gas to begin with: sluice-sim takes it with fluid.eos: "
        "none");
    struct cosmology *c = calloc(1, sizeof *c);
    SL_CHECK(c, SL_EMEM, "out of memory");
    c->level = (int)cfg->ic_level;
    int code = sl_alloc("the start", 1, sizeof *c->made, &c->made);
    if (code == SL_OK) code = sl_cosmology_recipe_text(cfg, &c->made_for);
    if (code != SL_OK) {
        close_cosmology(c);
        return code;
    }
    snprintf(c->path, sizeof c->path, "%s", cfg->run_input[0] ? cfg->run_input : "ic.h5");
    *data = c;
    return SL_OK;
}

/* Proper km/s in the units of the velocities of a run, or of a start that goes nowhere. */
static int from_kms(const struct sl_state *run, double *out)
{
    struct sl_expansion *own = NULL;
    if (!run->expansion) SL_TRY(sl_expansion_of(run->mesh->comm, run->cfg, &own));
    *out = (own ? own : run->expansion)->start / 100;
    sl_expansion_free(own);
    return SL_OK;
}

/* What the start of another code must be. */
static int other_start(const struct sl_state *run, struct sl_gadget_start *out)
{
    const struct sl_config *cfg = run->cfg;
    const struct sl_cosmology *c = &run->expansion->u.c;
    SL_CHECK(c->m_nu == 0, SL_EINPUT,
             "ic.file: %s is the start of another code, which does not say whether its masses have "
             "massive neutrinos in them, and cosmology.file has %.4g eV; nearest: no ic.file",
             cfg->ic_file, c->m_nu);
    *out = (struct sl_gadget_start){.path = cfg->ic_file,
                                    .a = 1 / (1 + cfg->ic_redshift),
                                    .h = c->h,
                                    .omega_m = c->omega_m,
                                    .across = cfg->mesh_cells[0] / cfg->particles_spacing,
                                    .speed = 1 / (1 + cfg->ic_redshift) / 100};
    return SL_OK;
}

static void uniform_field(const struct sl_state *run, double magnetic[3])
{
    const struct sl_expansion *e = run->expansion;
    if (e) sl_expansion_field(e, e->start, run->cfg->cosmology_field, magnetic);
}

/* Where a device moves the particles, it makes them. */
static int place(void *of, const struct sl_lattice *what, double *part, bool *made)
{
    struct sl_particles *p = of;
    return p->on->start(p, what, part, made);
}

static int ask_device(const struct sl_state *run, struct sl_cosmology_start *s)
{
    if (!run->particles || !run->particles->on) return SL_OK;
    s->place = place, s->of = run->particles;
    return from_kms(run, &s->to_code);
}

/* Gas and particles, without a file. */
static int make(const struct cosmology *c, struct sl_state *run)
{
    struct sl_cosmology_start s = {.tables = !run->looked_at};
    double magnetic[3] = {0, 0, 0};
    bool single = run->cfg->ic_precision == SL_PRECISION_single;
    uniform_field(run, magnetic);
    SL_TRY(ask_device(run, &s));
    if (run->layout.nvar > 0) SL_TRY(sl_field_planes_new(run, magnetic, single, c->level, &s.gas));
    int code = sl_cosmology_start_make(run->mesh->comm, run->cfg, &s);
    sl_cosmology_particles_release(&c->made->dark);
    c->made->dark = s.dark;
    if (code == SL_OK && c->level > 0)
        c->made->fine = s.gas;
    else
        sl_field_planes_free(s.gas);
    return code;
}

/* Likewise; of ic.level above 0 that is made with the first level, and the others come of it. */
static int fill_made(const struct cosmology *c, struct sl_state *run)
{
    if (!c->made->fine) SL_TRY(make(c, run));
    return c->made->fine ? sl_field_planes_level(c->made->fine, run) : SL_OK;
}

static void filled(const void *data)
{
    const struct cosmology *c = data;
    sl_field_planes_free(c->made->fine);
    c->made->fine = NULL;
}

static int fill(const void *data, struct sl_state *run)
{
    const struct cosmology *c = data;
    if (run->cfg->ic_file[0]) {
        struct sl_gadget_start other;
        SL_TRY(other_start(run, &other));
        return sl_gadget_file_look(&other, run->mesh);
    }
    if (sl_config_makes_start(run->cfg)) return fill_made(c, run);
    struct sl_field_source source = {
        .path = c->path, .expect = c->made_for, .level = c->level, .keep_heat = true};
    uniform_field(run, source.magnetic);
    return sl_field_file_fill(&source, run);
}

/* The start is no coarser than this level: of a file fill has looked at that. */
static int fills(const void *data, const struct sl_state *run, bool *out)
{
    const struct cosmology *c = data;
    *out = run->mesh->level <= c->level;
    return SL_OK;
}

/* The share of the gas in all matter, as the start has it. */
static int read_share(const char *path, double *share)
{
    hid_t file;
    SL_TRY(sl_hdf_open(path, &file));
    return sl_hdf_close(file, sl_h5_get_reals(file, "gas_share", 1, share));
}

static double volume(const struct sl_mesh_spec *s)
{
    double all = 1;
    for (int d = 0; d < 3; d++)
        all *= s->hi[d] - s->lo[d];
    return all;
}

static void add_made(const struct sl_cosmology_particles *from, double scale, struct sl_state *run)
{
    for (size_t i = 0; i < from->n; i++) {
        double place[3], v[3];
        for (int d = 0; d < 3; d++) {
            place[d] = from->list[SL_COSMOLOGY_PLACE + d][i];
            v[d] = scale * from->list[SL_COSMOLOGY_VELOCITY + d][i];
        }
        sl_particles_add(run->particles, place, v, from->first + i, 0);
    }
}

/* Those that fill has made. */
static int take_made(struct sl_cosmology_particles *made, struct sl_state *run)
{
    struct sl_particles *p = run->particles;
    const struct sl_mesh_spec *s = &run->mesh->spec;
    double scale, number = 1 / pow((double)run->cfg->particles_spacing, 3);
    SL_TRY(from_kms(run, &scale));
    for (int d = 0; d < 3; d++)
        number *= s->cells[d];
    int code = sl_agree(run->mesh->comm, sl_particles_reserve(p, made->n));
    memset(p->mass, 0, sizeof p->mass);
    p->mass[0] = (1 - made->share) * volume(s) / number;
    if (code == SL_OK) add_made(made, scale, run);
    sl_cosmology_particles_release(made);
    return code;
}

static int particles(const void *data, struct sl_state *run)
{
    const struct cosmology *c = data;
    double share = 0, scale;
    if (run->cfg->ic_file[0]) {
        struct sl_gadget_start other;
        SL_TRY(other_start(run, &other));
        return sl_gadget_file_read(&other, run->particles);
    }
    if (sl_config_makes_start(run->cfg)) return take_made(&c->made->dark, run);
    SL_TRY(sl_agree(run->mesh->comm, read_share(c->path, &share)));
    SL_TRY(from_kms(run, &scale));
    const struct sl_particle_group from = {c->path, "particles/", scale,
                                           (1 - share) * volume(&run->mesh->spec),
                                           (int)run->cfg->particles_spacing};
    return sl_particle_file_group(&from, run->particles);
}

const struct sl_problem sl_problem_cosmology = {.name = "cosmology",
                                                .open = open_cosmology,
                                                .close = close_cosmology,
                                                .fill = fill,
                                                .fills = fills,
                                                .filled = filled,
                                                .particles = particles};
