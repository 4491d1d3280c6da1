/* cosmology_file.c - see cosmology_file.h. */
#include "core/ic/cosmology_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/cosmo/thermal.h"
#include "core/cosmo/universe_files.h"
#include "core/ic/cosmology_fields.h"
#include "core/ic/cosmology_recipe.h"
#include "core/ic/lpt.h"
#include "core/io/field_file.h"
#include "core/io/field_planes.h"
#include "core/io/flash.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/measure/spectrum.h"
#include "core/measure/table.h"
#include "core/sys/agree.h"
#include "core/sys/crc32c.h"
#include "core/sys/mem.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

struct start {
    const struct sl_config *cfg;
    struct sl_universe_files files;
    struct sl_universe u;
    struct sl_findings findings;
    struct sl_power power;
    struct sl_density_modes modes;
    struct sl_cosmology_fields f;
    struct sl_thermal gas;
    struct sl_hdf h;
    struct sl_field_shell *shell; /* [nshell + 1] */
    int nshell;
    double share;  /* of the gas in all matter, 0 without gas */
    double a, z;   /* scale factor and redshift of the box */
    double to_kms; /* u in Mpc/h to proper peculiar km/s */
    double worst
        [2]; /* largest |measured / input - 1| below half the Nyquist frequency: gas, dark matter */
    double mass_excess; /* relative, of the gas after interpolation; taken out of it */
    struct sl_tables tables;
    bool gaseous, dark, file_open, drawn; /* drawn: the fields are there */
    bool placed;                          /* a device has made the particles */
    struct sl_cosmology_start *run;       /* borrowed; NULL: all goes to the file */
    int kept;                             /* lists of its particles that are filled */
};

static int root(const struct start *s)
{
    return s->f.slab.rank == 0;
}

/* ---- reading and setting up ---- */

static int read_inputs(struct start *s, MPI_Comm comm)
{
    const struct sl_config *cfg = s->cfg;
    SL_TRY(sl_universe_files_read(comm, cfg, &s->files));
    int code = sl_universe_init(cfg, &s->files.parameters, &s->u);
    if (code == SL_OK)
        code = sl_universe_power(cfg, &s->u, &s->files.table, &s->findings, &s->power);
    return sl_agree(comm, code);
}

/* The temperature that is asked for is not that of gas which never met the radiation. */
static int check_temperature(const struct start *s)
{
    double z = s->z, asked = s->cfg->ic_temperature;
    double never = sl_cosmology_photons(&s->u.c) * (1 + z) * (1 + z), gas = s->gas.temperature;
    SL_CHECK(
        !s->gaseous || never < 10 * gas || fabs(asked / never - 1) > 0.03, SL_EINPUT,
        "ic.temperature: %g K at z = %g is T_cmb (1 + z)^2, but gas left the radiation at z of "
        "about 140: %.3g K; nearest: 0, which is that",
        asked, z, gas);
    return SL_OK;
}

static int set_modes(struct start *s)
{
    const struct sl_config *cfg = s->cfg;
    s->modes = (struct sl_density_modes){.seed = (uint64_t)cfg->seed,
                                         .fixed = cfg->ic_fixed,
                                         .paired = cfg->ic_paired,
                                         .low_modes = (int)cfg->ic_low_modes,
                                         .low_seed = (uint64_t)cfg->ic_low_seed,
                                         .noise = cfg->ic_noise,
                                         .noise_set = cfg->ic_noise_set};
    s->gaseous = cfg->ic_species != SL_IC_SPECIES_dark_matter;
    s->dark = cfg->ic_species != SL_IC_SPECIES_baryons;
    s->share = !s->gaseous ? 0 : s->dark ? s->u.c.omega_b / s->u.c.omega_m : 1;
    s->a = sl_universe_scale_factor(&s->u, cfg->ic_redshift);
    s->z = sl_universe_own_redshift(&s->u, cfg->ic_redshift);
    s->to_kms = s->a * sl_cosmology_hubble(&s->u.c, s->a) / s->u.c.h;
    s->gas = sl_thermal_at(&s->u.c, s->u.helium, s->z);
    SL_TRY(check_temperature(s));
    if (cfg->ic_temperature > 0) {
        s->gas.temperature = cfg->ic_temperature;
        s->gas.response = 0;
    }
    return SL_OK;
}

