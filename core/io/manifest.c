/* manifest.c - see manifest.h. */
#include "core/io/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/crc32c.h"
#include "core/sys/status.h"

#define FIRST_WORDS "sluice checkpoint "
#define FIRST_LINE  FIRST_WORDS "2\n"
#define PARTS_LINE  FIRST_WORDS "3\n"

enum { SOURCE_LINE = 8 }; /* a number of the driving takes this many bytes at least */

enum kind { TEXT, INT, REAL, SOME }; /* SOME: an integer whose line is left out where it is 0 */
static const struct row {
    const char *key;
    enum kind kind;
    int count;
    size_t at;
} rows[] = {
#define ROW(key, kind, count, member)                                                              \
    {                                                                                              \
        key, kind, count, offsetof(struct sl_manifest, member)                                     \
    }
    ROW("recipe", TEXT, 1, recipe),
    ROW("code", TEXT, 1, code),
    ROW("seq", INT, 1, seq),
    ROW("step", INT, 1, step),
    ROW("time", REAL, 1, time),
    ROW("dt", REAL, 1, dt),
    ROW("time_unit", REAL, 1, time_unit),
    ROW("repaired", INT, 1, repaired),
    ROW("floored", INT, 1, floored),
    ROW("last_floored", SOME, 1, floored_last),
    ROW("since_regrid", SOME, 1, since_regrid),
    ROW("next_snapshot", INT, 1, next_snapshot),
    ROW("next_history", INT, 1, next_history),
    ROW("ranks", INT, 1, ranks),
    ROW("real_bytes", INT, 1, real_bytes),
    ROW("nvar", INT, 1, nvar),
    ROW("energy", INT, 1, energy),
    ROW("entropy", INT, 1, entropy),
    ROW("scalar0", INT, 1, scalar0),
    ROW("nscalar", INT, 1, nscalar),
    ROW("dim", INT, 1, dim),
    ROW("cells", INT, 3, cells),
    ROW("block_cells", INT, 3, block_cells),
    ROW("lo", REAL, 3, lo),
    ROW("hi", REAL, 3, hi),
    ROW("levels", SOME, 1, nlevel),
    ROW("regrid_due", SOME, 1, regrid_due),
    ROW("outputs_due", SOME, 1, outputs_due),
    ROW("parts", SOME, 1, npart),
    ROW("files", INT, 1, nfile),
    ROW("blocks", INT, 1, nblock),
#undef ROW
};
enum { NROW = sizeof rows / sizeof *rows };

static void print_row(FILE *f, const struct row *row, const struct sl_manifest *m)
{
    const void *p = (const char *)m + row->at;
    if (row->kind == SOME && *(const int64_t *)p == 0) return;
    fputs(row->key, f);
    if (row->kind == TEXT) fprintf(f, " %s", (const char *)p);
    for (int i = 0; i < row->count; i++) {
        if (row->kind == INT || row->kind == SOME) fprintf(f, " %" PRId64, ((const int64_t *)p)[i]);
        if (row->kind == REAL) fprintf(f, " %a", ((const double *)p)[i]);
    }
    fputc('\n', f);
}

static const char *const sealed_word[] = {"holds", "begins"}; /* [grows] */

static void print_body(FILE *f, const struct sl_manifest *m)
{
    fputs(m->npart ? PARTS_LINE : FIRST_LINE, f);
    for (int i = 0; i < NROW; i++)
        print_row(f, &rows[i], m);
    for (const char *line = m->keys; line && *line; line += strcspn(line, "\n") + 1)
        fprintf(f, "set %.*s\n", (int)strcspn(line, "\n"), line);
    for (size_t i = 0; i < m->nsource; i++)
        fprintf(f, "drive %a\n", m->source[i]);
    for (int64_t i = 0; i < m->npart; i++)
        fprintf(f, "part %s\n", m->part[i]);
    for (int64_t i = 0; i < m->nlevel; i++)
        fprintf(f, "allowed %a\n", m->allowed[i]);
    for (size_t i = 0; i < m->sealed.n; i++)
        fprintf(f, "%s %" PRId64 " %08" PRIx32 " %s\n", sealed_word[m->sealed.file[i].grows],
                m->sealed.file[i].size, m->sealed.file[i].crc, m->sealed.file[i].path);
    for (int64_t i = 0; i < m->nfile; i++) {
        fprintf(f, "file %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, m->file[i].size,
                m->file[i].nblock, m->file[i].first, m->file[i].last);
        if (m->npart) fprintf(f, " %" PRId64, m->file[i].parts);
        fputc('\n', f);
    }
}

