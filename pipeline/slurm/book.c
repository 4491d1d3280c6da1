/* book.c - see slurm/book.h. */
#include "pipeline/slurm/book.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/sys/status.h"
#include "pipeline/base/buffer.h"
#include "pipeline/campaign/journal.h"
#include "pipeline/campaign/seal.h"
#include "pipeline/slurm/script.h"

enum { TABLE_MAX = 1 << 26 };
static const char kind[] = "# sluice slurm 2", stages[] = "# stages";
static const char older[] = "# sluice slurm 1\n"; /* without a checksum */

static int table_path(char path[SL_PATH_MAX], const char *dir, int g)
{
    return sl_disk_join(path, "%s/slots/slurm.%04d.tsv", dir, g + 1);
}

static int count_submitted(const struct sl_fact *f, void *user)
{
    *(int *)user += f->what == SL_FACT_submitted;
    return SL_OK;
}

/* A table that is gone left the script of its jobs, and lines of the journal. */
bool sl_book_used(const struct sl_campaign *campaign)
{
    char path[SL_PATH_MAX];
    int64_t offset = 0;
    int n = 0;
    if (table_path(path, campaign->dir, 0) == SL_OK && sl_disk_exists(path)) return true;
    if (sl_disk_join(path, "%s/%s", campaign->dir, sl_slurm_script_path) != SL_OK ||
        !sl_disk_exists(path))
        return false;
    return sl_journal_read(campaign->dir, &offset, count_submitted, &n, NULL) == SL_OK && n > 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

void sl_book_name(const struct sl_book *book, int g, enum sl_stage stage,
                  char name[SL_JOB_NAME_MAX])
{
    snprintf(name, SL_JOB_NAME_MAX, "slc-%s-%s-g%d", book->camp, sl_stage_name((int)stage), g + 1);
}

bool sl_book_parse_name(const struct sl_book *book, const char *name, int *g, enum sl_stage *stage)
{
    char want[SL_JOB_NAME_MAX];
    const char *tail = strrchr(name, 'g');
    if (!tail || strspn(tail + 1, "0123456789") != strlen(tail + 1)) return false;
    *g = (int)strtol(tail + 1, NULL, 10) - 1;
    for (int s = 0; s < SL_STAGE_COUNT; s++) {
        *stage = (enum sl_stage)s;
        sl_book_name(book, *g, *stage, want);
        if (strcmp(want, name) == 0) return *g >= 0;
    }
    return false;
}

/* The directory and the moment of its making: another campaign at the same place has other jobs. */
static void identify(struct sl_book *book, double first)
{
    SHA2_CTX sha;
    char digest[65], text[64];
    snprintf(text, sizeof text, " %.6f", first);
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)book->campaign->dir, strlen(book->campaign->dir));
    SHA256Update(&sha, (const uint8_t *)text, strlen(text));
    SHA256End(&sha, digest);
    memcpy(book->camp, digest, 8);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int parse_head(struct sl_generation *gen, char *line, const char *path)
{
    char *save = NULL;
    gen->pack = gen->turns = 1;
    for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        bool pack = strncmp(w, "pack=", 5) == 0, turns = strncmp(w, "turns=", 6) == 0;
        if (pack || turns) {
            long n = strtol(strchr(w, '=') + 1, NULL, 10);
            SL_CHECK(n >= 1 && n <= INT_MAX, SL_EINPUT, "%s: no number of members: %.20s", path, w);
            *(pack ? &gen->pack : &gen->turns) = (int)n;
            continue;
        }
        int stage = sl_stage_find(w);
        SL_CHECK(stage >= 0 && stage < SL_MEMBER_STAGES, SL_EINPUT, "%s: no stage: %.20s", path, w);
        gen->stages |= 1u << stage;
    }
    return SL_OK;
}

