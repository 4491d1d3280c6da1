/* seal.c - see seal.h. */
#include "pipeline/campaign/seal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

static const char seal[] = "# crc32c ";
enum { SEAL = sizeof seal - 1 + 8 + 1 }; /* the last line */

int sl_seal_write(const char *path, const char *head, const char *text)
{
    char *all = NULL;
    int n = asprintf(&all, "%s\n%s%s00000000\n", head, text, seal);
    SL_CHECK(n >= 0, SL_EMEM, "no memory for %s", path);
    size_t body = (size_t)n - SEAL;
    snprintf(all + body, SEAL + 1, "%s%08" PRIx32 "\n", seal, sl_crc32c(0, all, body));
    int code = sl_file_replace(path, all, (size_t)n, SL_DURABLE);
    free(all);
    return code;
}

/* Whole lines of text, each with the character that lines of such a table have. */
static bool is_lines(const char *all, char in_each)
{
    size_t n;
    for (const char *line = all; *line; line += n + 1) {
        n = strcspn(line, "\n");
        if (n == 0 || line[n] == '\0') return false;
        if (in_each && *line != '#' && !memchr(line, in_each, n)) return false;
        for (size_t i = 0; i < n; i++)
            if (iscntrl((unsigned char)line[i]) && line[i] != '\t') return false;
    }
    return *all != '\0';
}

/* An older table has no checksum, and its first line, if it names a kind, version 1. */
static bool is_older(const char *all, const char *head, char in_each)
{
    size_t n = strlen(head) - 1; /* without the version */
    bool first = strncmp(all, head, n) == 0 && strncmp(all + n, "1\n", 2) == 0;
    return (*all != '#' || first) && !strstr(all, seal) && is_lines(all, in_each);
}

static bool is_whole(const char *all, size_t size, const char *head)
{
    char want[SEAL + 1];
    size_t n = strlen(head);
    if (size < n + 1 + SEAL || strncmp(all, head, n) != 0 || all[n] != '\n') return false;
    snprintf(want, sizeof want, "%s%08" PRIx32 "\n", seal, sl_crc32c(0, all, size - SEAL));
    return memcmp(all + size - SEAL, want, SEAL) == 0;
}

int sl_seal_read(const char *path, size_t most, const char *head, char in_each, char **text)
{
    char *all;
    size_t size, skip = strlen(head) + 1;
    *text = NULL;
    SL_TRY(sl_file_read(path, most, &all, &size));
    if (strlen(all) == size && is_older(all, head, in_each)) {
        *text = all;
        return SL_OK;
    }
    bool whole = is_whole(all, size, head);
    if (whole) memmove(all, all + skip, size - skip - SEAL);
    if (whole) all[size - skip - SEAL] = '\0';
    if (whole)
        *text = all;
    else
        free(all);
    SL_CHECK(whole, SL_EINPUT, "%s is damaged: its checksum is wrong", path);
    return SL_OK;
}
