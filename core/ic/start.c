/* start.c - see start.h. */
#include "core/ic/start.h"

#include <errno.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/cosmo/background.h"
#include "core/io/field_file.h"
#include "core/io/h5.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

#define PI     3.14159265358979323846
#define SUN_G  1.98841e33 /* solar mass */
#define MPC_CM (1e5 * SL_MPC_KM)

static const struct format {
    const char *name;
    sl_start_write *write;
} formats[] = {
#define FORMAT(name, about) {#name, sl_start_##name##_write},
    SL_START_LIST(FORMAT)
#undef FORMAT
};

/* ---- reading ---- */

static bool has(hid_t file, const char *name)
{
    return H5Lexists(file, name, H5P_DEFAULT) > 0;
}

static int read_numbers(struct sl_start *s, hid_t file)
{
    const struct {
        const char *name;
        double *value;
    } rows[] = {{"h", &s->h},
                {"omega_m", &s->omega_m},
                {"omega_b", &s->omega_b},
                {"omega_de", &s->omega_de},
                {"omega_r", &s->omega_r},
                {"scale_factor", &s->a},
                {"redshift", &s->redshift},
                {"gas_share", &s->share}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        SL_TRY(sl_h5_get_reals(file, rows[i].name, 1, rows[i].value));
    s->gas = has(file, "density");
    s->dark = has(file, "particles") && has(file, "particles/position_x");
    if (s->gas) SL_TRY(sl_h5_get_reals(file, "mean_temperature_k", 1, &s->temperature));
    return SL_OK;
}

static int read_precision(struct sl_start *s, hid_t file)
{
    hid_t id = H5Dopen2(file, s->gas ? "density" : "particles/position_x", H5P_DEFAULT);
    SL_CHECK(id >= 0, SL_EINPUT, "%s: no fields that can be read", s->path);
    hid_t type = H5Dget_type(id);
    s->single = H5Tget_size(type) == sizeof(float);
    H5Tclose(type);
    H5Dclose(id);
    return SL_OK;
}

/* Grid and box: the recipe is in the file. */
static int read_grid(struct sl_start *s, hid_t file)
{
    struct sl_config cfg;
    char *recipe;
    SL_TRY(sl_hdf_read_text(file, "recipe", &recipe));
    int n[3], code = sl_config_parse(s->path, recipe, strlen(recipe), NULL, 0, &cfg);
    free(recipe);
    SL_TRY(code);
    for (int d = 0; d < 3; d++) {
        n[d] = (int)sl_config_start_cells(&cfg, d);
        s->lo[d] = cfg.mesh_box[2 * d];
        s->length[d] = cfg.mesh_box[2 * d + 1] - s->lo[d];
    }
    sl_slab_init(MPI_COMM_SELF, 3, n, s->length, &s->slab);
    return SL_OK;
}

/* The file has the displacement of dark matter alone. */
static int check_displaced(const struct sl_start *s, hid_t file)
{
    char species[32] = "";
    SL_CHECK(s->gas && s->dark, SL_EINPUT,
             "%s: particles of gas are displaced as those of dark matter are, and it has not both: "
             "--gas grid, or ic.species: one_fluid with ic.particles: true",
             s->path);
    SL_TRY(sl_h5_get_text(file, "species", sizeof species, species));
    SL_CHECK(strcmp(species, "distinct") != 0, SL_EINPUT,
             "%s: gas and dark matter have spectra of their own (ic.species: distinct), and the "
             "displacement is that of dark matter: --gas grid",
             s->path);
    return SL_OK;
}

/* Other codes want a particle of each cell, from its centre. */
static int check_lattice(const struct sl_start *s, hid_t file)
{
    char *text = NULL;
    if (!s->dark || H5Aexists(file, "random_field") <= 0) return SL_OK;
    SL_TRY(sl_hdf_read_text(file, "random_field", &text));
    bool corners = strstr(text, "\nparticles: at corners") != NULL;
    free(text);
    SL_CHECK(!corners, SL_EINPUT,
             "%s is the start of a run that moves its particles, which begin at corners of cells; "
             "nearest: a start alone, time.unit: code and time.end: 0",
             s->path);
    return SL_OK;
}

int sl_start_check_own(const struct sl_start *s, hid_t at)
{
    SL_CHECK(H5Aexists(at, "mean_overdensity") <= 0, SL_EINPUT,
             "%s is of a box that is a universe of its own, whose files of other codes would need "
             "another h; nearest: ic.mean_overdensity: 0",
             s->path);
    SL_CHECK(
        H5Aexists(at, "omega_nu") <= 0, SL_EINPUT,
        "%s is of a universe with massive neutrinos (cosmology.m_nu), whose masses and H(a) the "
        "formats of other codes do not tell; nearest: cosmology.m_nu: 0",
        s->path);
    return SL_OK;
}

static int read_start(struct sl_start *s, hid_t file)
{
    SL_TRY(sl_start_check_own(s, file));
    SL_CHECK(H5Aexists(file, "gas_share") > 0, SL_EINPUT,
             "%s is no start of a universe: problem cosmology makes one", s->path);
    SL_TRY(read_numbers(s, file));
    SL_CHECK(s->gas || s->dark, SL_EINPUT, "%s has neither gas nor particles", s->path);
    SL_CHECK(s->dark || s->share >= 1, SL_EINPUT,
             "%s has no particles of dark matter: ic.particles: true makes them", s->path);
    if (s->displaced) SL_TRY(check_displaced(s, file));
    SL_TRY(check_lattice(s, file));
    SL_TRY(read_precision(s, file));
    return read_grid(s, file);
}

size_t sl_start_cells(const struct sl_start *s)
{
    return sl_slab_cells(&s->slab);
}

/* Real and imaginary part of exp(-i pi k / n) for wave number k of n; at the Nyquist frequency its
 * real part, 0. */
static void phase_factor(int k, int n, double out[2])
{
    int wave = 2 * k > n ? k - n : k;
    double phase = -PI * wave / n;
    out[0] = 2 * k == n ? 0 : cos(phase);
    out[1] = 2 * k == n ? 0 : sin(phase);
}

static void shift_modes(const int n[3], fftw_complex *modes)
{
    size_t at = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0] / 2 + 1; x++, at++) {
                double p[3][2], re = 1, im = 0;
                phase_factor(x, n[0], p[0]);
                phase_factor(y, n[1], p[1]);
                phase_factor(z, n[2], p[2]);
                for (int d = 0; d < 3; d++) {
                    double old = re;
                    re = re * p[d][0] - im * p[d][1];
                    im = old * p[d][1] + im * p[d][0];
                }
                double a = modes[at][0], b = modes[at][1];
                modes[at][0] = a * re - b * im;
                modes[at][1] = a * im + b * re;
            }
}

