/* plane.h - one map of a member, read from its statistics and made ready to be drawn.
 *
 * Shapes  v[ny][nx]: lines of the table are lines of the picture, from below
 * Units   x, y as mesh.box; values as the table says, in a universe those of sl_plane_unit, or what
 *         `scale` made of them
 * Errors  SL_EMEM; a table that is not there is no error: v is NULL
 * Owns    v, freed by sl_plane_release
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_PLANE_H
#define SL_PIPELINE_REPORT_PLANE_H

#include "pipeline/report/data.h"

/* Names of a map: its table is <kind>_<field>_<axis>_<snapshot>.csv. */
struct sl_plane_name {
    const char *kind; /* static; "slice", "projection" */
    char field[32], axis;
    int member, snapshot;
};

enum sl_plane_scale { SL_SCALE_plain, SL_SCALE_log, SL_SCALE_difference };

struct sl_plane {
    int nx, ny, cells; /* cells of the grid of `level` along a side of a pixel */
    int level;         /* of the mesh: 0 is the root grid */
    double *v;         /* owned */
    double time;       /* in time.unit, a redshift where the universe expands; NAN unknown */
    double x[2], y[2]; /* of its edges */
    double at;         /* where a slice lies along its axis; NAN: in the middle plane of the box */
    char across[2];    /* names of the axes of columns and lines */
};

/* Whether the table is there. */
bool sl_plane_there(const struct sl_report *r, const struct sl_plane_name *name);
/* The slice that stands for a member: the first of its problem's maps, or else of all, that the
 * last snapshot has; false without one. */
bool sl_plane_first(const struct sl_report *r, int member, struct sl_plane_name *name);
/* Averages pixels so that no side has more than `edge`. Of the density the numbers are those, not
 * the table's logarithms. */
int sl_plane_read(struct sl_plane *p, const struct sl_report *r, const struct sl_plane_name *name,
                  int edge);
void sl_plane_release(struct sl_plane *p);

/* A field in words: "magnetic field", "velocity x". */
void sl_plane_words(const char *field, char words[48]);
/* What the numbers of a field in a universe are in, "" of others: km/s, K, Mpc/h; of its density
 * they are those over the mean of all matter. */
const char *sl_plane_unit(const struct sl_report_member *m, const struct sl_plane_name *name);
/* "The plane z = 0.0125" of a slice, or "The middle plane of the box, across z". */
void sl_plane_place(const struct sl_plane *p, char axis, char words[64]);
/* "on the grid of level 2, the finest of this run"; "" of a run without levels. */
void sl_plane_level(const struct sl_report_member *m, int level, char words[96]);

/* Widens lo .. hi by the finite values. */
void sl_plane_range(const struct sl_plane *p, double *lo, double *hi);
/* Whether lo and hi are the same but for the rounding of single precision, in which snapshots are
 * written. */
bool sl_plane_uniform(double lo, double hi);
/* How values of a field between lo and hi are told apart best: as they are, by their logarithms, by
 * the difference from the mean of lo and hi. */
enum sl_plane_scale sl_plane_scale(const char *field, double lo, double hi);
/* Makes v what is drawn; middle: what is taken away for differences. */
void sl_plane_rescale(struct sl_plane *p, enum sl_plane_scale scale, double middle);

/* Appends the lines of numbers. */
void sl_plane_write(const struct sl_plane *p, struct sl_buffer *out);

/* Edges of the blocks of an adaptive mesh that the plane cuts: calls add(user, x0, x1, y0, y1) with
 * each, in the units of x and y; none where the member has no such table. */
int sl_plane_blocks(const struct sl_plane *p, const struct sl_report *r,
                    const struct sl_plane_name *name, void (*add)(void *user, const double side[4]),
                    void *user);

#endif