/* Draws the modes. */
static int set_fields(struct start *s)
{
    const struct sl_slab slab = s->f.slab;
    int corners = s->f.corners;
    SL_TRY(sl_cosmology_fields_init(slab.comm, &s->power, &s->modes, (int)s->cfg->ic_order,
                                    s->dark ? SL_POWER_BARYON : SL_POWER_TOTAL, slab.n, slab.length,
                                    &s->f));
    s->f.corners = corners;
    s->drawn = true;
    return SL_OK;
}

/* All but the fields. */
static int set_up(struct start *s, MPI_Comm comm)
{
    int cells[3];
    double length[3];
    SL_TRY(read_inputs(s, comm));
    SL_TRY(set_modes(s));
    for (int d = 0; d < 3; d++) {
        cells[d] = (int)sl_config_start_cells(s->cfg, d);
        length[d] = s->cfg->mesh_box[2 * d + 1] - s->cfg->mesh_box[2 * d];
    }
    sl_slab_init(comm, 3, cells, length, &s->f.slab);
    s->f.order = (int)s->cfg->ic_order;
    s->f.corners =
        sl_config_wants(s->cfg, SL_SOURCE_particles) ? (int)s->cfg->particles_spacing : 0;
    s->nshell = sl_spectrum_shells(&s->f.slab);
    s->shell = calloc((size_t)s->nshell + 1, sizeof *s->shell);
    return sl_agree(comm, s->shell ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
}

/* ---- measuring ---- */

/* Number of integer vectors in a shell of a cube. */
static double lattice_count(int shell)
{
    double count = 0;
    int reach = shell + 1;
    for (int x = -reach; x <= reach; x++)
        for (int y = -reach; y <= reach; y++)
            for (int z = -reach; z <= reach; z++)
                count += (int)floor(sqrt((double)(x * x + y * y + z * z)) + 0.5) == shell;
    return count;
}

static int check_counts(const struct start *s, const struct sl_shells *m, int i)
{
    const struct sl_slab *slab = &s->f.slab;
    double counted = sl_spectrum_at(m, i, SL_SPECTRUM_MODES);
    bool cube = slab->length[0] == slab->length[1] && slab->length[0] == slab->length[2];
    SL_CHECK(counted == s->shell[i].modes && (!cube || i > 24 || counted == lattice_count(i)),
             SL_EGUARD, "shell %d has %.0f modes on the grid and %.0f in the field", i, counted,
             s->shell[i].modes);
    return SL_OK;
}

/* What is measured on the grid is what was put into the modes, to round-off (exact), unless the gas
 * has carried it away; how far both are from the input is chance (with fixed amplitudes: the second
 * order), and goes to the file. */
static int compare(struct start *s, const struct sl_shells *m, bool exact, double *worst)
{
    for (int i = 1; i < s->nshell; i++) {
        double e = sl_spectrum_at(m, i, SL_SPECTRUM_TOTAL);
        SL_TRY(check_counts(s, m, i));
        SL_CHECK(!exact || fabs(e - s->shell[i].realised) <=
                               1e-11 * s->shell[i].realised + 1e-14 * m->grid,
                 SL_EGUARD,
                 "the field has power %.17g in shell %d of the grid and %.17g in its modes", e, i,
                 s->shell[i].realised);
        if (2 * i <= s->nshell) *worst = fmax(*worst, fabs(e / s->shell[i].linear - 1));
    }
    return SL_OK;
}

enum { K, MODES, MEASURED, INPUT, ERROR, COLUMNS };

/* What the power of the input is: the fit, or what the table was taken for and its checksum. */
static void name_source(const struct start *s, char source[160])
{
    const struct sl_power *p = &s->power;
    const struct sl_named_bytes *t = &s->files.table;
    if (p->layout == SL_TRANSFER_LAYOUTS)
        snprintf(source, 160, "%s", sl_choice_name("ic.transfer", s->cfg->ic_transfer));
    else
        snprintf(source, 160, "%s, %s, CRC-32C %08x", sl_transfer_code(p->layout),
                 sl_transfer_about(p->layout), (unsigned)sl_crc32c(0, t->bytes, t->size));
}

static int tabulate(struct start *s, const struct sl_shells *m, const char *name, const char *what)
{
    static const char *const text[COLUMNS][2] = {{"k", "h/Mpc"},
                                                 {"modes", "1"},
                                                 {"measured", "(Mpc/h)^3"},
                                                 {"input", "(Mpc/h)^3"},
                                                 {"input_scatter", "(Mpc/h)^3"}};
    struct sl_table *t;
    char source[160];
    const struct sl_slab *slab = &s->f.slab;
    double volume = slab->length[0] * slab->length[1] * slab->length[2];
    name_source(s, source);
    SL_TRY(sl_tables_add(
        &s->tables, name, s->nshell - 1, COLUMNS, &t,
        "power of %s, and that of the input over the same modes; shells of "
        "width 2 pi / longest side, k: mean of their modes; scatter: sqrt(2 / modes); input: %s",
        what, source));
    for (int c = 0; c < COLUMNS; c++)
        sl_table_column(t, c, text[c][0], text[c][1]);
    for (int i = 1; i < s->nshell; i++) {
        double n = s->shell[i].modes, input = volume * s->shell[i].linear / n;
        *sl_table_at(t, i - 1, K) = s->shell[i].k / n;
        *sl_table_at(t, i - 1, MODES) = n;
        *sl_table_at(t, i - 1, MEASURED) = volume * sl_spectrum_at(m, i, SL_SPECTRUM_TOTAL) / n;
        *sl_table_at(t, i - 1, INPUT) = input;
        *sl_table_at(t, i - 1, ERROR) = input * sqrt(2 / n);
    }
    sl_table_note(t, "redshift", s->z);
    if (s->u.mean_overdensity != 0) sl_table_note(t, "redshift_around", s->cfg->ic_redshift);
    sl_table_note(t, "sigma8_start", sl_power_sigma(&s->power, 8));
    sl_table_note(t, "sigma8_today", s->power.sigma8);
    return SL_OK;
}

static int measure(struct start *s, const char *name, const char *what, bool exact, double *worst)
{
    struct sl_shells m = {0};
    const double *fields[1] = {s->f.value};
    double *const room[1] = {sl_cosmology_fields_scratch(&s->f)};
    SL_TRY(sl_spectrum_make(&s->f.slab, 1, fields, 1, room, &m));
    int code = compare(s, &m, exact, worst);
    if (code == SL_OK) code = tabulate(s, &m, name, what);
    sl_spectrum_release(&m);
    return sl_agree(s->f.slab.comm, code);
}

/* ---- the particles of a run ---- */

/* Planes of the lattice of the particles below plane z of the cells. */
static int lattice_planes(const struct start *s, int z)
{
    return (z + s->f.corners - 1) / s->f.corners;
}

static int lists_make(struct start *s)
{
    const struct sl_slab *slab = &s->f.slab;
    struct sl_cosmology_particles *p = &s->run->dark;
    int before = lattice_planes(s, slab->z0), after = lattice_planes(s, slab->z0 + slab->nz);
    size_t plane = (size_t)(slab->n[0] / s->f.corners) * (size_t)(slab->n[1] / s->f.corners);
    p->first = (uint64_t)before * plane;
    p->share = s->share;
    p->n = (size_t)(after - before) * plane;
    for (int i = 0; i < SL_COSMOLOGY_LISTS; i++)
        SL_TRY(sl_alloc("particles of the start", p->n, sizeof(double), &p->list[i]));
    return SL_OK;
}

/* The next list: of the corners where particles start, as the file would hold it. */
static void keep(struct start *s, const double *value)
{
    const struct sl_slab *slab = &s->f.slab;
    int every = s->f.corners, before = lattice_planes(s, slab->z0);
    double *to = s->run->dark.list[s->kept++];
    for (int z = before * every; z < slab->z0 + slab->nz; z += every)
        for (int y = 0; y < slab->n[1]; y += every) {
            const double *from = value + ((size_t)(z - slab->z0) * (size_t)slab->n[1] + (size_t)y) *
                                             (size_t)slab->n[0];
            for (int x = 0; x < slab->n[0]; x += every)
                *to++ = s->h.single ? (double)(float)from[x] : from[x];
        }
}

/* ---- writing fields, or handing them over ---- */

static int hand_over(struct start *s, const char *name, const double *value)
{
    bool dark = strncmp(name, "particles/", 10) == 0;
    if (!dark) return sl_field_planes_put(s->run->gas, &s->f.slab, name, value);
    keep(s, value);
    return SL_OK;
}

static int put(struct start *s, const char *name, const char *units, const char *about,
               const double *value)
{
    struct sl_field_out out = {name, units, about, value};
    if (s->run) return hand_over(s, name, value);
    return sl_field_file_write(&s->f.slab, &s->h, 1, &out);
}

static void scale(struct start *s, double factor, double offset)
{
    for (size_t i = 0; i < sl_slab_cells(&s->f.slab); i++)
        s->f.value[i] = factor * s->f.value[i] + offset;
}

static int check_positive(struct start *s)
{
    double least = INFINITY, all;
    for (size_t i = 0; i < sl_slab_cells(&s->f.slab); i++)
        least = fmin(least, s->f.value[i]);
    MPI_Allreduce(&least, &all, 1, MPI_DOUBLE, MPI_MIN, s->f.slab.comm);
    SL_CHECK(all > -1, SL_EINPUT,
             "the density contrast of the gas goes down to %.3g at z = %g: too late for "
             "perturbation theory on this "
             "grid; a larger ic.redshift is needed",
             all, s->z);
    return SL_OK;
}

/* From the contrast in value: temperature, pressure, density, each in place. */
static int write_gas_state(struct start *s)
{
    double speed2 =
        SL_BOLTZMANN_OVER_HYDROGEN / sl_thermal_weight(s->u.helium); /* (km/s)^2 per K */
    double response = s->gas.response, t0 = s->gas.temperature, *v = s->f.value;
    size_t n = sl_slab_cells(&s->f.slab);
    double *out = sl_cosmology_fields_scratch(&s->f);
    for (size_t i = 0; i < n; i++)
        out[i] = t0 * pow(1 + v[i], response);
    int code = put(s, "temperature", "K", "temperature of the gas", out);
    for (size_t i = 0; i < n; i++)
        out[i] *= s->share * (1 + v[i]) * s->a * s->a * speed2 / 1e4;
    if (code == SL_OK)
        code = put(s, "pressure", "mean matter density * (100 km/s)^2 / a^5",
                   "a^5 times the pressure of the gas", out);
    scale(s, s->share, s->share);
    if (code == SL_OK)
        code = put(s, "density", "mean matter density", "comoving density of the gas", s->f.value);
    return code;
}

static int write_vector(struct start *s, const char *stem, const char *units, const char *about,
                        double factor, int (*make)(struct sl_cosmology_fields *, int))
{
    for (int axis = 0; axis < 3; axis++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%c", stem, 'x' + axis);
        SL_TRY(make(&s->f, axis));
        scale(s, factor, 0);
        SL_TRY(put(s, name, units, about, s->f.value));
    }
    return SL_OK;
}

/* Interpolation has lost or won a little mass: the mean contrast becomes 0 again. */
static int keep_mass(struct start *s)
{
    const struct sl_slab *slab = &s->f.slab;
    size_t plane = (size_t)slab->n[0] * (size_t)slab->n[1];
    double *part = calloc((size_t)slab->nz + 1, sizeof *part), sum;
    int code = sl_agree(slab->comm, part ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    for (size_t k = 0; k < (size_t)slab->nz && code == SL_OK; k++)
        for (size_t i = 0; i < plane; i++)
            part[k] += s->f.value[k * plane + i];
    if (code == SL_OK) code = sl_slab_sum(slab, 1, part, &sum);
    free(part);
    SL_TRY(code);
    s->mass_excess = sum / ((double)plane * slab->n[2]);
    scale(s, 1 / (1 + s->mass_excess), -s->mass_excess / (1 + s->mass_excess));
    return SL_OK;
}

static int write_gas(struct start *s)
{
    bool carried = s->f.order > 1;
    if (!s->gaseous) {
        sl_lpt_trim(&s->f.lpt);
        return SL_OK;
    }
    SL_TRY(sl_cosmology_fields_gas(&s->f, s->nshell, s->shell));
    if (carried) SL_TRY(keep_mass(s));
    SL_TRY(check_positive(s));
    SL_TRY(
        measure(s, "spectrum_gas", "the gas density measured on the grid", !carried, &s->worst[0]));
    SL_TRY(write_gas_state(s));
    return write_vector(s, "velocity", "100 km/s / a",
                        "a times the proper peculiar velocity of the gas", s->a * s->to_kms / 100,
                        sl_cosmology_fields_gas_velocity);
}

/* The smallest number of the precision of the file that is not below lo. */
static double first_inside(const struct start *s, double lo)
{
    float first = (float)lo < lo ? nextafterf((float)lo, HUGE_VALF) : (float)lo;
    return s->h.single ? first : lo;
}

/* Places along an axis of a line of particles. cell: of the first; step: from one to the next. */
static void place_line(const struct sl_lattice_axis *w, int cell, int step, int count, double *v)
{
    for (int i = 0; i < count; i++)
        v[i] = sl_lattice_place(w, cell + i * step, v[i]);
}

static struct sl_lattice_axis axis_of(const struct start *s, int axis)
{
    double lo = s->cfg->mesh_box[2 * axis], length = s->f.slab.length[axis];
    return (struct sl_lattice_axis){
        lo, length, first_inside(s, lo), s->f.slab.n[axis], s->h.single, s->f.corners ? 0 : 0.5};
}

/* Positions of the particles along an axis, from displacements in value. */
static void place(struct start *s, int axis)
{
    const struct sl_slab *slab = &s->f.slab;
    const struct sl_lattice_axis w = axis_of(s, axis);
    double *v = s->f.value;
    for (int k = slab->z0; k < slab->z0 + slab->nz; k++)
        for (int j = 0; j < slab->n[1]; j++, v += slab->n[0])
            place_line(&w, axis == 0 ? 0 : axis == 1 ? j : k, axis == 0, slab->n[0], v);
}

static int write_particles(struct start *s)
{
    for (int axis = 0; axis < 3; axis++) {
        char name[64];
        snprintf(name, sizeof name, "particles/position_%c", 'x' + axis);
        struct sl_field_recipe r = sl_field_displacement(&s->f, axis);
        SL_TRY(sl_cosmology_fields_make(&s->f, &r, 0, NULL));
        place(s, axis);
        SL_TRY(put(s, name, "Mpc/h", "comoving position of dark matter particles", s->f.value));
    }
    return write_vector(s, "particles/velocity", "km/s",
                        "proper peculiar velocity of dark matter particles", s->to_kms,
                        sl_cosmology_fields_particle_velocity);
}

static int write_dark(struct start *s)
{
    struct sl_field_recipe r = sl_field_linear(SL_POWER_CDM);
    if (!s->dark) return SL_OK;
    SL_TRY(sl_cosmology_fields_make(&s->f, &r, s->nshell, s->shell));
    SL_TRY(measure(s, "spectrum_dark_matter", "the dark matter density measured on the grid", true,
                   &s->worst[1]));
    if (s->run) return write_particles(s);
    scale(s, 1 - s->share, 1 - s->share);
    SL_TRY(put(s, "dark_matter_density", "mean matter density",
               "comoving density of dark matter, first order", s->f.value));
    return s->cfg->ic_particles ? write_particles(s) : SL_OK;
}

/* ---- what the file says about itself ---- */

static const char *const units_text = "lengths: comoving Mpc/h; densities: mean density of matter "
                                      "today, comoving; velocity of the gas: a v / (100 km/s), "
                                      "v proper peculiar; pressure: a^5 P / (mean matter density "
                                      "(100 km/s)^2); particles: km/s proper peculiar";

static int annotate_universe(const struct start *s, hid_t at)
{
    const struct sl_cosmology *c = &s->u.c;
    const struct sl_power *p = &s->power;
    double z_table = p->spec.table_z;
    const struct {
        const char *name;
        double value;
    } rows[] = {{"redshift", s->z},
                {"scale_factor", s->a},
                {"h", c->h},
                {"omega_m", sl_cosmology_all(c)},
                {"omega_b", c->omega_b},
                {"omega_r", c->omega_r},
                {"omega_k", c->omega_k},
                {"omega_de", c->omega_de},
                {"w0", c->w0},
                {"wa", c->wa},
                {"n_s", s->u.n_s},
                {"hubble_km_s_mpc", sl_cosmology_hubble(c, s->a)},
                {"growth_over_today", p->now.d1 / p->today.d1},
                {"growth_rate", p->now.f1},
                {"growth_second", p->now.d2 / (p->now.d1 * p->now.d1)},
                {"growth_second_rate", p->now.f2},
                {"sigma8_start", sl_power_sigma(p, 8)},
                {"sigma8_today", p->sigma8},
                {"table_redshift", z_table},
                {"amplitude_factor", p->factor},
                {"gas_share", s->share},
                {"mean_temperature_k", s->gas.temperature}, /* from here on: of the gas */
                {"temperature_response", s->gas.response},
                {"gas_mass_correction", s->mass_excess},
                {"velocity_to_km_s", 100 / s->a}};
    size_t n = sizeof rows / sizeof rows[0] - (s->gaseous ? 0 : 4);
    for (size_t i = 0; i < n; i++)
        SL_TRY(sl_hdf_real(at, rows[i].name, rows[i].value));
    return sl_flash_put_universe(at, &s->u, s->a);
}

static int annotate_source(const struct start *s, hid_t at)
{
    const struct sl_config *cfg = s->cfg;
    char hash[32], remarks[8192] = "";
    size_t used = 0;
    for (int i = 0; i < s->findings.n && used < sizeof remarks; i++)
        used += (size_t)snprintf(remarks + used, sizeof remarks - used, "%s\n",
                                 s->findings.item[i].text);
    SL_TRY(sl_h5_put_text(at, "transfer", sl_choice_name("ic.transfer", cfg->ic_transfer)));
    SL_TRY(sl_h5_put_text(at, "mode", sl_choice_name("ic.mode", cfg->ic_mode)));
    int species = cfg->ic_species != SL_IC_SPECIES_auto ? cfg->ic_species
                  : s->power.spec.one_fluid             ? SL_IC_SPECIES_one_fluid
                                                        : SL_IC_SPECIES_distinct;
    SL_TRY(sl_h5_put_text(at, "species", sl_choice_name("ic.species", species)));
    SL_TRY(sl_h5_put_text(at, "normalised_by",
                          sl_choice_name("cosmology.normalise", cfg->cosmology_normalise)));
    SL_TRY(sl_h5_put_text(at, "velocities_of_species",
                          s->power.has_ratio[SL_POWER_CDM_VELOCITY] ? "from the table"
                                                                    : "growth rate of all matter"));
    SL_TRY(sl_h5_put_text(at, "table", cfg->ic_table));
    SL_TRY(sl_h5_put_text(at, "remarks_on_table", remarks));
    SL_TRY(sl_h5_put_text(at, "units", units_text));
    snprintf(hash, sizeof hash, "%08x",
             (unsigned)sl_crc32c(0, s->files.table.bytes, s->files.table.size));
    SL_TRY(sl_h5_put_text(at, "table_crc32c", cfg->ic_table[0] ? hash : ""));
    bool file = cfg->ic_noise[0];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)sl_density_modes_hash(&s->modes));
    SL_TRY(sl_h5_put_text(at, "low_mode_hash", file ? "" : hash));
    return sl_h5_put_text(at, "generator",
                          file ? "white noise of ic.noise"
                               : "Philox4x64-10, named by seed, wave vector");
}