int sl_start_move_half(const struct sl_start *s, double *field)
{
    const int *n = s->slab.n;
    size_t lines = (size_t)n[1] * (size_t)n[2], half = (size_t)n[0] / 2 + 1;
    fftw_complex *modes;
    SL_TRY(sl_alloc("modes of a field", lines * half, sizeof *modes, &modes));
    fftw_plan there = fftw_plan_dft_r2c_3d(n[2], n[1], n[0], field, modes, FFTW_ESTIMATE);
    fftw_plan back = fftw_plan_dft_c2r_3d(n[2], n[1], n[0], modes, field, FFTW_ESTIMATE);
    int code = there && back ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for a Fourier transform");
    if (code == SL_OK) {
        fftw_execute(there);
        shift_modes(n, modes);
        fftw_execute(back);
        for (size_t i = 0; i < lines * (size_t)n[0]; i++)
            field[i] /= (double)lines * n[0];
    }
    if (there) fftw_destroy_plan(there);
    if (back) fftw_destroy_plan(back);
    free(modes);
    return code;
}

int sl_start_read(const struct sl_start *s, const char *name, bool half, double *out)
{
    SL_TRY(sl_field_file_read(&s->slab, s->path, name, out));
    return half ? sl_start_move_half(s, out) : SL_OK;
}

int sl_start_read_axis(const struct sl_start *s, const char *stem, int axis, bool half, double *out)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%c", stem, 'x' + axis);
    return sl_start_read(s, name, half, out);
}

/* ---- dark matter ---- */

size_t sl_start_dark_number(const struct sl_start *s)
{
    return s->particles ? s->particles : sl_start_cells(s);
}

int sl_start_dark_place(const struct sl_start *s, int axis, double *out)
{
    return s->particles ? sl_start_column(s, SL_START_PLACE + axis, out)
                        : sl_start_read_axis(s, "particles/position", axis, false, out);
}

int sl_start_dark_speed(const struct sl_start *s, int axis, double *out)
{
    return s->particles ? sl_start_column(s, SL_START_SPEED + axis, out)
                        : sl_start_read_axis(s, "particles/velocity", axis, false, out);
}

/* ---- what formats share ---- */

double sl_start_matter(const struct sl_start *s)
{
    const struct sl_cosmology one = {.h = 1};
    return s->omega_m * sl_cosmology_critical(&one) * MPC_CM * MPC_CM * MPC_CM / SUN_G;
}

