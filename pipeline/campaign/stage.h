/* stage.h - the stages of a campaign and how an attempt at one may end, each one list.
 *
 * Shapes  none
 * Units   none
 * Errors  sl_stage_find: -1 for an unknown name
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/slurm/launch.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_STAGE_H
#define SL_PIPELINE_CAMPAIGN_STAGE_H

#include <stdbool.h>

struct sl_config;

/* X(name, "sentence"): those of a member first, then those of the campaign. Not every member has
 * initial fields, and own and summary are there where the recipe has commands for them
 * (sl_member_has, sl_campaign_has). */
#define SL_STAGE_LIST(X)                                                                           \
    X(ic, "initial fields")                                                                        \
    X(sim, "the run")                                                                              \
    X(stats, "statistics of the run")                                                              \
    X(own, "commands of stages.snapshot and stages.member")                                        \
    X(ensemble, "statistics over the members")                                                     \
    X(summary, "the command of stages.campaign")                                                   \
    X(report, "the page")

#define SL_STAGE_ENUM(name, about) SL_STAGE_##name,
enum sl_stage { SL_STAGE_LIST(SL_STAGE_ENUM) SL_STAGE_COUNT };
enum { SL_MEMBER_STAGES = SL_STAGE_own + 1 };

/* X(name, "sentence") */
#define SL_RESULT_LIST(X)                                                                          \
    X(done, "products are there and recorded")                                                     \
    X(stopped, "reached its wall-time limit with a checkpoint; goes on in the next attempt")       \
    X(paused, "was asked to stop; goes on in the next attempt")                                    \
    X(failed, "ended with an error; may be tried again")                                           \
    X(lost, "its process vanished without a word; may be tried again")                             \
    X(taken, "its node failed or its job was taken away; goes on elsewhere")                       \
    X(unfit, "its node could not run it; may be tried again elsewhere")                            \
    X(memory, "memory was short; goes on with more, once")                                         \
    X(diverged, "the solution broke down; the same again would break down again")                  \
    X(refused, "input or set-up is wrong; the same again would fail again")                        \
    X(blocked, "what the stage before it made is missing or damaged")

#define SL_RESULT_ENUM(name, about) SL_RESULT_##name,
enum sl_result { SL_RESULT_LIST(SL_RESULT_ENUM) SL_RESULT_COUNT };

/* Whether a member with these values has the stage. */
bool sl_stage_is_of(int stage, const struct sl_config *cfg);

/* Whether its program computes on devices where it finds them: statistics of some runs do, and
 * commands that ask for some. */
bool sl_stage_takes_devices(int stage, const struct sl_config *cfg);

const char *sl_stage_name(int stage);
int sl_stage_find(const char *name);
const char *sl_result_name(int result);
int sl_result_find(const char *name);

#endif
