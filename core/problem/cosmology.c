/* cosmology.c - gas and dark matter of a universe from the redshift of their start, which sluice-ic
 * makes.
 *
 * Use it for initial conditions: fields of gas and particles of dark matter in ic.h5, their
 * spectra, and a snapshot of the gas that other programs read (time.end: 0). With time.unit:
 * redshift the run goes on from there: the gas flows, and particles of dark matter
 * (particles.spacing) move on the mesh of gravity (core/source/particles.c). A run of particles
 * alone makes them itself, without a file (ic.write), or reads those of another code (ic.file). Own
 * ones begin at corners of cells, with the displacement of the corner: where a mesh has one cell
 * per particle, particles at centres would lie on the cusp of the kernel. Code units are those in
 * which the equations of a gas with gamma = 5/3 keep their form while the universe expands:
 * comoving Mpc/h, the mean density of matter, 100 km/s over the scale factor. A magnetic field
 * begins uniform (cosmology.field).
 *
 * The file has the resolution of level ic.level of the mesh: a start that is made finer than the
 * root grid has there the means of its waves, and no noise of those that the root lacks. Where the
 * start is refined each level up to that has the values of the file. The motion that cells of means
 * cannot hold is no heat of theirs: of cold gas it is many times that.
 *
 * Shapes  none
 * Units   comoving Mpc/h; density over the mean of all matter; a v / (100 km/s)
 * Errors  SL_EINPUT for keys that make no sense, or an ic.h5 that is missing, damaged or made for
 *         another run
 * Owns    its copy of what it needs of the recipe
 * MPI     fill is collective
 * Where   host
 * Refs    Schive, Tsai & Chiueh 2010, eq. 15 and 16 (variables) and section 5 (baryons alone)
 * Tests   tests/law/cosmology.sh, tests/law/start_here.sh, tests/law/gadget_start.sh
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
#include "core/io/gadget_file.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/io/particle_file.h"
#include "core/particles/store.h"
#include "core/state/state.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(cosmology, 1, "gas and dark matter in an expanding universe; mesh.box in comoving Mpc/h; a run goes to any redshift with time.unit: redshift, with time.end: 0 it is the start alone")
SL_SHOW(cosmology, "universe energies spectra", "density", "")
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
SL_RULE(cosmology, ic_write, !cfg->ic_file[0] || !cfg->ic_write, "true: the start is that of ic.file, there is none to write; nearest: %s", "false")
SL_RULE(cosmology, time_begin, !cfg->ic_file[0] || cfg->time_begin != SL_BEGIN_zero, "zero is for starts that sluice makes, and ic.file has one of ic.redshift; nearest: %s", "start")
SL_RULE(cosmology, mesh_cells, !cfg->ic_file[0] || (cfg->mesh_cells[1] == cfg->mesh_cells[0] && cfg->mesh_cells[2] == cfg->mesh_cells[0]), "ic.file is of a cube; nearest: [%lld, %lld, %lld]", (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0], (long long)cfg->mesh_cells[0])
SL_RULE(cosmology, ic_particles, !sl_config_wants(cfg, SL_SOURCE_particles) || cfg->ic_particles, "a run moves the particles of the start; nearest: true")
/* clang-format on */

struct cosmology {
    char path[SL_TEXT_MAX];
    char *made_for; /* owned */
    int level;      /* ic.level */
};

static void close_cosmology(void *data)
{
    struct cosmology *c = data;
    if (c) free(c->made_for);
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
    int code = sl_cosmology_recipe_text(cfg, &c->made_for);
    if (code != SL_OK) {
        close_cosmology(c);
        return code;
    }
    snprintf(c->path, sizeof c->path, "%s", cfg->run_input[0] ? cfg->run_input : "ic.h5");
    *data = c;
    return SL_OK;
}

/* Proper km/s in the units of the velocities of a run. */
static double from_kms(const struct sl_config *cfg)
{
    return 1 / (1 + cfg->ic_redshift) / 100;
}

/* What the start of another code must be. */
static struct sl_gadget_start other_start(const struct sl_config *cfg)
{
    return (struct sl_gadget_start){.path = cfg->ic_file,
                                    .a = 1 / (1 + cfg->ic_redshift),
                                    .h = cfg->cosmology_h,
                                    .omega_m = cfg->cosmology_omega_m,
                                    .across = cfg->mesh_cells[0] / cfg->particles_spacing,
                                    .speed = from_kms(cfg)};
}

static int fill(const void *data, struct sl_state *run)
{
    const struct cosmology *c = data;
    if (run->cfg->ic_file[0]) {
        const struct sl_gadget_start other = other_start(run->cfg);
        return sl_gadget_file_look(&other, run->mesh);
    }
    if (sl_config_makes_start(run->cfg)) return SL_OK;
    struct sl_field_source source = {
        .path = c->path, .expect = c->made_for, .level = c->level, .keep_heat = true};
    if (run->expansion)
        sl_expansion_field(run->expansion, run->expansion->start, run->cfg->cosmology_field,
                           source.magnetic);
    return sl_field_file_fill(&source, run);
}

/* The file is no coarser than this level: fill has looked at that. */
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

static void add_made(const struct sl_cosmology_particles *from, struct sl_state *run)
{
    double scale = from_kms(run->cfg);
    for (size_t i = 0; i < from->n; i++) {
        double place[3], v[3];
        for (int d = 0; d < 3; d++) {
            place[d] = from->list[SL_COSMOLOGY_PLACE + d][i];
            v[d] = scale * from->list[SL_COSMOLOGY_VELOCITY + d][i];
        }
        sl_particles_add(run->particles, place, v, from->first + i, 0);
    }
}

/* All matter, without a file. */
static int make_particles(struct sl_state *run)
{
    struct sl_particles *p = run->particles;
    const struct sl_mesh_spec *s = &run->mesh->spec;
    struct sl_cosmology_particles made;
    double number = 1 / pow((double)run->cfg->particles_spacing, 3);
    for (int d = 0; d < 3; d++)
        number *= s->cells[d];
    SL_TRY(sl_cosmology_particles_make(run->mesh->comm, run->cfg, &made));
    int code = sl_agree(run->mesh->comm, sl_particles_reserve(p, made.n));
    memset(p->mass, 0, sizeof p->mass);
    p->mass[0] = volume(s) / number;
    if (code == SL_OK) add_made(&made, run);
    sl_cosmology_particles_release(&made);
    return code;
}

static int particles(const void *data, struct sl_state *run)
{
    const struct cosmology *c = data;
    double share = 0;
    if (run->cfg->ic_file[0]) {
        const struct sl_gadget_start other = other_start(run->cfg);
        return sl_gadget_file_read(&other, run->particles);
    }
    if (sl_config_makes_start(run->cfg)) return make_particles(run);
    SL_TRY(sl_agree(run->mesh->comm, read_share(c->path, &share)));
    const struct sl_particle_group from = {c->path, "particles/", from_kms(run->cfg),
                                           (1 - share) * volume(&run->mesh->spec),
                                           (int)run->cfg->particles_spacing};
    return sl_particle_file_group(&from, run->particles);
}

const struct sl_problem sl_problem_cosmology = {.name = "cosmology",
                                                .open = open_cosmology,
                                                .close = close_cosmology,
                                                .fill = fill,
                                                .fills = fills,
                                                .particles = particles};