double sl_start_cell_mass(const struct sl_start *s)
{
    double volume = s->length[0] * s->length[1] * s->length[2];
    return sl_start_matter(s) * volume / (double)sl_start_cells(s);
}

double sl_start_gas_velocity(const struct sl_start *s)
{
    return 100 / s->a;
}

int sl_start_cubes(const struct sl_start *s, bool box, const char *code)
{
    const int *n = s->slab.n;
    for (int d = 1; d < 3; d++) {
        SL_CHECK(fabs(s->length[d] / n[d] * n[0] / s->length[0] - 1) < 1e-12, SL_EINPUT,
                 "%s: cells of %g x %g x %g Mpc/h are no cubes, %s takes no others", s->path,
                 s->length[0] / n[0], s->length[1] / n[1], s->length[2] / n[2], code);
        SL_CHECK(!box || n[d] == n[0], SL_EINPUT,
                 "%s: %d x %d x %d cells are no cube, %s takes no other box", s->path, n[0], n[1],
                 n[2], code);
    }
    return SL_OK;
}

int sl_start_on_grid(const struct sl_start *s, const char *code)
{
    SL_CHECK(!s->displaced, SL_EINPUT, "%s: %s takes gas on its grid: --gas grid", s->path, code);
    return SL_OK;
}

const char *sl_start_gas_words(const struct sl_start *s)
{
    if (s->particles) return "that of a snapshot, if any, stays on its mesh";
    if (!s->gas) return "there is none";
    return s->displaced ? "particles of equal mass, displaced from a grid as the matter is"
                        : "particles on a grid, each with the mass of its cell";
}

int sl_start_file(const struct sl_start *s, char path[SL_PATH_MAX], const char *dir)
{
    char name[sizeof s->file + sizeof ".hdf5"];
    snprintf(name, sizeof name, "%s.hdf5", s->file);
    return sl_path_join(path, dir, name);
}

FILE *sl_start_parameters(const char *dir)
{
    char path[SL_PATH_MAX];
    return sl_path_join(path, dir, "parameters.txt") == SL_OK ? fopen(path, "we") : NULL;
}

int sl_start_close(FILE *f, const char *dir)
{
    bool bad = !f || fflush(f) != 0 || ferror(f) != 0 || fsync(fileno(f)) != 0;
    if (f && fclose(f) != 0) bad = true;
    SL_CHECK(!bad, SL_EIO, "cannot write %s/parameters.txt", dir);
    return SL_OK;
}

/* ---- the directory ---- */

static int write_all(const struct format *format, const struct sl_start *s, const char *part,
                     const char *to)
{
    SL_TRY(format->write(s, part));
    SL_TRY(sl_sync_dir(part));
    SL_CHECK(rename(part, to) == 0, SL_EIO, "cannot rename %s to %s: %s", part, to,
             strerror(errno));
    return sl_sync_parent(to);
}

/* Next to it first: it appears when all is written. */
static int make(const struct format *format, const struct sl_start *s, const char *to)
{
    char part[SL_PATH_MAX];
    size_t length = strlen(to);
    while (length > 1 && to[length - 1] == '/')
        length--;
    int n = snprintf(part, sizeof part, "%.*s.part", (int)length, to);
    SL_CHECK(n > 0 && n < (int)sizeof part, SL_EINPUT, "the path is too long: %s", to);
    SL_CHECK(access(to, F_OK) != 0, SL_EINPUT, "%s is there already: remove it, or name another",
             to);
    char parent[SL_PATH_MAX];
    SL_TRY(sl_path_parent(parent, part));
    SL_TRY(sl_mkdir_all(parent));
    SL_CHECK(mkdir(part, 0777) == 0, SL_EIO, "cannot make %s: %s%s", part, strerror(errno),
             errno == EEXIST ? ": another export writes it, or one was killed: remove it" : "");
    int code = write_all(format, s, part, to);
    if (code != SL_OK) sl_remove_dir(part);
    return code;
}

int sl_start_export(const char *name, const char *path, const char *to, bool displaced)
{
    struct sl_start s = {.path = path, .displaced = displaced};
    const struct format *format = NULL;
    hid_t file;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0) format = &formats[i];
    SL_CHECK(format, SL_EUSAGE, "no start is written for '%s'", name);
    SL_TRY(sl_hdf_open(path, &file));
    snprintf(s.file, sizeof s.file, "ic");
    int code = sl_start_is_snapshot(file) ? sl_start_of_snapshot(&s, file) : read_start(&s, file);
    code = sl_hdf_close(file, code);
    if (code == SL_OK) code = make(format, &s, to);
    return code;
}