static int parse_table(const struct sl_campaign *c, struct sl_generation *gen, char *text,
                       const char *path)
{
    size_t rows = 0;
    if (strncmp(text, older, sizeof older - 1) == 0) text += sizeof older - 1;
    SL_CHECK(strncmp(text, stages, sizeof stages - 1) == 0, SL_EINPUT,
             "%s is not a table of slots of this version", path);
    for (const char *p = text; *p; p++)
        rows += *p == '\n';
    gen->member = calloc(rows + 1, sizeof *gen->member);
    SL_CHECK(gen->member, SL_EMEM, "no memory for %zu slots", rows);
    char *save = text + sizeof stages - 1;
    SL_TRY(parse_head(gen, strsep(&save, "\n"), path));
    for (char *line; (line = strsep(&save, "\n"));) {
        if (!*line) continue;
        int member = sl_campaign_find(c, line);
        SL_CHECK(member >= 0, SL_EINPUT, "%s: no member: %.40s", path, line);
        gen->member[gen->n++] = member;
    }
    return SL_OK;
}

static struct sl_generation *add_generation(struct sl_book *book)
{
    struct sl_generation *more =
        realloc(book->generation, (size_t)(book->n + 1) * sizeof *book->generation);
    if (!more) return NULL;
    book->generation = more;
    memset(&more[book->n], 0, sizeof *more);
    return &more[book->n++];
}

static int load(struct sl_book *book, const char *path)
{
    char *text;
    struct sl_generation *gen = add_generation(book);
    SL_CHECK(gen, SL_EMEM, "no memory for a table of slots");
    int read = sl_seal_read(path, TABLE_MAX, kind, 0, &text);
    if (read == SL_EINPUT)
        return SL_FAIL(read, "%s; put it back from a copy of the campaign", sl_error_text());
    SL_TRY(read);
    int code = parse_table(book->campaign, gen, text, path);
    free(text);
    return code;
}

int sl_book_slots(const struct sl_generation *gen)
{
    return (gen->n + gen->pack - 1) / gen->pack;
}

int sl_book_end(const struct sl_generation *gen, int slot)
{
    int end = (slot + 1) * gen->pack;
    return end < gen->n ? end : gen->n;
}

int sl_book_lanes(const struct sl_generation *gen)
{
    return (gen->pack + gen->turns - 1) / gen->turns;
}

bool sl_book_any(const struct sl_generation *gen, int slot, const bool *mark)
{
    for (int i = slot * gen->pack; i < sl_book_end(gen, slot); i++)
        if (mark[gen->member[i]]) return true;
    return false;
}

bool sl_book_all(const struct sl_generation *gen, int slot, const bool *mark)
{
    for (int i = slot * gen->pack; i < sl_book_end(gen, slot); i++)
        if (!mark[gen->member[i]]) return false;
    return true;
}

