/* record.h - end-records: a stage is done when its record exists, which names every product with
 * its size and checksum, and the run.yaml that decided on them.
 *
 * Shapes  a record is home/attempts/STAGE.end.json; home is a member's directory or the campaign's;
 *         the paths in it are relative to home, so that a moved campaign still holds
 * Units   bytes
 * Errors  SL_EGUARD with the first product that is missing or differs, or the first file that is
 *         none; SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/record.c, tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_RECORD_H
#define SL_PIPELINE_CAMPAIGN_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "pipeline/base/disk.h"
#include "pipeline/campaign/stage.h"

/* NEEDED: all are there in their size; SUM: those not deleted on purpose have their checksum; READ:
 * all are there with their checksum, and nothing else (sl_record_verify_folders), as whoever reads
 * them wants; TABLES: as SUM and nothing else, but for fields (ic.h5 and snapshots), which the
 * report does not read. */
enum sl_record_check { SL_CHECK_NEEDED, SL_CHECK_SUM, SL_CHECK_READ, SL_CHECK_TABLES };

int sl_record_path(char path[SL_PATH_MAX], const char *home, enum sl_stage stage);
bool sl_record_exists(const char *home, enum sl_stage stage);

/* What lies at the place of the stage's products before an attempt, which sl_record_write is given:
 * what is still the same then is not of this attempt. The caller's to release; NULL: nothing, or a
 * stage that goes on with what its earlier attempts wrote. */
json_t *sl_record_before(const char *home, enum sl_stage stage);
/* Sums up the products that the attempt wrote in home and writes the record; `about` is merged into
 * it. What an earlier attempt wrote, as its record says (also one set aside), and this one did not
 * is deleted. SL_EGUARD when a product that must exist does not. */
int sl_record_write(const char *home, enum sl_stage stage, json_t *about, const json_t *before);
/* Compares the products with the record; *files and *bytes (may be NULL) count what was compared.
 */
int sl_record_verify(const char *home, enum sl_stage stage, enum sl_record_check how, int *files,
                     double *bytes);
/* Compares run.yaml with the record of the last stage that is done, in all lines but those of
 * commands: `sluice set` changes none of a member that is done. SL_EGUARD where no stage is done,
 * too, SL_EUNAVAIL where the record is of a version that did not hold it. */
int sl_record_verify_settings(const char *home);
/* SL_EGUARD when a file lies in a folder of the stage (snapshots/, stats/ ...) that its record does
 * not name: whoever lists the folder would take it for a product, and the stage run again would not
 * remove it. Hidden files, what a killed writer left and the .vtkhdf of a snapshot pass, unless a
 * reader would match their names; so does all beside the page of the report. */
int sl_record_verify_folders(const char *home, enum sl_stage stage);
/* Marks the products at or below path as deleted on purpose: they are not compared any more. */
int sl_record_forget(const char *home, enum sl_stage stage, const char *path);
/* The number by which a stage of the campaign says of what it was made ("members"); -2 without a
 * record. */
int64_t sl_record_mark(const char *home, enum sl_stage stage);
/* Makes the record of a run again where that follows: what the run says that it wrote
 * (written.tsv) vouches for each of its products, and each is there; told as a warning. Else, and
 * for other stages, SL_EGUARD with the reason, and the record is as it was. */
int sl_record_remake(const char *home, enum sl_stage stage);
/* Makes again what the run said of itself (progress.json, written.tsv), from the text that its
 * record holds; where a record of an older version holds none, it is left out of the products. Each
 * is told as a warning. No reader but SUM looks at these files. *count grows by those that were
 * damaged or missing. A record that cannot be read is made again, too, or told why not. */
int sl_record_mend(const char *home, enum sl_stage stage, int *count);
/* Sets aside a record whose products do not hold, so that the stage runs again. */
int sl_record_revoke(const char *home, enum sl_stage stage);

#endif