static int annotate(struct start *s)
{
    char *made_for = NULL;
    hid_t file = s->h.file;
    SL_TRY(sl_cosmology_recipe_text(s->cfg, &made_for));
    int code = sl_h5_put_text(file, "random_field", made_for);
    free(made_for);
    SL_TRY(code);
    SL_TRY(annotate_universe(s, file));
    SL_TRY(annotate_source(s, file));
    if (s->gaseous) SL_TRY(sl_hdf_real(file, "gas_power_worst_below_half_nyquist", s->worst[0]));
    if (s->dark)
        SL_TRY(sl_hdf_real(file, "dark_matter_power_worst_below_half_nyquist", s->worst[1]));
    for (int i = 0; i < s->tables.n; i++)
        SL_TRY(sl_table_write_hdf(&s->tables.table[i], file));
    return sl_hdf_provenance(file, s->cfg);
}

/* ---- the file ---- */

static bool is_single(const struct sl_config *cfg)
{
    return cfg->ic_precision == SL_PRECISION_single;
}

static int open_file(struct start *s, const char *path)
{
    const struct sl_slab *slab = &s->f.slab;
    const hsize_t size[3] = {(hsize_t)slab->n[2], (hsize_t)slab->n[1], (hsize_t)slab->n[0]};
    int dark = s->cfg->ic_particles ? 7 : 1;
    uint64_t fields = (uint64_t)((s->gaseous ? 6 : 0) + (s->dark ? dark : 0));
    bool single = is_single(s->cfg);
    SL_TRY(sl_hdf_create(path, fields * sl_hdf_field_bytes(size, single), &s->h));
    s->h.single = single;
    hid_t group = sl_h5_group(s->h.file, "particles");
    SL_CHECK(group >= 0, SL_EIO, "cannot write the group particles");
    H5Gclose(group);
    return SL_OK;
}

