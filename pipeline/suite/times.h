/* times.h - seconds of a step, as `sluice bench sedov --lines` tells them, for the figures of the
 * verification page that show them. Lines that begin with # say when and on what they were taken.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EIO, SL_EINPUT: a file without such lines, or with too many
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    Wang, Abel & Kaehler 2010, figures 5, 8 and 11
 * Tests   tests/cli/verify.sh
 */
#ifndef SL_PIPELINE_SUITE_TIMES_H
#define SL_PIPELINE_SUITE_TIMES_H

enum { SL_SUITE_TIMES_MAX = 256 };

struct sl_suite_time {
    char place[16], field[16], precision[16]; /* core or device; none or glm; double or single */
    int cells, ranks;                         /* along an axis; ranks of a device each */
    int part;                                 /* of the file: a remark begins one */
    double seconds;
};

struct sl_suite_times {
    char about[512]; /* remarks, one after the other; "" */
    int n;
    struct sl_suite_time row[SL_SUITE_TIMES_MAX];
};

int sl_suite_times_read(const char *path, struct sl_suite_times *out);
/* The first in double precision, borrowed from t; NULL when there is none. */
const struct sl_suite_time *sl_suite_times_find(const struct sl_suite_times *t, const char *place,
                                                const char *field, int cells, int ranks);
/* Likewise the row of one rank that was taken together with this one: in its part of the file. row:
 * may be NULL. */
const struct sl_suite_time *sl_suite_times_alone(const struct sl_suite_times *t,
                                                 const struct sl_suite_time *row);
/* Its seconds, NAN of NULL. */
double sl_suite_times_seconds(const struct sl_suite_time *row);

#endif
