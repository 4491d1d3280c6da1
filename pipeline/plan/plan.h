/* plan.h - what a campaign will need: steps, memory, disk, time; before anything runs.
 *
 * Shapes  none
 * Units   bytes, seconds
 * Errors  SL_EINPUT of the recipe
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/plan.c
 */
#ifndef SL_PIPELINE_PLAN_PLAN_H
#define SL_PIPELINE_PLAN_PLAN_H

#include <stdbool.h>

#include "pipeline/campaign/filling.h"
#include "pipeline/campaign/stage.h"

struct sl_need {
    double cells, steps; /* leaf cells of all levels; steps of the root grid */
    double updates;      /* of cells in a step of the root grid */
    double particles;    /* that move */
    double particle_bytes, device_particle_bytes,
        device_memory; /* of each, of each on a device, of a device (particles.h) */
    int levels;        /* of refinement */
    double level_cells[SL_FILLING_LEVELS],
        level_steps[SL_FILLING_LEVELS];     /* of each; steps in one of the root grid */
    double seconds;                         /* of all stages, each with all its ranks, one member */
    double rank_memory, memory;             /* of one rank, of all: the most of a stage */
    double stage_seconds[SL_MEMBER_STAGES], /* of each; of initial fields those of cosmology */
        stage_memory[SL_MEMBER_STAGES];     /* of one rank; 0: the member does not have the stage */
    double snapshots, checkpoints, ic, stats; /* on disk */
};

/* Whether a run counts as one on devices: resources.backend is cuda, or auto and resources.gpus
 * asks for some. */
bool sl_plan_on_device(const struct sl_config *cfg);

/* Cell updates per second and rank that are assumed where nothing was measured; usual: of the
 * scheme that `sluice bench` measures, plm with a device per rank. */
double sl_plan_usual(const struct sl_config *cfg);
double sl_plan_rate(const struct sl_config *cfg);

/* Estimate for one member, each stage with what the recipe gives it, with that rate; pace.h
 * corrects it by what was measured. filling: of its levels; NULL: what is assumed. Memory is
 * that of the most that levels fill, and of a regrid. */
void sl_plan_member(const struct sl_config *cfg, const struct sl_filling *filling,
                    struct sl_need *need);

/* Bytes of a rank of a stage, of the levels what is assumed: by this number members are of one
 * size. */
double sl_plan_memory(const struct sl_config *cfg, enum sl_stage stage);

/* rms of the displacement along the last axis at ic.redshift in mesh.box, in Mpc/h, from above: a
 * fit to that of Eisenstein & Hu 1998 for 0.1 <= omega_m <= 1, 0.02 <= omega_b / omega_m <= 0.3,
 * 0.5 <= h <= 0.9, 0.9 <= n_s <= 1.05 and sides from 1 to 10^4 Mpc/h, that needs neither file nor
 * integral; at most 4.7 times it in a cube, 8 times in a box up to 16 times as long as wide. Of a
 * table as it stands it knows no amplitude: that of cosmology.a_s. */
double sl_plan_displacement(const struct sl_config *cfg);
double sl_plan_disk(const struct sl_need *need);

/* Sums over members. */
struct sl_plan {
    int64_t members, left;  /* left: not done yet */
    struct sl_need largest; /* each figure the largest of a member */
    double disk;
    double seconds;                    /* of what is left, one member after the other */
    double core_seconds, node_seconds; /* of what is left */
    double asked_seconds;              /* node_seconds if every attempt used its wall time up */
    double longest;                    /* seconds of a member that is left */
    double walltime;                   /* longest of an attempt at a stage of a member */
    double last;                       /* wall time of the last job of the campaign */
    int ranks, nodes;                  /* most of a stage of a member */
};
/* factor: measured over estimated time; cores: of a node; filling as above. */
void sl_plan_add(struct sl_plan *plan, const struct sl_config *cfg,
                 const struct sl_filling *filling, double factor, int cores, bool done);

/* What a forecast is made of: members side by side, and seconds from now until the first starts. */
struct sl_outlook {
    int at_once;
    double wait, requeue; /* requeue: seconds that a member waits each time it reaches its limit */
};
/* Seconds until all that is left has run, when all takes `factor` times as long as was summed. */
double sl_plan_end(const struct sl_plan *plan, const struct sl_outlook *outlook, double factor);

#endif