static int write_tables(const struct start *s, const char *dir)
{
    for (int i = 0; i < s->tables.n; i++)
        SL_TRY(sl_table_write_csv(&s->tables.table[i], dir, SL_DURABLE));
    return SL_OK;
}

static int write(struct start *s, const char *path)
{
    MPI_Comm comm = s->f.slab.comm;
    char dir[SL_PATH_MAX];
    SL_TRY(sl_path_parent(dir, path));
    int code = sl_agree(comm, root(s) ? open_file(s, path) : SL_OK);
    s->file_open = code == SL_OK && root(s);
    if (code == SL_OK) code = write_gas(s);
    if (code == SL_OK) code = write_dark(s);
    if (code == SL_OK && root(s)) code = annotate(s);
    code = sl_agree(comm, code);
    if (code == SL_OK && root(s)) code = write_tables(s, dir);
    code = sl_agree(comm, code);
    if (code == SL_OK && root(s)) code = sl_hdf_commit(&s->h);
    if (code != SL_OK && s->file_open) sl_hdf_abandon(&s->h);
    return sl_agree(comm, code);
}

static void report(const struct start *s, const char *path)
{
    enum sl_log_kind kind = root(s) ? SL_LOG_NOTE : SL_LOG_INFO;
    const struct sl_power *p = &s->power;
    for (int i = 0; i < s->findings.n; i++)
        sl_log(root(s) && s->findings.item[i].kind == SL_FINDING_WARN ? SL_LOG_WARN : kind,
               "%s: %s", s->cfg->ic_table[0] ? s->cfg->ic_table : "cosmology",
               s->findings.item[i].text);
    if (s->u.mean_overdensity != 0)
        sl_log(kind,
               "the box is a universe of its own: density contrast %g today by linear theory, "
               "%.5g in truth, Omega_k h^2 %.5g in place of %.5g; it starts at its z = %.8g when z "
               "around it is %g, and is at its z = %.6g today",
               s->u.mean_overdensity, pow(sl_universe_scale_factor(&s->u, 0), -3) - 1,
               s->u.c.omega_k * pow(s->u.c.h, 2), s->u.around.omega_k * pow(s->u.c.h, 2), s->z,
               s->cfg->ic_redshift, sl_universe_own_redshift(&s->u, 0));
    sl_log(kind,
           "power at z = %g by %s, mode %s, normalised by %s: factor %.8g, sigma8 %.5g there and "
           "%.5g today",
           s->z, sl_choice_name("ic.transfer", s->cfg->ic_transfer),
           sl_choice_name("ic.mode", s->cfg->ic_mode),
           sl_choice_name("cosmology.normalise", s->cfg->cosmology_normalise), p->factor,
           sl_power_sigma(p, 8), p->sigma8);
    sl_log(kind, "%s: %d x %d x %d cells, order %d%s", path, s->f.slab.n[0], s->f.slab.n[1],
           s->f.slab.n[2], s->f.order, s->placed ? ", particles made on the device" : "");
    if (s->gaseous)
        sl_log(kind, "gas: %.4g K, power below half the Nyquist frequency within %.2g of the input",
               s->gas.temperature, s->worst[0]);
    if (s->dark)
        sl_log(kind, "dark matter: power below half the Nyquist frequency within %.2g of the input",
               s->worst[1]);
}