int sl_book_add(struct sl_book *book, const int *member, int n, unsigned which, int pack, int turns)
{
    char path[SL_PATH_MAX];
    struct sl_buffer text = {.s = NULL};
    SL_TRY(table_path(path, book->campaign->dir, book->n));
    sl_buffer_add(&text, "%s", stages);
    for (int s = 0; s < SL_MEMBER_STAGES; s++)
        if (which & (1u << s)) sl_buffer_add(&text, " %s", sl_stage_name(s));
    if (pack > 1) sl_buffer_add(&text, " pack=%d", pack);
    if (turns > 1) sl_buffer_add(&text, " turns=%d", turns);
    sl_buffer_add(&text, "\n");
    for (int i = 0; i < n; i++)
        sl_buffer_add(&text, "%s\n", book->campaign->member[member[i]].id);
    int code = text.failed ? SL_FAIL(SL_EMEM, "no memory for a table of slots")
                           : sl_seal_write(path, kind, text.s);
    sl_buffer_release(&text);
    SL_TRY(code);
    return load(book, path);
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* The text of the facts: "NAME TOKEN [JOB]". */
static int fold(const struct sl_fact *f, void *user)
{
    struct sl_book *book = user;
    char name[SL_JOB_NAME_MAX], token[SL_JOB_TOKEN_MAX];
    long long job = -1;
    int g;
    enum sl_stage stage;
    if (f->what != SL_FACT_intent && f->what != SL_FACT_submitted && f->what != SL_FACT_refused)
        return SL_OK;
    int got = sscanf(f->text, "%63s %23s %lld", name, token, &job);
    if (got < 2 || !sl_book_parse_name(book, name, &g, &stage)) return SL_OK;
    if (g >= book->n) {
        book->lost = g >= book->lost ? g + 1 : book->lost;
        return SL_OK;
    }
    struct sl_submission *s = &book->generation[g].stage[stage];
    if (f->what == SL_FACT_intent) {
        s->how = SL_HANDED_INTENDED;
        s->when = f->t;
        snprintf(s->token, sizeof s->token, "%s", token);
    } else if (strcmp(token, s->token) == 0) {
        s->how = f->what == SL_FACT_submitted ? SL_HANDED_DONE : SL_HANDED_NOT;
        s->job = job;
    }
    return SL_OK;
}

static int journal_submission(struct sl_book *book, enum sl_fact_kind what, int g,
                              enum sl_stage stage, const char *end)
{
    char name[SL_JOB_NAME_MAX];
    struct sl_fact fact;
    sl_book_name(book, g, stage, name);
    /* no stage: it is no attempt at one */
    sl_fact_init(&fact, what, "", "");
    fact.count = book->generation[g].n;
    snprintf(fact.text, sizeof fact.text, "%s %s %s", name, book->generation[g].stage[stage].token,
             end);
    return sl_journal_add(book->campaign->dir, &fact);
}

int sl_book_intend(struct sl_book *book, int g, enum sl_stage stage)
{
    struct sl_submission *s = &book->generation[g].stage[stage];
    uint64_t random;
    SL_CHECK(getrandom(&random, sizeof random, 0) == (ssize_t)sizeof random, SL_EIO,
             "cannot get random bytes: %s", strerror(errno));
    snprintf(s->token, sizeof s->token, "%016" PRIx64, random);
    s->how = SL_HANDED_INTENDED;
    s->when = sl_disk_now();
    return journal_submission(book, SL_FACT_intent, g, stage, "");
}

int sl_book_settle(struct sl_book *book, int g, enum sl_stage stage, long long job, const char *why)
{
    struct sl_submission *s = &book->generation[g].stage[stage];
    char end[400];
    s->job = job;
    s->how = job >= 0 ? SL_HANDED_DONE : SL_HANDED_NOT;
    if (job >= 0)
        snprintf(end, sizeof end, "%lld", job);
    else
        snprintf(end, sizeof end, "-1 %.380s", why);
    return journal_submission(book, job >= 0 ? SL_FACT_submitted : SL_FACT_refused, g, stage, end);
}

/* ---- open and close -------------------------------------------------------------------------- */

/* Once, as a verb opens it more than once. */
static void tell_lost(const struct sl_book *book)
{
    static bool told;
    if (!told)
        sl_log(
            SL_LOG_WARN,
            "%s/slots/slurm.%04d.tsv is missing: which of the jobs slc-%s-*-g%d in the queue are "
            "for which members is not known; put it back from a copy of the campaign, or end "
            "them with scancel before `sluice submit`",
            book->campaign->dir, book->lost, book->camp, book->lost);
    told = true;
}

int sl_book_open(const struct sl_campaign *campaign, struct sl_book *book)
{
    char path[SL_PATH_MAX];
    int64_t offset = 0;
    memset(book, 0, sizeof *book);
    book->campaign = campaign;
    double first = 0;
    int code = sl_journal_first(campaign->dir, &first);
    identify(book, first);
    while (code == SL_OK && (code = table_path(path, campaign->dir, book->n)) == SL_OK &&
           sl_disk_exists(path))
        code = load(book, path);
    if (code == SL_OK) code = sl_journal_read(campaign->dir, &offset, fold, book, NULL);
    if (code == SL_OK && book->lost) tell_lost(book);
    if (code != SL_OK) sl_book_release(book);
    return code;
}

int sl_book_imagine(const struct sl_campaign *campaign, struct sl_book *book)
{
    memset(book, 0, sizeof *book);
    book->campaign = campaign;
    identify(book, 0);
    return SL_OK;
}

void sl_book_release(struct sl_book *book)
{
    for (int g = 0; g < book->n; g++)
        free(book->generation[g].member);
    free(book->generation);
    memset(book, 0, sizeof *book);
}