int sl_manifest_print(const struct sl_manifest *m, size_t most, char **text, size_t *n)
{
    FILE *f = open_memstream(text, n);
    SL_CHECK(f, SL_EMEM, "no memory for a manifest");
    print_body(f, m);
    fflush(f);
    if (!ferror(f)) fprintf(f, "crc32c %08" PRIx32 "\n", sl_crc32c(0, *text, *n));
    int failed = ferror(f);
    int code = fclose(f) == 0 && !failed ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a manifest");
    if (code == SL_OK && *n > most)
        code = SL_FAIL(SL_EIO,
                       "the manifest of a checkpoint of %" PRId64
                       " data files and %zu numbers of source terms, after %zu outputs, would "
                       "have %zu bytes; %zu are the most",
                       m->nfile, m->nsource, m->sealed.n, *n, most);
    if (code != SL_OK) free(*text);
    return code;
}

/* Reading: `at` moves over the text, ends at a zero byte. Each returns false where it does not see
 * what it wants. */
static bool take_text(const char **at, const char *want)
{
    size_t n = strlen(want);
    if (strncmp(*at, want, n) != 0) return false;
    *at += n;
    return true;
}

static bool take_int(const char **at, int64_t *out)
{
    char *end;
    if (**at != '-' && (**at < '0' || **at > '9')) return false;
    errno = 0;
    long long value = strtoll(*at, &end, 10);
    if (end == *at || errno) return false;
    *out = value;
    *at = end;
    return true;
}

static bool take_real(const char **at, double *out)
{
    char *end;
    if (**at == ' ') return false;
    double value = strtod(*at, &end);
    if (end == *at || !isfinite(value)) return false;
    *out = value;
    *at = end;
    return true;
}

static bool take_line(const char **at, char *out, size_t size)
{
    size_t n = strcspn(*at, "\n");
    if (n >= size) return false;
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += n;
    return true;
}

static bool take_row(const char **at, const struct row *row, struct sl_manifest *m)
{
    void *p = (char *)m + row->at;
    bool good = take_text(at, row->key);
    if (!good && row->kind == SOME) return true;
    for (int i = 0; good && i < row->count; i++) {
        good = take_text(at, " ");
        if (good && row->kind == TEXT) good = take_line(at, p, sizeof m->recipe);
        if (good && (row->kind == INT || row->kind == SOME)) good = take_int(at, (int64_t *)p + i);
        if (good && row->kind == REAL) good = take_real(at, (double *)p + i);
    }
    return good && take_text(at, "\n");
}

/* Eight digits, which end at a blank or the end of the line. */
static bool take_crc(const char **at, uint32_t *out)
{
    char crc[9] = "";
    if (strcspn(*at, " \n") != 8) return false;
    memcpy(crc, *at, 8);
    *at += 8;
    *out = (uint32_t)strtoul(crc, NULL, 16);
    return true;
}

static bool take_file(const char **at, bool parts, struct sl_manifest_file *f)
{
    return take_text(at, "file ") && take_int(at, &f->size) && take_text(at, " ") &&
           take_int(at, &f->nblock) && take_text(at, " ") && take_int(at, &f->first) &&
           take_text(at, " ") && take_int(at, &f->last) &&
           (!parts || (take_text(at, " ") && take_int(at, &f->parts) && f->parts >= 0)) &&
           take_text(at, "\n");
}

/* A line that begins with word, without that: *good tells whether it is one. */
static int take_sealed_file(const char **at, struct sl_sealed *list, bool grows, bool *good)
{
    char path[4096];
    int64_t size;
    uint32_t crc;
    *good = take_text(at, " ") && take_int(at, &size) && size >= 0 && take_text(at, " ") &&
            take_crc(at, &crc) && take_text(at, " ") && take_line(at, path, sizeof path) && *path &&
            *path != '/' && !strstr(path, "..") && take_text(at, "\n");
    return *good ? sl_sealed_set(list, path, size, crc, grows) : SL_OK;
}

static int take_sealed(const char **at, struct sl_sealed *list, bool *good)
{
    *good = true;
    while (*good) {
        bool grows = take_text(at, sealed_word[1]);
        if (!grows && !take_text(at, sealed_word[0])) break;
        SL_TRY(take_sealed_file(at, list, grows, good));
    }
    return SL_OK;
}

/* What must hold for the lists to be worth memory, and for readers to use them without asking. */
static bool sane(const struct sl_manifest *m, size_t n)
{
    return m->seq >= 0 && m->step >= 0 && m->nvar >= 0 && m->nvar <= 64 && m->dim >= 1 &&
           m->dim <= 3 && m->nlevel >= 0 && m->nlevel <= SL_MANIFEST_LEVELS && m->nfile >= 0 &&
           m->npart >= 0 && m->npart <= SL_MANIFEST_PARTS && m->nblock >= 0 &&
           m->nblock <= INT32_MAX && (uint64_t)m->nfile <= n;
}

/* The lines that begin with "set ", without that. */
static bool take_keys(const char **at, char *out)
{
    while (take_text(at, "set ")) {
        size_t n = strcspn(*at, "\n");
        if ((*at)[n] != '\n') return false;
        memcpy(out, *at, n + 1);
        out += n + 1;
        *at += n + 1;
    }
    *out = '\0';
    return true;
}