static void release(struct start *s)
{
    free(s->shell);
    sl_universe_files_release(&s->files);
    sl_tables_release(&s->tables);
    sl_cosmology_fields_release(&s->f);
    sl_power_release(&s->power);
}

int sl_cosmology_file_write(MPI_Comm comm, const struct sl_config *cfg, const char *path)
{
    struct start s = {.cfg = cfg, .h = {.file = -1}};
    int code = set_up(&s, comm);
    if (code == SL_OK) code = set_fields(&s);
    if (code == SL_OK) code = write(&s, path);
    if (code == SL_OK) report(&s, path);
    release(&s);
    return code;
}

/* ---- particles on a device ---- */

static bool is_cube(const struct sl_slab *s)
{
    return s->n[0] == s->n[1] && s->n[0] == s->n[2] && s->length[0] == s->length[1] &&
           s->length[0] == s->length[2];
}

static struct sl_lattice lattice_of(const struct start *s)
{
    const struct sl_slab *slab = &s->f.slab;
    struct sl_lattice l = {.modes = s->modes,
                           .cells = slab->n[0],
                           .spacing = s->f.corners,
                           .order = s->f.order,
                           .to_kms = s->to_kms,
                           .to_code = s->run->to_code,
                           .nshell = s->nshell,
                           .y0 = slab->y0,
                           .ny = slab->ny};
    for (int d = 0; d < 3; d++)
        l.axis[d] = axis_of(s, d);
    return l;
}

