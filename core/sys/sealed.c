/* sealed.c - see sealed.h. */
#include "core/sys/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { LIST_MAX = 1 << 26 };

static struct sl_sealed_file *find(const struct sl_sealed *list, const char *path)
{
    for (size_t i = 0; i < list->n; i++) /* the history, which is asked for most, is the first */
        if (strcmp(list->file[i].path, path) == 0) return &list->file[i];
    return NULL;
}

const struct sl_sealed_file *sl_sealed_find(const struct sl_sealed *list, const char *path)
{
    return find(list, path);
}

static int add(struct sl_sealed *list, const char *path, struct sl_sealed_file **out)
{
    struct sl_sealed_file *more = realloc(list->file, (list->n + 1) * sizeof *more);
    SL_CHECK(more, SL_EMEM, "no memory for a list of %zu files", list->n + 1);
    list->file = more;
    *out = &more[list->n];
    **out = (struct sl_sealed_file){.path = strdup(path)};
    SL_CHECK((*out)->path, SL_EMEM, "no memory for a list of %zu files", list->n + 1);
    list->n++;
    return SL_OK;
}

int sl_sealed_set(struct sl_sealed *list, const char *path, int64_t size, uint32_t crc, bool grows)
{
    struct sl_sealed_file *f = find(list, path);
    if (!f) SL_TRY(add(list, path, &f));
    f->size = size;
    f->crc = crc;
    f->grows = grows;
    return SL_OK;
}

int sl_sealed_copy(struct sl_sealed *to, const struct sl_sealed *from)
{
    struct sl_sealed copy = {0};
    int code = SL_OK;
    for (size_t i = 0; i < from->n && code == SL_OK; i++) {
        const struct sl_sealed_file *f = &from->file[i];
        code = sl_sealed_set(&copy, f->path, f->size, f->crc, f->grows);
    }
    sl_sealed_release(to);
    if (code == SL_OK)
        *to = copy;
    else
        sl_sealed_release(&copy);
    return code;
}

void sl_sealed_release(struct sl_sealed *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->file[i].path);
    free(list->file);
    *list = (struct sl_sealed){0};
}

static const char head[] = "# sluice written 1\n# bytes\tCRC-32C\tpath\n";

int sl_sealed_store(const struct sl_sealed *list, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    SL_CHECK(out, SL_EMEM, "no memory for a list of %zu files", list->n);
    fputs(head, out);
    for (size_t i = 0; i < list->n; i++)
        fprintf(out, "%" PRId64 "\t%08" PRIx32 "\t%s\n", list->file[i].size, list->file[i].crc,
                list->file[i].path);
    int code = fclose(out) == 0 ? sl_file_replace(path, text, size, SL_DURABLE)
                                : SL_FAIL(SL_EMEM, "no memory for a list of %zu files", list->n);
    free(text);
    return code;
}

static int load_line(struct sl_sealed *list, const char *from, const char *line)
{
    int64_t size;
    uint32_t crc;
    int at = -1;
    char path[SL_PATH_MAX];
    SL_CHECK(sscanf(line, "%" SCNd64 "\t%8" SCNx32 "\t%n", &size, &crc, &at) == 2 && at > 0,
             SL_EINPUT, "%s is damaged", from);
    size_t n = strcspn(line + at, "\n");
    SL_CHECK(n > 0 && n < sizeof path && line[at + (int)n] == '\n', SL_EINPUT, "%s is damaged",
             from);
    memcpy(path, line + at, n);
    path[n] = '\0';
    return sl_sealed_set(list, path, size, crc, false);
}

int sl_sealed_load(struct sl_sealed *list, const char *path)
{
    char *text;
    size_t size;
    *list = (struct sl_sealed){0};
    SL_TRY(sl_file_read(path, LIST_MAX, &text, &size));
    int code = strncmp(text, head, strlen(head)) == 0
                   ? SL_OK
                   : SL_FAIL(SL_EINPUT, "%s is no list of what a run wrote", path);
    for (const char *line = text + strlen(head); code == SL_OK && *line;
         line = strchr(line, '\n') + 1)
        code = load_line(list, path, line);
    free(text);
    if (code != SL_OK) sl_sealed_release(list);
    return code;
}

static int check_open(const struct sl_sealed_file *f, int fd)
{
    struct stat st;
    uint32_t crc = 0;
    SL_CHECK(fstat(fd, &st) == 0 && S_ISREG(st.st_mode), SL_EINPUT, "%s is not a plain file",
             f->path);
    SL_CHECK(f->grows ? st.st_size >= f->size : st.st_size == f->size, SL_EINPUT,
             "%s has %jd bytes, %" PRId64 " were written", f->path, (intmax_t)st.st_size, f->size);
    int code = sl_file_sum(fd, 0, f->size, f->path, &crc);
    if (code != SL_OK) return code == SL_EMEM ? code : SL_EINPUT;
    SL_CHECK(crc == f->crc, SL_EINPUT, "%s is not what was written: its checksum is wrong",
             f->path);
    return SL_OK;
}

int sl_sealed_check(const struct sl_sealed_file *f)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    SL_CHECK(fd >= 0, sl_file_missing(errno) ? SL_EINPUT : SL_EIO, "cannot open %s: %s", f->path,
             strerror(errno));
    int code = check_open(f, fd);
    close(fd);
    return code;
}

int sl_sealed_add(struct sl_sealed *list, const char *path)
{
    struct stat st;
    uint32_t crc = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    SL_CHECK(fd >= 0, SL_EIO, "cannot open %s: %s", path, strerror(errno));
    int code = fstat(fd, &st) == 0 ? sl_file_sum(fd, 0, (int64_t)st.st_size, path, &crc)
                                   : SL_FAIL(SL_EIO, "cannot read %s: %s", path, strerror(errno));
    close(fd);
    SL_TRY(code);
    return sl_sealed_set(list, path, (int64_t)st.st_size, crc, false);
}
