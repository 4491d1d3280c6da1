/* journal.c - see journal.h. */
#include "pipeline/campaign/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/disk.h"
#include "pipeline/base/flat.h"

const char *sl_fact_name(enum sl_fact_kind what)
{
    switch (what) {
#define FACT_CASE(name, about)                                                                     \
    case SL_FACT_##name:                                                                           \
        return #name;
        SL_FACT_LIST(FACT_CASE)
#undef FACT_CASE
    case SL_FACT_COUNT:
        break;
    }
    return "unknown";
}

void sl_fact_init(struct sl_fact *fact, enum sl_fact_kind what, const char *member,
                  const char *stage)
{
    memset(fact, 0, sizeof *fact);
    fact->what = what;
    fact->step = -1;
    fact->haloes = -1;
    snprintf(fact->member, sizeof fact->member, "%s", member);
    snprintf(fact->stage, sizeof fact->stage, "%s", stage);
}

static void fact_print(const struct sl_fact *f, struct sl_flat *line)
{
    sl_flat_begin(line);
    sl_flat_int(line, "v", 1);
    sl_flat_real(line, "t", f->t > 0 ? f->t : sl_disk_now());
    sl_flat_text(line, "what", sl_fact_name(f->what));
    if (*f->member) sl_flat_text(line, "member", f->member);
    if (*f->stage) sl_flat_text(line, "stage", f->stage);
    if (f->n) sl_flat_int(line, "n", f->n);
    if (*f->node) sl_flat_text(line, "node", f->node);
    if (*f->result) sl_flat_text(line, "result", f->result);
    if (f->code || *f->result) sl_flat_int(line, "code", f->code);
    if (f->step >= 0) sl_flat_int(line, "step", f->step);
    if (f->seconds > 0) sl_flat_real(line, "seconds", f->seconds);
    if (f->walltime > 0) sl_flat_real(line, "walltime", f->walltime);
    if (f->memory > 0) sl_flat_real(line, "memory", f->memory);
    if (f->asked > 0) sl_flat_real(line, "asked", f->asked);
    if (f->planned > 0) sl_flat_real(line, "planned", f->planned);
    if (f->value > 0) sl_flat_real(line, "value", f->value);
    if (f->count) sl_flat_int(line, "count", f->count);
    if (f->haloes >= 0) sl_flat_int(line, "haloes", f->haloes);
    if (*f->text) sl_flat_text(line, "text", f->text);
    sl_flat_end(line);
}

static bool fact_name_is(struct sl_fact *f, const char *value)
{
    for (int k = 0; k < SL_FACT_COUNT; k++)
        if (strcmp(sl_fact_name((enum sl_fact_kind)k), value) == 0) {
            f->what = (enum sl_fact_kind)k;
            return true;
        }
    return false;
}

static void fact_field(struct sl_fact *f, const char *key, const char *value)
{
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {{"member", f->member, sizeof f->member},
                 {"stage", f->stage, sizeof f->stage},
                 {"node", f->node, sizeof f->node},
                 {"result", f->result, sizeof f->result},
                 {"text", f->text, sizeof f->text}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0) {
            size_t n = strlen(value);
            if (n >= texts[i].size) n = texts[i].size - 1;
            memcpy(texts[i].text, value, n);
            texts[i].text[n] = '\0';
            sl_text_clean(texts[i].text); /* it will be shown on terminals */
            return;
        }
    if (strcmp(key, "t") == 0) f->t = strtod(value, NULL);
    if (strcmp(key, "n") == 0) f->n = (int)strtol(value, NULL, 10);
    if (strcmp(key, "code") == 0) f->code = (int)strtol(value, NULL, 10);
    if (strcmp(key, "step") == 0) f->step = strtoll(value, NULL, 10);
    if (strcmp(key, "count") == 0) f->count = strtoll(value, NULL, 10);
    if (strcmp(key, "haloes") == 0) f->haloes = strtoll(value, NULL, 10);
    if (strcmp(key, "seconds") == 0) f->seconds = strtod(value, NULL);
    if (strcmp(key, "value") == 0) f->value = strtod(value, NULL);
    if (strcmp(key, "walltime") == 0) f->walltime = strtod(value, NULL);
    if (strcmp(key, "memory") == 0) f->memory = strtod(value, NULL);
    if (strcmp(key, "asked") == 0) f->asked = strtod(value, NULL);
    if (strcmp(key, "planned") == 0) f->planned = strtod(value, NULL);
}

struct parse {
    struct sl_fact fact;
    bool versioned, known;
};

static void parse_field(const char *key, const char *value, void *user)
{
    struct parse *p = user;
    if (strcmp(key, "v") == 0)
        p->versioned = strcmp(value, "1") == 0;
    else if (strcmp(key, "what") == 0)
        p->known = fact_name_is(&p->fact, value);
    else
        fact_field(&p->fact, key, value);
}

/* Locks for the moment of the write; where locks do not exist, O_APPEND alone must do. */
static void append_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    while (fcntl(fd, F_SETLKW, &lock) != 0 && errno == EINTR)
        continue;
}

/* A crash may have torn the last line: then this one starts on a new line. */
static bool torn(int fd)
{
    struct stat st;
    char last = '\n';
    if (fstat(fd, &st) != 0 || st.st_size == 0) return false;
    return pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n';
}