/* The table of the modes of the density, of which no grid is made. */
static int tabulate_modes(struct start *s)
{
    struct sl_shells m = {.nshell = s->nshell};
    size_t size = (size_t)(s->nshell + 2) * SL_SPECTRUM_COLUMNS;
    int code = sl_alloc("shells", size, sizeof *m.value, &m.value);
    for (int i = 0; i <= s->nshell && code == SL_OK; i++) {
        m.value[i * SL_SPECTRUM_COLUMNS + SL_SPECTRUM_MODES] = s->shell[i].modes;
        m.value[i * SL_SPECTRUM_COLUMNS + SL_SPECTRUM_TOTAL] = s->shell[i].realised;
    }
    if (code == SL_OK) code = compare(s, &m, true, &s->worst[1]);
    if (code == SL_OK)
        code = tabulate(s, &m, "spectrum_dark_matter", "the dark matter density in its modes");
    sl_spectrum_release(&m);
    return sl_agree(s->f.slab.comm, code);
}

/* part[ny][nshell + 1][SL_SHELL_COLUMNS] */
static int place_lattice(struct start *s, const struct sl_lattice *l, double *part)
{
    SL_TRY(s->run->place(s->run->of, l, part, &s->placed));
    if (!s->placed) return SL_OK;
    s->run->dark.share = s->share;
    SL_TRY(sl_field_shells_sum(&s->f.slab, s->nshell, part, s->shell));
    return tabulate_modes(s);
}

