/* turbulence_file.c - see turbulence_file.h. */
#include "core/ic/turbulence_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "core/ic/turbulence_field.h"
#include "core/ic/turbulence_recipe.h"
#include "core/io/field_file.h"
#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/measure/spectrum.h"
#include "core/sys/agree.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

struct start {
    const struct sl_config *cfg;
    struct sl_table_spectrum table;
    struct sl_turbulence_field field;
    struct sl_slab slab;
    double *v[3];
    double momentum[3]; /* mean velocity of the grid */
    struct sl_shells measured;
    struct sl_turbulence_shell *shell; /* [kmax + 1] */
    double worst, worst_sigma; /* largest |measured / input - 1|, and in its own deviations */
};

static int set_up(struct start *s, MPI_Comm comm)
{
    struct sl_turbulence_spec spec;
    int n[3] = {1, 1, 1};
    sl_turbulence_recipe_spec(s->cfg, &spec);
    if (s->cfg->turbulence_table[0]) {
        SL_TRY(sl_table_spectrum_read(s->cfg->turbulence_table, &s->table));
        spec.table = &s->table;
    }
    for (int d = 0; d < spec.dim; d++)
        n[d] = (int)s->cfg->mesh_cells[d];
    SL_TRY(sl_turbulence_field_init(&spec, &s->field));
    sl_slab_init(comm, spec.dim, n, spec.length, &s->slab);
    for (int c = 0; c < 3; c++)
        s->v[c] = malloc((sl_slab_cells(&s->slab) + 1) * sizeof(double));
    s->shell = malloc(((size_t)spec.kmax + 1) * sizeof *s->shell);
    SL_CHECK(s->v[0] && s->v[1] && s->v[2] && s->shell, SL_EMEM,
             "out of memory for %d x %d x %d cells", n[0], n[1], n[2]);
    return sl_turbulence_field_planes(&s->field, s->slab.n, s->slab.z0, s->slab.nz, s->v);
}

static int mean_velocity(struct start *s)
{
    const struct sl_slab *slab = &s->slab;
    size_t plane = (size_t)slab->n[0] * (size_t)slab->n[1];
    double *part = calloc(3 * (size_t)slab->nz + 1, sizeof *part);
    int code = sl_agree(slab->comm, part ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    if (code == SL_OK) {
        for (size_t k = 0; k < (size_t)slab->nz; k++)
            for (size_t c = 0; c < 3; c++)
                for (size_t i = 0; i < plane; i++)
                    part[3 * k + c] += s->v[c][k * plane + i];
        code = sl_slab_sum(slab, 3, part, s->momentum);
    }
    for (int c = 0; c < 3; c++)
        s->momentum[c] /= (double)plane * slab->n[2];
    free(part);
    return code;
}

/* Independent real numbers in a mode, as its energy scatters. */
static double freedom(const struct sl_turbulence_spec *spec)
{
    double a = spec->solenoidal * spec->solenoidal;
    double b = (1 - spec->solenoidal) * (1 - spec->solenoidal);
    double sum = (spec->dim - 1) * a + b;
    return 2 * sum * sum / ((spec->dim - 1) * a * a + b * b);
}

/* The measured spectrum must be that of the modes to round-off; how far it is from the input is
 * chance, and goes to the file. Shells beyond those of the grid (a flat box) are not compared. */
static int compare(struct start *s)
{
    const struct sl_turbulence_spec *spec = &s->field.spec;
    double energy = 0.5 * spec->v_rms * spec->v_rms;
    int last = spec->kmax < s->measured.nshell ? spec->kmax : s->measured.nshell;
    for (int i = 1; i <= last; i++) {
        double e = sl_spectrum_at(&s->measured, i, SL_SPECTRUM_TOTAL);
        const struct sl_turbulence_shell *shell = &s->shell[i];
        SL_CHECK(fabs(e - shell->realised) <= 1e-11 * energy, SL_EGUARD,
                 "the field has energy %.17g in shell %d of the grid and %.17g in its modes", e, i,
                 shell->realised);
        if (shell->modes <= 0) continue;
        double off = fabs(e / shell->expected - 1);
        s->worst = fmax(s->worst, off);
        s->worst_sigma = fmax(s->worst_sigma, off * sqrt(shell->modes * freedom(spec) / 4));
    }
    SL_CHECK(fabs(s->measured.grid - energy) <= 1e-11 * energy, SL_EGUARD,
             "the field has an rms velocity of %.17g instead of %.17g", sqrt(2 * s->measured.grid),
             spec->v_rms);
    return SL_OK;
}

static int write_shells(const struct start *s, hid_t group)
{
    enum { K, MODES, MEASURED, INPUT, COLUMNS };
    static const char *const text[COLUMNS][3] = {
        {"k", "2 pi / longest side", "shell: k - 1/2 <= |k| < k + 1/2"},
        {"modes", "1", "modes of the field in a shell, k and -k counted"},
        {"measured", "code velocity^2", "1/2 sum of |v_k|^2 measured on the grid"},
        {"input", "code velocity^2", "what the spectrum of the recipe gives on average"}};
    size_t n = (size_t)s->field.spec.kmax + 1;
    hsize_t size = n;
    double *value = calloc(COLUMNS * n, sizeof *value);
    SL_CHECK(value, SL_EMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        value[K * n + i] = (double)i;
        value[MODES * n + i] = s->shell[i].modes;
        if ((int)i <= s->measured.nshell)
            value[MEASURED * n + i] = sl_spectrum_at(&s->measured, (int)i, SL_SPECTRUM_TOTAL);
        value[INPUT * n + i] = s->shell[i].expected;
    }
    int code = SL_OK;
    for (size_t c = 0; c < COLUMNS && code == SL_OK; c++)
        code = sl_hdf_dataset(group, text[c][0], 1, &size, value + c * n, text[c][1], text[c][2]);
    free(value);
    return code;
}

static int annotate(const struct start *s, hid_t file)
{
    char *made_for = NULL, hash[32];
    SL_TRY(sl_turbulence_recipe_text(s->cfg, &made_for));
    int code = sl_h5_put_text(file, "random_field", made_for);
    free(made_for);
    SL_TRY(code);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->field.hash);
    SL_TRY(sl_h5_put_text(file, "low_mode_hash", hash));
    SL_TRY(
        sl_h5_put_text(file, "generator", "Philox4x64-10, named by seed, component, wave vector"));
    SL_TRY(sl_hdf_integer(file, "modes", s->field.modes));
    SL_TRY(sl_hdf_real(file, "velocity_rms", sqrt(2 * s->measured.grid)));
    for (int c = 0; c < 3; c++) {
        char name[] = "mean_velocity_x";
        name[sizeof name - 2] = (char)('x' + c);
        SL_TRY(sl_hdf_real(file, name, s->momentum[c]));
    }
    SL_TRY(sl_hdf_provenance(file, s->cfg));
    hid_t group = sl_h5_group(file, "spectrum");
    SL_CHECK(group >= 0, SL_EIO, "cannot write the group spectrum");
    code = write_shells(s, group);
    if (code == SL_OK) code = sl_hdf_real(group, "largest_deviation", s->worst);
    if (code == SL_OK) code = sl_hdf_real(group, "largest_deviation_sigma", s->worst_sigma);
    if (code == SL_OK) code = sl_hdf_real(group, "parseval_error", s->measured.parseval);
    H5Gclose(group);
    return code;
}

