/* yaml.c - the reader of YAML: places, caps, and everything it must refuse. */
#include "core/sys/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct sl_yaml *parse(const char *text)
{
    struct sl_yaml *doc = NULL;
    int code = sl_yaml_parse(text, strlen(text), (struct sl_mark){"t.yaml", 1, 1}, &doc);
    if (code != SL_OK) print_error("%s\n", sl_error_text());
    assert_int_equal(code, SL_OK);
    return doc;
}

/* The text must be refused with a message that begins with `place` and holds `words`. */
static void refused_bytes(const char *text, size_t size, const char *place, const char *words)
{
    struct sl_yaml *doc = NULL;
    assert_int_equal(sl_yaml_parse(text, size, (struct sl_mark){"t.yaml", 1, 1}, &doc), SL_EINPUT);
    assert_null(doc);
    if (strncmp(sl_error_text(), place, strlen(place)) != 0 || !strstr(sl_error_text(), words))
        fail_msg("'%s' is not '%s ... %s'", sl_error_text(), place, words);
}

static void refused(const char *text, const char *place, const char *words)
{
    refused_bytes(text, strlen(text), place, words);
}

static void tree_and_places(void **state)
{
    (void)state;
    struct sl_yaml *doc = parse("a: 1\nb:\n  c: [x, 'y z']\n  d: {e: \"f\\n\"}\n");
    const struct sl_node *b = sl_node_child(doc->root, "b");
    const struct sl_node *c = sl_node_child(b, "c"), *d = sl_node_child(b, "d");
    assert_int_equal(doc->root->count, 2);
    assert_string_equal(sl_node_child(doc->root, "a")->text, "1");
    assert_int_equal(c->kind, SL_NODE_LIST);
    assert_int_equal(c->count, 2);
    assert_int_equal(c->at.line, 3);
    assert_int_equal(c->at.column, 6);
    assert_int_equal(c->name_at.column, 3);
    assert_string_equal(c->first->next->text, "y z");
    assert_true(c->first->next->quoted);
    assert_false(c->first->quoted);
    assert_string_equal(sl_node_child(d, "e")->text, "f\n");
    assert_null(sl_node_child(d, "none"));
    sl_yaml_free(doc);
}

static void place_counts_characters_not_bytes(void **state)
{
    (void)state;
    struct sl_yaml *doc = parse("{\xc3\xa4: 1, b: 2}");
    assert_int_equal(sl_node_child(doc->root, "b")->at.column, 11);
    sl_yaml_free(doc);
}

static void origin_moves_places(void **state)
{
    (void)state;
    struct sl_yaml *doc;
    assert_int_equal(sl_yaml_parse("[1,\n2]", 6, (struct sl_mark){"x", 7, 10}, &doc), SL_OK);
    assert_int_equal(doc->root->first->at.line, 7);
    assert_int_equal(doc->root->first->at.column, 11);
    assert_int_equal(doc->root->first->next->at.line, 8);
    assert_int_equal(doc->root->first->next->at.column, 1);
    sl_yaml_free(doc);
}

static void refuses_what_readers_differ_on(void **state)
{
    (void)state;
    refused("a: &x 1\nb: *x\n", "t.yaml:1:4: ", "anchor '&x'");
    refused("a: 1\nb: *x\n", "t.yaml:2:4: ", "alias '*x'");
    refused("a: {<<: {b: 1}}\n", "t.yaml:1:5: ", "merge key");
    refused("a: !!int 1\n", "t.yaml:1:4: ", "tag");
    refused("a: !mine [1]\n", "t.yaml:1:4: ", "tag");
    refused("a: !mine {b: 1}\n", "t.yaml:1:4: ", "tag");
    refused("a: 1\n---\nb: 2\n", "t.yaml:2:1: ", "second document");
    refused("%YAML 1.1\n---\na: 1\n", "t.yaml:1:1: ", "directives");
    refused("%TAG ! tag:x,2000:\n---\na: 1\n", "t.yaml:1:1: ", "directives");
    refused("? [a, b]\n: 1\n", "t.yaml:1:3: ", "a key must be a name");
    refused("? {a: b}\n: 1\n", "t.yaml:1:3: ", "a key must be a name");
    refused("? \n: 1\n", "t.yaml:1:", "a key has no name");
}

static void refuses_duplicates_in_every_style(void **state)
{
    (void)state;
    refused("a: 1\nb: 2\na: 3\n", "t.yaml:3:1: ", "'a' is given twice, first on line 1");
    refused("{a: 1, b: 2, a: 3}", "t.yaml:1:14: ", "'a' is given twice");
    refused("x: {a: 1, 'a': 3}", "t.yaml:1:11: ", "'a' is given twice");
    struct sl_yaml *doc = parse("x: {a: 1}\ny: {a: 1}\n"); /* not twice in one mapping */
    sl_yaml_free(doc);
}

