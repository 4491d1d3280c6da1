/* yaml.c - see yaml.h. */
#include "core/sys/yaml.h"
#include "core/sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

/* ---- memory: chunks that live as long as the document ---- */

struct sl_yaml_chunk {
    struct sl_yaml_chunk *next;
    size_t used, size;
    _Alignas(16) char bytes[];
};

static void *take(struct sl_yaml *doc, size_t size)
{
    enum { CHUNK = 65536 };
    size = (size + 15) & ~(size_t)15;
    struct sl_yaml_chunk *c = doc->chunks;
    if (!c || c->size - c->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        c = malloc(sizeof *c + room);
        if (!c) return NULL;
        *c = (struct sl_yaml_chunk){doc->chunks, 0, room};
        doc->chunks = c;
    }
    void *p = c->bytes + c->used;
    c->used += size;
    return p;
}

static char *take_text(struct sl_yaml *doc, const char *text, size_t size)
{
    char *p = take(doc, size + 1);
    if (!p) return NULL;
    memcpy(p, text, size);
    p[size] = '\0';
    return p;
}

void sl_yaml_free(struct sl_yaml *doc)
{
    if (!doc) return;
    for (struct sl_yaml_chunk *c = doc->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(doc->bytes);
    free(doc);
}

/* ---- events to nodes ---- */

struct builder {
    struct sl_yaml *doc;
    struct sl_mark origin;
    struct open_node {
        struct sl_node *node, *last;
        const char *name; /* key that waits for its value */
        struct sl_mark name_at;
    } open[SL_YAML_MAX_DEPTH];
    int depth, nodes, documents;
};

static struct sl_mark place(const struct builder *b, yaml_mark_t mark)
{
    struct sl_mark at = {b->origin.file, b->origin.line + (int)mark.line, (int)mark.column + 1};
    if (mark.line == 0) at.column += b->origin.column - 1;
    return at;
}

/* Compares the keys of two children; of two equal ones the earlier comes first. */
static int by_name(const void *a, const void *b)
{
    const struct sl_node *x = *(struct sl_node *const *)a, *y = *(struct sl_node *const *)b;
    int order = strcmp(x->name, y->name);
    if (order) return order;
    if (x->name_at.line != y->name_at.line) return x->name_at.line < y->name_at.line ? -1 : 1;
    return x->name_at.column < y->name_at.column ? -1 : x->name_at.column > y->name_at.column;
}

/* Sorting keeps a mapping of 50,000 keys from costing a comparison of all pairs. */
static int refuse_duplicates(const struct sl_node *map)
{
    if (map->count < 2) return SL_OK;
    struct sl_node **sorted = malloc((size_t)map->count * sizeof *sorted);
    SL_CHECK(sorted, SL_EMEM, "no memory for a recipe");
    int n = 0, code = SL_OK;
    for (struct sl_node *c = map->first; c; c = c->next)
        sorted[n++] = c;
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    for (int i = 1; i < n && code == SL_OK; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            code = SL_FAIL_AT(sorted[i]->name_at, "'%s' is given twice, first on line %d",
                              sl_quote(sorted[i]->name).text, sorted[i - 1]->name_at.line);
    free(sorted);
    return code;
}

static int add_node(struct builder *b, enum sl_node_kind kind, struct sl_mark at,
                    struct sl_node **out)
{
    if (++b->nodes > SL_YAML_MAX_NODES)
        return SL_FAIL_AT(at, "more than %d values in one file", SL_YAML_MAX_NODES);
    struct sl_node *node = take(b->doc, sizeof *node);
    SL_CHECK(node, SL_EMEM, "no memory for a recipe");
    *node = (struct sl_node){.kind = kind, .at = at};
    if (b->depth == 0) {
        b->doc->root = node;
    } else {
        struct open_node *o = &b->open[b->depth - 1];
        if (o->node->kind == SL_NODE_MAP) {
            if (!o->name) return SL_FAIL_AT(at, "a key must be a name, not a list or a mapping");
            node->name = o->name;
            node->name_at = o->name_at;
            o->name = NULL;
        }
        if (o->last)
            o->last->next = node;
        else
            o->node->first = node;
        o->last = node;
        o->node->count++;
    }
    *out = node;
    return SL_OK;
}

static int plain_yaml(struct sl_mark at, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        return SL_FAIL_AT(at, "anchor '&%s' is not allowed; write the value where it is used",
                          sl_quote((const char *)anchor).text);
    if (tag)
        return SL_FAIL_AT(at, "tag '%s' is not allowed; types come from the table of keys",
                          sl_quote((const char *)tag).text);
    return SL_OK;
}

static int add_key(struct builder *b, const char *text, struct sl_mark at)
{
    struct open_node *o = &b->open[b->depth - 1];
    if (strcmp(text, "<<") == 0)
        return SL_FAIL_AT(at, "merge key '<<' is not allowed; write the keys out");
    if (text[0] == '\0') return SL_FAIL_AT(at, "a key has no name");
    o->name = text;
    o->name_at = at;
    return SL_OK;
}

static int on_scalar(struct builder *b, const yaml_event_t *event, struct sl_mark at)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    SL_TRY(plain_yaml(at, event->data.scalar.anchor, event->data.scalar.tag));
    if (size > SL_YAML_MAX_SCALAR)
        return SL_FAIL_AT(at, "a value of %zu bytes, more than %d", size, SL_YAML_MAX_SCALAR);
    /* escapes in quotes can make what the check of the bytes did not see */
    struct sl_mark inside = at;
    const char *wrong = sl_text_check(value, size, &inside);
    if (wrong) return SL_FAIL_AT(at, "%s in a value", wrong);
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && memchr(value, '\n', size))
        return SL_FAIL_AT(at, "a value without quotes goes on after an empty line");
    char *text = take_text(b->doc, value, size);
    SL_CHECK(text, SL_EMEM, "no memory for a recipe");
    if (b->depth > 0) {
        struct open_node *o = &b->open[b->depth - 1];
        if (o->node->kind == SL_NODE_MAP && !o->name) return add_key(b, text, at);
    }
    struct sl_node *node;
    SL_TRY(add_node(b, SL_NODE_SCALAR, at, &node));
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return SL_OK;
}

