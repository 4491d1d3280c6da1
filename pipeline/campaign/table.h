/* table.h - the state of a campaign for people: bars, counts, rates, the time that is left.
 *
 * Shapes  lines of at most `width` columns
 * Units   seconds; cell updates and steps of a particle per second
 * Errors  none: what cannot be read is shown as unknown
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    https://no-color.org
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_TABLE_H
#define SL_PIPELINE_CAMPAIGN_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "pipeline/campaign/state.h"

struct sl_look {
    int width, height; /* of the screen */
    bool colour;
    bool live; /* a terminal that can be redrawn */
};

/* What the stream can show. */
void sl_look_of(FILE *out, struct sl_look *look);

/* Time left for the whole campaign on `cores` cores, -1 unknown. */
double sl_table_left(const struct sl_campaign_state *state, int cores);

/* Head with bars; then a line per member for which `which` holds (NULL: those at work or failed),
 * at most `rows` of them. Returns the number of lines. */
int sl_table_print(FILE *out, const struct sl_look *look, const struct sl_campaign_state *state,
                   int cores, bool (*which)(const struct sl_campaign_state *state, int member),
                   int rows);
/* For logs: a line per member whose run is under way, with step, time, rate and the expected end,
 * at most once in `every` seconds (0: never); *last is the state between calls, the time from which
 * the first wait counts. */
void sl_table_log(FILE *out, const struct sl_campaign_state *state, double every, double *last);
/* One line: "12/64 done, 4 running, 1 failed". */
void sl_table_summary(const struct sl_campaign_state *state, char *text, size_t size);

/* What the runs under way do: the sums of their rates, and the redshifts between which they are,
 * -1 where no universe expands. */
struct sl_pace_now {
    double cells, particles; /* per second: cell updates, steps of a particle */
    double first, last;      /* the largest redshift and the smallest */
};
struct sl_pace_now sl_table_pace(const struct sl_campaign_state *state);
/* Haloes that the members' statistics found, each in its last snapshot: of so many members, the
 * fewest, the most, all. */
struct sl_halo_count {
    int members;
    long long least, most, sum;
};
struct sl_halo_count sl_table_haloes(const struct sl_campaign_state *state);
/* For programs, the same: {cells_per_s, particle_steps_per_s, redshift: null or [first, last]};
 * null or {members, least, most, sum}. */
json_t *sl_table_pace_json(const struct sl_campaign_state *state);
json_t *sl_table_haloes_json(const struct sl_campaign_state *state);

/* For programs: an object of state: members, NULL without memory; the caller's (json_decref). */
json_t *sl_table_counts(const struct sl_campaign_state *state);
/* Likewise: {every_s, write_s: of the running members, 0 unknown, runs_lost, run_s: in all
 * runs}. */
json_t *sl_table_checkpoints(const struct sl_campaign_state *state);
/* Likewise: the nodes that are left out, as sl_nodes_json has them. */
json_t *sl_table_left_out(const struct sl_campaign_state *state);

/* "1:02:03", "12.3 GB", "6.71e6". */
void sl_table_time(double seconds, char text[32]);
void sl_table_bytes(double bytes, char text[32]);

/* Shows text on the screen in place of what was shown there before; `lines` is the state between
 * calls, 0 at first. */
void sl_table_redraw(FILE *out, const struct sl_look *look, const char *text, int *lines);

#endif