static int write(struct start *s, const char *path)
{
    struct sl_field_out out[3] = {
        {"velocity_x", "code velocity", "velocity along x at cell centres", s->v[0]},
        {"velocity_y", "code velocity", "velocity along y at cell centres", s->v[1]},
        {"velocity_z", "code velocity", "velocity along z at cell centres", s->v[2]}};
    struct sl_hdf h = {.file = -1};
    MPI_Comm comm = s->slab.comm;
    int root = s->slab.rank == 0;
    const hsize_t size[3] = {(hsize_t)s->slab.n[2], (hsize_t)s->slab.n[1], (hsize_t)s->slab.n[0]};
    uint64_t bytes = 3 * sl_hdf_field_bytes(size, false);
    int code = sl_agree(comm, root ? sl_hdf_create(path, bytes, &h) : SL_OK);
    if (code != SL_OK) return code;
    code = sl_field_file_write(&s->slab, &h, 3, out);
    if (code == SL_OK && root) code = annotate(s, h.file);
    code = sl_agree(comm, code);
    if (code == SL_OK) return sl_agree(comm, root ? sl_hdf_commit(&h) : SL_OK);
    if (root) sl_hdf_abandon(&h);
    return code;
}

static int run(struct start *s, MPI_Comm comm, const char *path)
{
    SL_TRY(sl_agree(comm, set_up(s, comm)));
    SL_TRY(mean_velocity(s));
    SL_TRY(sl_spectrum_make(&s->slab, 3, (const double *const *)s->v, 0.5, NULL, &s->measured));
    sl_turbulence_field_shells(&s->field, s->shell);
    SL_TRY(sl_agree(comm, compare(s)));
    return write(s, path);
}

int sl_turbulence_file_write(MPI_Comm comm, const struct sl_config *cfg, const char *path)
{
    struct start s = {.cfg = cfg};
    int code = run(&s, comm, path);
    if (code == SL_OK)
        sl_log(s.slab.rank == 0 ? SL_LOG_NOTE : SL_LOG_INFO,
               "%s: %d x %d x %d cells, %lld modes, rms velocity %g, largest deviation from the "
               "spectrum %.3g (%.2g sigma)",
               path, s.slab.n[0], s.slab.n[1], s.slab.n[2], (long long)s.field.modes,
               sqrt(2 * s.measured.grid), s.worst, s.worst_sigma);
    for (int c = 0; c < 3; c++)
        free(s.v[c]);
    free(s.shell);
    sl_table_spectrum_release(&s.table);
    sl_spectrum_release(&s.measured);
    return code;
}