/* Dark matter on the device that moves it, if there is one; unless placed it is to be made here. */
static int make_on_device(struct start *s)
{
    const struct sl_slab *slab = &s->f.slab;
    size_t size = (size_t)slab->ny * (size_t)(s->nshell + 1) * SL_SHELL_COLUMNS;
    struct sl_lattice l = lattice_of(s);
    double *part = NULL;
    if (!s->dark || !s->run->place) return SL_OK;
    bool drawn = !s->cfg->ic_noise[0], cube = is_cube(slab);
    if (!cube || !drawn) {
        if (root(s))
            sl_log(SL_LOG_NOTE, "a start %s: the processor makes it",
                   cube ? "from white noise of a file" : "that is no cube");
        return SL_OK;
    }
    int code = sl_alloc("shells of rows", size, sizeof *part, &part);
    if (code == SL_OK) code = sl_lattice_init(&s->power, &l);
    code = sl_agree(slab->comm, code);
    if (code == SL_OK) code = place_lattice(s, &l, part);
    sl_lattice_release(&l);
    free(part);
    return code;
}

/* ---- all together ---- */

static int make_dark(struct start *s)
{
    if (!s->drawn) {
        SL_TRY(set_fields(s));
        sl_lpt_trim(&s->f.lpt);
    }
    if (s->dark) SL_TRY(sl_agree(s->f.slab.comm, lists_make(s)));
    return write_dark(s);
}

