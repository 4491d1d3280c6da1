/* start_grafic.c - a start for RAMSES and others that read grafic2: a file per field; see start.h.
 *
 * ic_deltab, ic_velbx, -y, -z: density contrast and velocity of the gas at the centres of the
 * cells; ic_velcx ..: of dark matter; ic_poscx ..: its displacement from there. Velocities are
 * proper peculiar km/s. The header has comoving Mpc, displacements are comoving Mpc/h, as RAMSES,
 * MUSIC and genetIC take them. Records of Fortran: a length of 4 bytes before and after each,
 * single precision.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/ic/start.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct field {
    const struct sl_start *s;
    const char *dir;
    double *value; /* owned */
    float *plane;  /* owned */
};

static bool put_record(FILE *f, const void *data, uint32_t bytes)
{
    return fwrite(&bytes, sizeof bytes, 1, f) == 1 && fwrite(data, 1, bytes, f) == bytes &&
           fwrite(&bytes, sizeof bytes, 1, f) == 1;
}

static bool put_header(const struct sl_start *s, FILE *f)
{
    struct {
        int32_t n[3];
        float dx, corner[3], a, omega_m, omega_v, h0;
    } head = {.dx = (float)(s->length[0] / s->slab.n[0] / s->h),
              .a = (float)s->a,
              .omega_m = (float)s->omega_m,
              .omega_v = (float)s->omega_de,
              .h0 = (float)(100 * s->h)};
    for (int d = 0; d < 3; d++)
        head.n[d] = s->slab.n[d];
    return put_record(f, &head, sizeof head);
}

static bool put_planes(const struct field *w, FILE *f)
{
    const int *n = w->s->slab.n;
    size_t plane = (size_t)n[0] * (size_t)n[1];
    bool ok = put_header(w->s, f);
    for (int z = 0; z < n[2] && ok; z++) {
        for (size_t i = 0; i < plane; i++)
            w->plane[i] = (float)w->value[(size_t)z * plane + i];
        ok = put_record(f, w->plane, (uint32_t)(plane * sizeof *w->plane));
    }
    return ok;
}

static int put(const struct field *w, const char *stem, int axis)
{
    char name[32], path[SL_PATH_MAX];
    snprintf(name, sizeof name, "ic_%s%.1s", stem, axis < 0 ? "" : &"xyz"[axis]);
    SL_TRY(sl_path_join(path, w->dir, name));
    FILE *f = fopen(path, "we");
    SL_CHECK(f, SL_EIO, "cannot write %s: %s", path, strerror(errno));
    bool ok = put_planes(w, f) && fflush(f) == 0 && fsync(fileno(f)) == 0;
    int why = errno;
    if (fclose(f) != 0 && ok) ok = false, why = errno;
    SL_CHECK(ok, SL_EIO, "cannot write %s: %s", path, strerror(why));
    return SL_OK;
}

static void scale(const struct field *w, double factor, double offset)
{
    for (size_t i = 0; i < sl_start_cells(w->s); i++)
        w->value[i] = factor * w->value[i] + offset;
}

/* From the centre of the cell where it starts, the shorter way around the box. */
static void displacements(const struct field *w, int axis)
{
    const int *n = w->s->slab.n;
    double length = w->s->length[axis];
    size_t at = 0;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++, at++) {
                const int cell[3] = {x, y, z};
                double d = w->value[at] - w->s->lo[axis] - (cell[axis] + 0.5) * length / n[axis];
                w->value[at] = d - length * floor(d / length + 0.5);
            }
}

static int put_gas(const struct field *w)
{
    SL_TRY(sl_start_read(w->s, "density", false, w->value));
    scale(w, 1 / w->s->share, -1);
    SL_TRY(put(w, "deltab", -1));
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_start_read_axis(w->s, "velocity", d, false, w->value));
        scale(w, sl_start_gas_velocity(w->s), 0);
        SL_TRY(put(w, "velb", d));
    }
    return SL_OK;
}

static int put_dark(const struct field *w)
{
    for (int d = 0; d < 3; d++) {
        SL_TRY(sl_start_read_axis(w->s, "particles/velocity", d, false, w->value));
        SL_TRY(put(w, "velc", d));
        SL_TRY(sl_start_read_axis(w->s, "particles/position", d, false, w->value));
        displacements(w, d);
        SL_TRY(put(w, "posc", d));
    }
    return SL_OK;
}

static int parameters(const struct sl_start *s, const char *dir)
{
    FILE *f = sl_start_parameters(dir);
    if (f)
        fprintf(f,
                "! lines for the namelist of RAMSES, which takes cubes of 2^levelmin cells along a "
                "side; here\n"
                "! %d x %d x %d; RAMSES knows no radiation, of which the start has Omega = %.3g\n"
                "&RUN_PARAMS\ncosmo=.true.\npic=.%s.\npoisson=.true.\nhydro=.%s.\n/\n"
                "&INIT_PARAMS\nfiletype='grafic'\ninitfile(1)='.'\nomega_b=%.10g\n/\n"
                "! aexp_ini, omega_m, omega_l and H0 come from the files; RAMSES sets the "
                "temperature of\n"
                "! the gas itself; that of ic.h5 is %.6g K in the mean\n",
                s->slab.n[0], s->slab.n[1], s->slab.n[2], s->omega_r, s->dark ? "true" : "false",
                s->gas ? "true" : "false", s->gas ? s->share * s->omega_m : 0, s->temperature);
    return sl_start_close(f, dir);
}

/* RAMSES takes the grid and the universe from the head of ic_deltab, also without gas. */
static int put_contrast(const struct field *w)
{
    SL_TRY(sl_start_read(w->s, "dark_matter_density", false, w->value));
    scale(w, 1 / (1 - w->s->share), -1);
    return put(w, "deltab", -1);
}

static int put_all(const struct field *w)
{
    SL_TRY(w->s->gas ? put_gas(w) : put_contrast(w));
    if (w->s->dark) SL_TRY(put_dark(w));
    return parameters(w->s, w->dir);
}

int sl_start_grafic_write(const struct sl_start *s, const char *dir)
{
    struct field w = {.s = s, .dir = dir};
    size_t plane = (size_t)s->slab.n[0] * (size_t)s->slab.n[1];
    SL_TRY(sl_start_is_start(s, "grafic"));
    SL_TRY(sl_start_on_grid(s, "RAMSES"));
    SL_TRY(sl_start_cubes(s, false, "grafic2"));
    SL_TRY(sl_alloc("a field of the start", sl_start_cells(s), sizeof *w.value, &w.value));
    int code = sl_alloc("a plane of the start", plane, sizeof *w.plane, &w.plane);
    if (code == SL_OK) code = put_all(&w);
    free(w.plane);
    free(w.value);
    return code;
}
