/* seal.h - small tables of slots/ that tell whether they are as they were written: a first line
 * that names the kind, a last one with the checksum of all before it.
 *
 * Shapes  lines of text
 * Units   bytes
 * Errors  SL_EINPUT with the path for a table that is damaged, SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/slots.sh, tests/slurm/submit.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_SEAL_H
#define SL_PIPELINE_CAMPAIGN_SEAL_H

#include <stddef.h>

/* Replaces path by head ("# sluice settings 2"), the lines of text and the checksum. */
int sl_seal_write(const char *path, const char *head, const char *text);
/* *text: the lines between, the caller's to free; all of a table of an older sluice, which had
 * neither, if each of its lines has the character in_each (0: any). */
int sl_seal_read(const char *path, size_t most, const char *head, char in_each, char **text);

#endif