static int append(int fd, const char *text, size_t size)
{
    for (;;) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if ((size_t)n < size) return ENOSPC; /* the torn line is closed by the next writer */
        return fsync(fd) == 0 ? 0 : errno;
    }
}

static int read_line(char *line, int (*each)(const struct sl_fact *, void *), void *user,
                     int *damaged)
{
    struct parse p = {.fact = {.step = -1, .haloes = -1}};
    if (sl_flat_parse(line, parse_field, &p) != 0 || !p.versioned) {
        if (damaged && *line) ++*damaged;
        return SL_OK;
    }
    return p.known ? each(&p.fact, user) : SL_OK;
}

/* A journal that is being read, piece by piece: it may be larger than the memory. */
enum { PIECE = 1 << 20 }; /* more than any line that is written */
struct reading {
    int fd;
    char *piece; /* owned: PIECE + 1 bytes */
    bool over;   /* within a line that is longer than a piece, which is no fact */
    int (*each)(const struct sl_fact *, void *);
    void *user;
    int *damaged;
};

static ssize_t read_piece(const struct reading *r, int64_t offset)
{
    ssize_t n;
    do
        n = pread(r->fd, r->piece, PIECE, offset);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Behind a piece without a line end: what was never written is passed over without reading it. */
static void skip_piece(struct reading *r, int64_t *offset)
{
    if (!r->over && r->damaged) ++*r->damaged;
    r->over = true;
    *offset += PIECE;
    off_t data = lseek(r->fd, *offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO) data = lseek(r->fd, 0, SEEK_END);
    if (data > *offset) *offset = data;
}

/* The whole lines of a piece; *used receives their bytes. */
static int read_lines(struct reading *r, size_t size, size_t *used)
{
    int code = SL_OK;
    *used = 0;
    while (code == SL_OK) {
        char *line = r->piece + *used, *newline = memchr(line, '\n', size - *used);
        if (!newline) break;
        *newline = '\0';
        if (!r->over) code = read_line(line, r->each, r->user, r->damaged);
        r->over = false;
        *used += (size_t)(newline + 1 - line);
    }
    return code;
}

static int read_all(struct reading *r, int64_t *offset, const char *path)
{
    for (;;) {
        size_t used;
        ssize_t n = read_piece(r, *offset);
        SL_CHECK(n >= 0, SL_EIO, "cannot read %s: %s", path, strerror(errno));
        int code = read_lines(r, (size_t)n, &used);
        *offset += (int64_t)used;
        if (code != SL_OK) return code;
        if (used == 0 && n < PIECE) return SL_OK; /* the end, or a line that is being written */
        if (used == 0) skip_piece(r, offset);
    }
}

/* Opens the journal; *fd is -1 when there is none. */
static int open_journal(const char *path, int flags, int *fd)
{
    struct stat st;
    /* not blocking: a FIFO in its place must not hang us */
    *fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    if (*fd < 0 && errno == ENOENT) return SL_OK;
    SL_CHECK(*fd >= 0 || errno != ELOOP, SL_EIO,
             "%s is a symbolic link: nothing is written through one", path);
    SL_CHECK(*fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode)) return SL_OK;
    close(*fd);
    return SL_FAIL(SL_EIO, "%s is not a plain file", path);
}

int sl_journal_read(const char *dir, int64_t *offset, int (*each)(const struct sl_fact *, void *),
                    void *user, int *damaged)
{
    char path[SL_PATH_MAX];
    struct reading r = {.each = each, .user = user, .damaged = damaged};
    SL_TRY(sl_disk_join(path, "%s/journal.jsonl", dir));
    SL_TRY(open_journal(path, O_RDONLY, &r.fd));
    if (r.fd < 0) return SL_OK;
    r.piece = malloc(PIECE + 1);
    int code = r.piece ? read_all(&r, offset, path) : SL_FAIL(SL_EMEM, "no memory for %s", path);
    free(r.piece);
    close(r.fd);
    return code;
}

static int take_first(const struct sl_fact *f, void *user)
{
    double *first = user;
    *first = f->t;
    return f->t > 0 ? SL_EAGAIN : SL_OK; /* enough */
}

/* The first line that is a fact: a torn one may stand before it. */
int sl_journal_first(const char *dir, double *t)
{
    int64_t offset = 0;
    *t = 0;
    int code = sl_journal_read(dir, &offset, take_first, t, NULL);
    return *t > 0 ? SL_OK : code;
}

int sl_journal_add(const char *dir, const struct sl_fact *fact)
{
    int fd;
    char path[SL_PATH_MAX];
    struct sl_flat line;
    SL_TRY(sl_disk_join(path, "%s/journal.jsonl", dir));
    SL_TRY(open_journal(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, &fd));
    SL_CHECK(fd >= 0, SL_EIO, "cannot create %s: %s", path, strerror(ENOENT));
    fact_print(fact, &line);
    append_lock(fd);
    int skip = torn(fd) ? 0 : 1; /* the buffer begins with a newline for this case */
    int why = append(fd, line.text + skip, line.used - (size_t)skip);
    close(fd);
    SL_CHECK(!why, SL_EIO, "cannot write %s: %s", path, strerror(why));
    return SL_OK;
}
