/* figure.h - the figures of a report: data, drawings, images.
 *
 * Writes report/figures/<name>.csv (the numbers drawn), .gp (the script), .svg and .png, and the
 * images of the members.
 *
 * Shapes  images: cells of a plane, averaged to at most SL_IMAGE_EDGE along each side
 * Units   times in time.unit, wave numbers in 2 pi / L, else code units
 * Errors  SL_EIO, SL_EMEM; a figure that cannot be made says why in `missing`
 * Owns    what is in the structs
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c, tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_FIGURE_H
#define SL_PIPELINE_REPORT_FIGURE_H

#include "core/config/tie.h"
#include "pipeline/report/data.h"

/* The rows SL_FIGURE of the files of pipeline/report, one above the function that makes it:
 *
 *   SL_FIGURE(name, section, "title", when, "sentence under the figure")
 *
 * when: what of `const struct sl_asked *a` must hold that a campaign has it. */
#define SL_FIGURE(name, ...) SL_FIGURE_##name,
enum sl_figure_id {
#include "figures.def" /* generated */
    SL_FIGURES
};
#undef SL_FIGURE
enum sl_figure_section { SL_SECTION_sweep, SL_SECTION_time, SL_SECTION_scale, SL_SECTION_gas };

/* What of a campaign decides about its figures. */
struct sl_asked {
    const struct sl_report *r;             /* borrowed */
    const struct sl_report_member *member; /* the first, borrowed */
    /* of the problem (core/config/show.h) */
    bool turbulence, universe, energies, waves, profiles, error;
    bool start; /* of a universe, which has one time alone */
    bool expands, driven, gas, field, isothermal, levels;
    bool bound;          /* by its own gravity or in a potential, and no universe */
    bool flows;          /* gas comes in, or a tube has open ends: sums over the box say little */
    bool closed;         /* no open boundary: spectra and structure functions are measured */
    bool line, radius;   /* a first member has sample_line.csv, sample_radius.csv */
    bool swept;          /* several groups */
    const char *spectra; /* statistics.spectra */
};
void sl_figure_ask(const struct sl_report *r, struct sl_asked *out);
/* Whether a list such as "[velocity, density]" holds an item. */
bool sl_figure_lists(const char *list, const char *item);
/* Whether the recipe asks for what a figure needs: an item of a list, or a number above zero (item
 * NULL). Spectra and structure functions only where the problem shows them or the recipe names
 * others than the default. */
bool sl_figure_wants(const struct sl_asked *a, const char *key, const char *item);
/* Power of matter; of gas and particles as one; of what moves in an expanding universe; a
 * covariance of power: several members of each group, of which chance makes all amplitudes. */
bool sl_figure_power(const struct sl_asked *a);
bool sl_figure_total(const struct sl_asked *a);
bool sl_figure_nonlinear(const struct sl_asked *a);
bool sl_figure_covariance(const struct sl_asked *a);
/* What makes the ensemble of a member's group refuse a covariance. */
enum sl_tie sl_figure_tie(const struct sl_report *r, const struct sl_report_member *m);

struct sl_figure {
    const char *name, *title, *about;
    enum sl_figure_section section;
};
extern const struct sl_figure sl_figures[SL_FIGURES];

enum { SL_IMAGE_EDGE = 128, SL_IMAGE_MEMBERS = 24, SL_IMAGE_TIMES = 3, SL_IMAGE_KINDS = 2 };
extern const char *const sl_image_kinds[SL_IMAGE_KINDS]; /* "slice", "projection" */

struct sl_images {
    struct {
        int n, snapshot[SL_IMAGE_TIMES]; /* numbers of the snapshots shown */
        /* in time.unit, a redshift where the universe expands; NAN unknown */
        double at[SL_IMAGE_TIMES];
    } times[SL_IMAGE_MEMBERS];
    int most;                                      /* snapshots shown of a member */
    char field[32], axis;                          /* of the map that is shown: density, z */
    bool drawn[SL_IMAGE_KINDS];                    /* its planes are not all the same number */
    int scale[SL_IMAGE_KINDS];                     /* enum sl_plane_scale */
    double middle[SL_IMAGE_KINDS];                 /* taken away, with SL_SCALE_difference */
    double lo[SL_IMAGE_KINDS], hi[SL_IMAGE_KINDS]; /* of the colour scale */
    int made; /* images written: figures/<kind>_<member number>_<snapshot>.png */
};

enum { SL_GROUPS_DRAWN = 6, SL_MAPS_DRAWN = 16, SL_FIGURE_NOTE = 512 };

/* Maps of the last snapshot of the first member of a group, each a figure of its own. */
struct sl_map_figure {
    char name[64], title[96], about[400];
    char missing[256]; /* why it is not there, "" when it is */
};

/* In the place of a reason: the figure does not apply, which needs no words. */
#define SL_FIGURE_SKIPPED " "

struct sl_drawings {
    char missing[SL_GROUPS_DRAWN][SL_FIGURES][256]; /* why a figure is not there, "" when it is */
    char title[SL_GROUPS_DRAWN][SL_FIGURES][96];    /* in place of that of its row, "" for that */
    char note[SL_GROUPS_DRAWN][SL_FIGURES][SL_FIGURE_NOTE]; /* what is added to its sentence */
    struct sl_map_figure map[SL_GROUPS_DRAWN][SL_MAPS_DRAWN];
    int maps[SL_GROUPS_DRAWN];
    int maps_left[SL_GROUPS_DRAWN]; /* that have a table but no figure */
    char film[400];                 /* what figures/film.gif shows, "" without one */
    struct sl_images images;
    bool gnuplot; /* it could be started */
};

/* Name of the files of a figure: "energy" of the first group, "energy_2" of the second. */
void sl_figure_name(char name[64], int id, int group);

/* Whether runs of this campaign can have a figure at all. */
bool sl_figure_applies(const struct sl_asked *a, int id);

/* Makes the figures of the first SL_GROUPS_DRAWN groups; report/figures of the campaign must exist.
 */
int sl_figures_make(const struct sl_report *r, struct sl_drawings *out);
/* Makes maps and the film (report/map.c). */
int sl_map_figures_make(const struct sl_report *r, struct sl_drawings *out);
/* Makes the images of the members (report/image.c). */
int sl_images_make(const struct sl_report *r, struct sl_images *out);

#endif