static void refuses_bytes_that_hide(void **state)
{
    (void)state;
    refused_bytes("a: 1\0b: 2", 9, "t.yaml:1:5: ", "zero byte");
    refused("a: \x1b[31m\n", "t.yaml:1:4: ", "control character");
    refused("a: x\x7f\n", "t.yaml:1:5: ", "control character");
    refused("a: \"\\e[31m\"\n", "t.yaml:1:4: ", "control character");
    refused("a: \"\\0\"\n", "t.yaml:1:4: ", "zero byte");
    refused("a: \"\\u202e\"\n", "t.yaml:1:4: ", "direction");
    refused("a: b\xe2\x80\xae\n", "t.yaml:1:5: ", "direction");
    refused("a: b\xe2\x80\x8b\n", "t.yaml:1:5: ", "invisible");
    refused("\na: \xff\n", "t.yaml:2:4: ", "not UTF-8");
    refused("a: \xc0\xaf\n", "t.yaml:1:4: ", "not UTF-8");
    refused("a: \xed\xa0\x80\n", "t.yaml:1:4: ", "not UTF-8");
    refused("a: \xf4\x90\x80\x80\n", "t.yaml:1:4: ", "not UTF-8");
    refused("a: \xe2\x82", "t.yaml:1:4: ", "not UTF-8");
    refused_bytes("\xff\xfe"
                  "a\0:\0",
                  6, "t.yaml:1:1: ", "UTF-16");
    refused_bytes("\xfe\xff\0a\0:", 6, "t.yaml:1:1: ", "UTF-16");
    struct sl_yaml *doc = parse("\xef\xbb\xbf"
                                "a: 1\r\nb: 2\r\n"); /* a BOM and CR LF are harmless */
    assert_int_equal(sl_node_child(doc->root, "b")->name_at.line, 2);
    sl_yaml_free(doc);
}

static void refuses_broken_yaml(void **state)
{
    (void)state;
    refused("", "t.yaml:1:1: ", "nothing is written");
    refused("# only a comment\n", "t.yaml:1:1: ", "nothing is written");
    refused("a: [1, 2\n", "t.yaml:2:1: ", "not valid YAML");
    refused("a: b\n\n  c\n", "t.yaml:1:4: ", "after an empty line");
    refused("a: b: c\n", "t.yaml:1:5: ", "not valid YAML");
    refused("a: 'open\n", "t.yaml:2:1: ", "not valid YAML");
    refused("a:\n\t- b\n", "t.yaml:2:1: ", "a tab; indent with spaces");
    refused("a: 1\r\nb:\r\n\t- c\r\n", "t.yaml:3:1: ", "a tab; indent with spaces");
    refused("%foo\t", "t.yaml:1:", "not valid YAML"); /* tabs that indent nothing */
    refused("a: !<\tfoo> 1\n", "t.yaml:1:", "not valid YAML");
}

static char *repeat(const char *head, const char *part, int n, const char *tail)
{
    size_t size = strlen(part);
    char *text = malloc(strlen(head) + size * (size_t)n + strlen(tail) + 1), *p = text;
    p += sprintf(p, "%s", head);
    for (int i = 0; i < n; i++, p += size)
        memcpy(p, part, size);
    memcpy(p, tail, strlen(tail) + 1);
    return text;
}

static void caps(void **state)
{
    (void)state;
    char *deep = repeat("", "[", 64, "");
    char *deeper = repeat("", "[", 65, "");
    char *ok =
        repeat("a: ", "[", 63, "1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    char *nodes = repeat("[", "1,", SL_YAML_MAX_NODES, "]");
    char *scalar = repeat("a: ", "x", SL_YAML_MAX_SCALAR + 1, "");
    char *big = repeat("# ", "x", SL_YAML_MAX_BYTES, "");
    refused(deep, "t.yaml:", "not valid YAML"); /* 64 levels, never closed */
    refused(deeper, "t.yaml:1:65: ", "nested more than 64 deep");
    sl_yaml_free(parse(ok));
    refused(nodes, "t.yaml:1:200000: ", "more than 100000 values");
    refused(scalar, "t.yaml:1:4: ", "65537 bytes");
    refused(big, "t.yaml:1:1: ", "1048578 bytes");
    free(deep), free(deeper), free(ok), free(nodes), free(scalar), free(big);
}

/* Of this process, however busy the machine is. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* libyaml alone takes 25 s on the first of these. */
static void hostile_texts_end_soon(void **state)
{
    (void)state;
    static const char *const part[] = {"[",  "{", "{a: ", "- ",   "? ",
                                       "[{", "!", "&a ",  "\"\\", "'\n"};
    double start = seconds();
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        char *text = repeat("", part[i], 100000, "");
        struct sl_yaml *doc = NULL;
        int code = sl_yaml_parse(text, strlen(text), (struct sl_mark){"t", 1, 1}, &doc);
        assert_true(code == SL_EINPUT || code == SL_OK);
        sl_yaml_free(code == SL_OK ? doc : NULL);
        free(text);
    }
    assert_true(seconds() - start < 5);
}

static void many_keys_are_not_quadratic(void **state)
{
    (void)state;
    enum { N = 49000 };
    char *text = malloc(N * 16), *p = text;
    for (int i = 0; i < N; i++)
        p += sprintf(p, "key%05d: 1\n", i);
    double start = seconds();
    struct sl_yaml *doc = parse(text);
    assert_int_equal(doc->root->count, N);
    sl_yaml_free(doc);
    assert_true(seconds() - start < 3);
    free(text);
}

