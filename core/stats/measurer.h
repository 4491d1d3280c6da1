/* measurer.h - what measures the fields of a run at one time, whether they come from a snapshot or
 * lie in the memory of the run: theory, device, room.
 *
 * Shapes  fields [nz][n1][n0], the own planes of a slab
 * Units   code units
 * Errors  those of measure.h and linear.h; SL_EMEM
 * Owns    what open and grid make, freed by close
 * MPI     collective over the communicator of open unless a function says local
 * Where   host; sums on devices where there are any (core/measure/device.h)
 * Refs    none
 * Tests   tests/cli/stats.sh, tests/law/in_run.sh
 */
#ifndef SL_STATS_MEASURER_H
#define SL_STATS_MEASURER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/halo/halo_history.h"
#include "core/measure/device.h"
#include "core/measure/fields.h"
#include "core/measure/linear.h"

struct sl_config;

struct sl_measurer {
    MPI_Comm comm;
    const struct sl_config *cfg;    /* borrowed */
    struct sl_linear linear;        /* owned; empty where nothing is compared with it */
    struct sl_halo_history haloes;  /* owned */
    struct sl_stats_device *device; /* owned; NULL: the processor */
    /* owned; of a snapshot, and room for what is made of them, which is in there; the next takes
     * it, which a system is slow to clear */
    double *fields, *work[3];
};

/* The moment that is measured. */
struct sl_moment {
    int number;                                 /* of the snapshot */
    double time, scale_factor;                  /* 0: of no universe that expands */
    const struct sl_particle_source *particles; /* borrowed; NULL: none move */
};

/* device: whether one may be taken. */
int sl_measurer_open(MPI_Comm comm, const struct sl_config *cfg, bool device,
                     struct sl_measurer *out);
/* local. Gives back the room for fields, and what it holds of a device; the next grid and the next
 * measuring take these again. */
void sl_measurer_rest(struct sl_measurer *m);
void sl_measurer_close(struct sl_measurer *m); /* local */

/* local. Whether something is compared with the linear theory. */
bool sl_measurer_has_linear(const struct sl_config *cfg);
/* local. Time in time.unit of the recipe, or the scale factor where that is redshift; unit: code
 * units in one of the recipe. */
double sl_measurer_when(const struct sl_config *cfg, double time, double unit, double scale_factor);

/* local. The grid of statistics.level of a run with these cells and sides, and room for its fields,
 * the same for all snapshots. */
int sl_measurer_grid(struct sl_measurer *m, int dim, const int64_t cells[3], const double lo[3],
                     const double hi[3], struct sl_slab *slab);
/* local. The fields in m->fields, which are there already or are made of particles. */
void sl_measurer_fields(struct sl_measurer *m, const struct sl_slab *slab,
                        const struct sl_moment *moment, struct sl_fields *f);
/* Tables of all that the recipe asks for (measure.h). */
int sl_measurer_measure(struct sl_measurer *m, const struct sl_fields *f, struct sl_tables *tables,
                        struct sl_measured *out);

#endif