/* The lines that begin with "drive "; room for n numbers. */
static bool take_sources(const char **at, struct sl_manifest *m, size_t n)
{
    while (m->nsource < n && take_text(at, "drive "))
        if (!take_real(at, &m->source[m->nsource++]) || !take_text(at, "\n")) return false;
    return true;
}

static bool take_parts(const char **at, struct sl_manifest *m)
{
    bool good = true;
    for (int64_t i = 0; good && i < m->npart; i++)
        good = take_text(at, "part ") && take_line(at, m->part[i], sizeof m->part[i]) &&
               take_text(at, "\n");
    return good;
}

static bool take_levels(const char **at, struct sl_manifest *m)
{
    bool good = true;
    for (int64_t i = 0; good && i < m->nlevel; i++)
        good = take_text(at, "allowed ") && take_real(at, &m->allowed[i]) && take_text(at, "\n");
    return good;
}

/* Every block is in one of the files. */
static bool take_files(const char **at, struct sl_manifest *m)
{
    bool good = true;
    int64_t left = m->nblock;
    for (int64_t i = 0; good && i < m->nfile; i++) {
        struct sl_manifest_file *f = &m->file[i];
        good = take_file(at, m->npart > 0, f) && f->size >= 0 && f->nblock >= 0 &&
               f->nblock <= left && f->first >= 0 && f->last >= -1 && f->last < m->nblock &&
               f->last - f->first >= f->nblock - 1;
        left -= good ? f->nblock : 0;
    }
    return good && left == 0 && **at == '\0';
}

/* Cuts the last line off when it is the checksum of what stands before it. */
static bool take_checksum(const char *text, size_t n, size_t *body)
{
    char want[24];
    enum { LINE = 7 + 8 + 1 };
    if (n < LINE || memchr(text, '\0', n)) return false;
    snprintf(want, sizeof want, "crc32c %08" PRIx32 "\n", sl_crc32c(0, text, n - LINE));
    *body = n - LINE;
    return memcmp(text + *body, want, LINE) == 0;
}

static int parse_body(const char *text, size_t n, struct sl_manifest *m)
{
    const char *at = text;
    bool parts = take_text(&at, PARTS_LINE), good = parts || take_text(&at, FIRST_LINE);
    for (int i = 0; good && i < NROW; i++)
        good = take_row(&at, &rows[i], m);
    SL_CHECK(good && sane(m, n) && parts == (m->npart > 0), SL_EINPUT,
             "manifest is damaged at byte %zu", (size_t)(at - text));
    m->file = calloc((size_t)m->nfile + 1, sizeof *m->file);
    m->keys = malloc(n + 1);
    m->source = calloc(n / SOURCE_LINE + 1, sizeof *m->source);
    SL_CHECK(m->file && m->keys && m->source, SL_EMEM, "no memory for a manifest");
    good = take_keys(&at, m->keys) && take_sources(&at, m, n / SOURCE_LINE) && take_parts(&at, m) &&
           take_levels(&at, m);
    if (good) SL_TRY(take_sealed(&at, &m->sealed, &good));
    SL_CHECK(good && take_files(&at, m), SL_EINPUT, "manifest is damaged at byte %zu",
             (size_t)(at - text));
    return SL_OK;
}

/* Numbers can be written in many ways, but only one of them is ours. */
static int check_same(const struct sl_manifest *m, const char *text, size_t n)
{
    char *again;
    size_t size;
    SL_TRY(sl_manifest_print(m, SL_MANIFEST_MOST, &again, &size));
    bool same = size == n && memcmp(again, text, n) == 0;
    free(again);
    SL_CHECK(same, SL_EINPUT, "manifest is not as it is written");
    return SL_OK;
}

int sl_manifest_parse(const char *text, size_t n, struct sl_manifest *m)
{
    size_t body;
    *m = (struct sl_manifest){0};
    SL_CHECK(take_checksum(text, n, &body), SL_EINPUT, "the checksum of the manifest is wrong");
    SL_CHECK(strncmp(text, FIRST_WORDS, strlen(FIRST_WORDS)) != 0 ||
                 strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0 ||
                 strncmp(text, PARTS_LINE, strlen(PARTS_LINE)) == 0,
             SL_EGUARD, "the checkpoint is of another version of sluice");
    char *copy = strndup(text, body);
    SL_CHECK(copy, SL_EMEM, "no memory for a manifest");
    int code = parse_body(copy, body, m);
    free(copy);
    if (code == SL_OK) code = check_same(m, text, n);
    if (code != SL_OK) sl_manifest_free(m);
    return code;
}

void sl_manifest_free(struct sl_manifest *m)
{
    free(m->file);
    free(m->keys);
    free(m->source);
    sl_sealed_release(&m->sealed);
    m->keys = NULL;
    m->source = NULL;
    m->file = NULL;
}