static int on_open(struct builder *b, enum sl_node_kind kind, struct sl_mark at)
{
    if (b->depth == SL_YAML_MAX_DEPTH)
        return SL_FAIL_AT(at, "nested more than %d deep", SL_YAML_MAX_DEPTH);
    struct sl_node *node;
    SL_TRY(add_node(b, kind, at, &node));
    b->open[b->depth++] = (struct open_node){.node = node};
    return SL_OK;
}

static int on_document(struct builder *b, const yaml_event_t *event, struct sl_mark at)
{
    if (event->data.document_start.version_directive ||
        event->data.document_start.tag_directives.start !=
            event->data.document_start.tag_directives.end)
        return SL_FAIL_AT(at, "directives (%%YAML, %%TAG) are not allowed");
    if (++b->documents > 1)
        return SL_FAIL_AT(at, "a second document starts here; one file holds one");
    return SL_OK;
}

static int on_event(struct builder *b, const yaml_event_t *event)
{
    struct sl_mark at = place(b, event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return on_document(b, event, at);
    case YAML_ALIAS_EVENT:
        return SL_FAIL_AT(at, "alias '*%s' is not allowed; write the value out",
                          sl_quote((const char *)event->data.alias.anchor).text);
    case YAML_SCALAR_EVENT:
        return on_scalar(b, event, at);
    case YAML_SEQUENCE_START_EVENT:
        SL_TRY(plain_yaml(at, event->data.sequence_start.anchor, event->data.sequence_start.tag));
        return on_open(b, SL_NODE_LIST, at);
    case YAML_MAPPING_START_EVENT:
        SL_TRY(plain_yaml(at, event->data.mapping_start.anchor, event->data.mapping_start.tag));
        return on_open(b, SL_NODE_MAP, at);
    case YAML_MAPPING_END_EVENT:
        return refuse_duplicates(b->open[--b->depth].node);
    case YAML_SEQUENCE_END_EVENT:
        b->depth--;
        return SL_OK;
    default:
        return SL_OK;
    }
}

/* A tab stands there, and nothing but blanks before it in its line. */
static bool tab_indents(const char *line, yaml_mark_t mark)
{
    for (size_t n = mark.line; n > 0; n--) {
        line += strcspn(line, "\r\n");
        if (!*line) return false;
        line += line[0] == '\r' && line[1] == '\n' ? 2 : 1;
    }
    return strspn(line, " \t") > mark.column && line[mark.column] == '\t';
}

static int parser_failure(const struct builder *b, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) return SL_FAIL(SL_EMEM, "no memory for a recipe");
    struct sl_mark at = place(b, parser->problem_mark);
    const char *problem = parser->problem ? parser->problem : "cannot be read";
    if (parser->error == YAML_SCANNER_ERROR && tab_indents(b->doc->bytes, parser->problem_mark))
        return SL_FAIL_AT(at, "a tab; indent with spaces");
    if (parser->context) return SL_FAIL_AT(at, "not valid YAML: %s %s", problem, parser->context);
    return SL_FAIL_AT(at, "not valid YAML: %s", problem);
}

static int parse_events(struct builder *b, yaml_parser_t *parser)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) return parser_failure(b, parser);
        int code = on_event(b, &event);
        more = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
        yaml_event_delete(&event);
        if (code != SL_OK) return code;
    }
    return SL_OK;
}