static int make_here(struct start *s)
{
    s->h.single = is_single(s->cfg);
    if (s->gaseous) SL_TRY(set_fields(s));
    SL_TRY(write_gas(s));
    if (s->gaseous) SL_TRY(sl_field_planes_fill(s->run->gas));
    SL_TRY(make_on_device(s));
    if (!s->placed) SL_TRY(make_dark(s));
    return sl_agree(s->f.slab.comm, s->run->tables && root(s) ? write_tables(s, ".") : SL_OK);
}

int sl_cosmology_start_make(MPI_Comm comm, const struct sl_config *cfg,
                            struct sl_cosmology_start *out)
{
    struct start s = {.cfg = cfg, .h = {.file = -1}, .run = out};
    out->dark = (struct sl_cosmology_particles){.n = 0};
    int code = set_up(&s, comm);
    if (code == SL_OK) code = make_here(&s);
    if (code == SL_OK)
        report(&s, "the start");
    else
        sl_cosmology_particles_release(&out->dark);
    release(&s);
    return code;
}

void sl_cosmology_particles_release(struct sl_cosmology_particles *p)
{
    for (int i = 0; i < SL_COSMOLOGY_LISTS; i++)
        free(p->list[i]);
    *p = (struct sl_cosmology_particles){.n = 0};
}