static void read_refused(const char *path, const char *words)
{
    struct sl_yaml *doc = NULL;
    assert_int_equal(sl_yaml_read(path, &doc), SL_EINPUT);
    assert_null(doc);
    if (strncmp(sl_error_text(), path, strlen(path)) != 0 || !strstr(sl_error_text(), words))
        fail_msg("'%s' is not '%s ... %s'", sl_error_text(), path, words);
}

static void files(void **state)
{
    (void)state;
    char dir[] = "/tmp/sluice-yaml-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    read_refused(dir, "not a regular file");
    read_refused("/dev/zero", "not a regular file");
    snprintf(path, sizeof path, "%s/none", dir);
    read_refused(path, "No such file");
    snprintf(path, sizeof path, "%s/fifo", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    read_refused(path, "not a regular file");
    unlink(path);
    snprintf(path, sizeof path, "%s/file", dir);
    FILE *f = fopen(path, "w");
    fclose(f);
    read_refused(path, "empty");
    assert_int_equal(truncate(path, SL_YAML_MAX_BYTES + 1), 0);
    read_refused(path, "bytes, more than");
    assert_int_equal(truncate(path, 100), 0);
    read_refused(path, "zero byte");
    f = fopen(path, "w");
    fputs("a: 1\n", f);
    fclose(f);
    struct sl_yaml *doc;
    assert_int_equal(sl_yaml_read(path, &doc), SL_OK);
    assert_string_equal(doc->bytes, "a: 1\n");
    assert_string_equal(doc->root->at.file, path);
    sl_yaml_free(doc);
    struct rlimit old,
        none; /* what the system refuses is no wrong recipe: its run is tried again */
    getrlimit(RLIMIT_NOFILE, &old);
    none = (struct rlimit){0, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    int code = sl_yaml_read(path, &doc);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(code, SL_EIO);
    unlink(path);
    rmdir(dir);
}

static void same(void **state)
{
    (void)state;
    struct sl_yaml *a = parse("x: [1, 2]\ny: {z: a}"), *b = parse("x:\n- 1\n- 2\ny:\n  z: a\n");
    struct sl_yaml *c = parse("x: [1, 3]\ny: {z: a}");
    assert_true(sl_node_same(a->root, b->root));
    assert_false(sl_node_same(a->root, c->root));
    assert_false(sl_node_same(a->root, NULL));
    assert_true(sl_node_same(NULL, NULL));
    sl_yaml_free(a), sl_yaml_free(b), sl_yaml_free(c);
}

static void distances(void **state)
{
    (void)state;
    assert_int_equal(sl_text_distance("", ""), 0);
    assert_int_equal(sl_text_distance("abc", ""), 3);
    assert_int_equal(sl_text_distance("kitten", "sitting"), 3);
    assert_int_equal(sl_text_distance("ab", "ba"), 1);
    assert_int_equal(sl_text_distance("Mach", "mach"), 0);
    struct sl_nearest near = {.word = "hlcc"};
    sl_nearest_try(&near, "roe");
    assert_null(near.best);
    sl_nearest_try(&near, "hllc");
    assert_string_equal(near.best, "hllc");
    near = (struct sl_nearest){.word = "1"};
    sl_nearest_try(&near, "h"); /* any other letter would be as near */
    assert_null(near.best);
}

static void quoting(void **state)
{
    (void)state;
    assert_string_equal(sl_quote("a\x1b[1m").text, "a\\x1b[1m");
    char *text = repeat("x", "\xc3\xa4", 100, ""); /* is not cut within a character */
    assert_int_equal(strlen(sl_quote(text).text), 59 + 3);
    free(text);
    char out[6];
    sl_text_escape("ab\x01z", false, out, sizeof out);
    assert_string_equal(out, "ab");
    /* C1 controls, marks that turn the direction of text, bytes that are no UTF-8 */
    char shown[80], wild[] = "\xc3\xa4\n\xc2\x9b"
                             "2J\xe2\x80\xae\x9b\x1b";
    sl_text_escape(wild, true, shown, sizeof shown);
    assert_string_equal(shown, "\xc3\xa4\n\\xc2\\x9b"
                               "2J\\xe2\\x80\\xae\\x9b\\x1b");
    sl_text_clean(wild);
    assert_string_equal(wild, "\xc3\xa4 ??2J?????");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_and_places),
        cmocka_unit_test(place_counts_characters_not_bytes),
        cmocka_unit_test(origin_moves_places),
        cmocka_unit_test(refuses_what_readers_differ_on),
        cmocka_unit_test(refuses_duplicates_in_every_style),
        cmocka_unit_test(refuses_bytes_that_hide),
        cmocka_unit_test(refuses_broken_yaml),
        cmocka_unit_test(caps),
        cmocka_unit_test(hostile_texts_end_soon),
        cmocka_unit_test(many_keys_are_not_quadratic),
        cmocka_unit_test(files),
        cmocka_unit_test(same),
        cmocka_unit_test(distances),
        cmocka_unit_test(quoting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