static int parse_document(struct sl_yaml *doc, struct sl_mark at)
{
    at.file = take_text(doc, at.file, strlen(at.file));
    SL_CHECK(at.file, SL_EMEM, "no memory for a recipe");
    size_t bom = doc->size >= 3 && memcmp(doc->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (doc->size >= 2 &&
        (memcmp(doc->bytes, "\xff\xfe", 2) == 0 || memcmp(doc->bytes, "\xfe\xff", 2) == 0))
        return SL_FAIL_AT(at, "the text is UTF-16; save it as UTF-8");
    struct sl_mark place_of_wrong = at;
    const char *wrong = sl_text_check(doc->bytes + bom, doc->size - bom, &place_of_wrong);
    if (wrong) return SL_FAIL_AT(place_of_wrong, "%s", wrong);

    struct builder b = {.doc = doc, .origin = at};
    yaml_parser_t parser;
    SL_CHECK(yaml_parser_initialize(&parser), SL_EMEM, "no memory for a recipe");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)doc->bytes + bom, doc->size - bom);
    int code = parse_events(&b, &parser);
    yaml_parser_delete(&parser);
    if (code != SL_OK) return code;
    if (!doc->root) return SL_FAIL_AT(at, "nothing is written here");
    return SL_OK;
}

static int adopt(char *bytes, size_t size, struct sl_mark at, struct sl_yaml **out)
{
    struct sl_yaml *doc = calloc(1, sizeof *doc);
    if (!doc) free(bytes);
    SL_CHECK(doc, SL_EMEM, "no memory for a recipe");
    doc->bytes = bytes;
    doc->size = size;
    int code = parse_document(doc, at);
    if (code != SL_OK)
        sl_yaml_free(doc);
    else
        *out = doc;
    return code;
}

int sl_yaml_parse(const char *bytes, size_t size, struct sl_mark at, struct sl_yaml **out)
{
    if (size > SL_YAML_MAX_BYTES)
        return SL_FAIL_AT(at, "%zu bytes, more than %d", size, SL_YAML_MAX_BYTES);
    char *copy = malloc(size + 1);
    SL_CHECK(copy, SL_EMEM, "no memory for a recipe");
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    SL_TRY(adopt(copy, size, at, out));
    return SL_OK;
}

/* ---- files ---- */

static int load_open(const char *path, int fd, char **bytes, size_t *size)
{
    struct stat info;
    SL_CHECK(fstat(fd, &info) == 0, SL_EIO, "%s: cannot be read: %s", path, strerror(errno));
    SL_CHECK(S_ISREG(info.st_mode), SL_EINPUT, "%s: is not a regular file", path);
    SL_CHECK(info.st_size <= SL_YAML_MAX_BYTES, SL_EINPUT, "%s: %lld bytes, more than %d", path,
             (long long)info.st_size, SL_YAML_MAX_BYTES);
    char *buffer = malloc(SL_YAML_MAX_BYTES + 2); /* a file may grow while it is read */
    SL_CHECK(buffer, SL_EMEM, "no memory for %s", path);
    size_t used = 0;
    ssize_t n = 1;
    while (n > 0 && used <= SL_YAML_MAX_BYTES) {
        n = read(fd, buffer + used, SL_YAML_MAX_BYTES + 1 - used);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            used += (size_t)n;
    }
    if (n < 0 || used > SL_YAML_MAX_BYTES) {
        int why = errno;
        free(buffer);
        return SL_FAIL(n < 0 ? SL_EIO : SL_EINPUT, "%s: cannot be read: %s", path,
                       n < 0 ? strerror(why) : "it grows");
    }
    buffer[used] = '\0';
    char *fit = realloc(buffer, used + 1);
    *bytes = fit ? fit : buffer;
    *size = used;
    return SL_OK;
}

int sl_yaml_load(const char *path, char **bytes, size_t *size)
{
    /* O_NONBLOCK: the open of a FIFO must not wait for a writer */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    SL_CHECK(fd >= 0, sl_file_status(errno), "%s: cannot be read: %s", path, strerror(errno));
    int code = load_open(path, fd, bytes, size);
    close(fd);
    if (code == SL_OK && *size == 0) {
        free(*bytes);
        return SL_FAIL(SL_EINPUT, "%s:1:1: the file is empty", path);
    }
    return code;
}

int sl_yaml_read(const char *path, struct sl_yaml **out)
{
    char *bytes;
    size_t size;
    SL_TRY(sl_yaml_load(path, &bytes, &size));
    SL_TRY(adopt(bytes, size, (struct sl_mark){path, 1, 1}, out));
    return SL_OK;
}

/* ---- questions ---- */

const struct sl_node *sl_node_child(const struct sl_node *map, const char *name)
{
    if (map->kind != SL_NODE_MAP) return NULL;
    for (const struct sl_node *c = map->first; c; c = c->next)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

bool sl_node_same(const struct sl_node *a, const struct sl_node *b)
{
    if (!a || !b) return a == b;
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == SL_NODE_SCALAR) return strcmp(a->text, b->text) == 0;
    const struct sl_node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) {
        if (a->kind == SL_NODE_MAP && strcmp(x->name, y->name) != 0) return false;
        if (!sl_node_same(x, y)) return false;
    }
    return true;
}
