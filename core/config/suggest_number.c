/* suggest_number.c - what a person meant by a number that is refused; see suggest.h. */
#include "core/config/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/text.h"

/* ---- numbers ---- */

/* End of the decimal number at p, p itself where there is none. */
static const char *number_end(const char *p)
{
    const char *q = p + (*p == '-' || *p == '+');
    const char *start = q;
    q += strspn(q, "0123456789");
    if (*q == '.' && q[1] != '.') q += 1 + strspn(q + 1, "0123456789");
    if (q == start || (q == start + 1 && *start == '.')) return p;
    if ((*q == 'e' || *q == 'E') && isdigit((unsigned char)q[1 + (q[1] == '-' || q[1] == '+')]))
        q += 2 + strspn(q + 2, "0123456789");
    return q;
}

static const char *skip(const char *p)
{
    return p + strspn(p, " ");
}

/* What stands between two numbers of a list: one mark and blanks, or blanks alone. */
static const char *skip_mark(const char *p)
{
    static const char times[] = "\xc3\x97"; /* the sign of multiplication */
    const char *q = skip(p);
    if (strncmp(q, times, sizeof times - 1) == 0) return skip(q + sizeof times - 1);
    if (*q && strchr("xX,;", *q)) return skip(q + 1);
    return q;
}

struct sl_suggestion sl_suggest_list(const char *text)
{
    struct sl_suggestion inner = {""};
    const char *first = text + strspn(text, " ([{"), *p = first, *q;
    int n = 0, marks = 0;
    bool good = true;
    for (; good && (q = number_end(p)) > p; n++) {
        const char *next = skip_mark(q);
        good = sl_suggestion_add(&inner, ", ", p, (size_t)(q - p)) &&
               (next > q || !*next || strchr(")]}", *next));
        marks += next > q;
        p = next;
    }
    p += strspn(p, " )]}");
    bool cut = n == 1 && marks == 1; /* 16x */
    for (int i = 1; cut && i < 3; i++)
        good = good && sl_suggestion_add(&inner, ", ", first, (size_t)(number_end(first) - first));
    return sl_suggestion_bracket(&inner, good && !*p && (n > 1 || cut));
}

struct sl_suggestion sl_suggest_range(const char *text, const char *mark)
{
    static const char *const marks[] = {"...", "..", "-", ":", "to"};
    struct sl_suggestion m = {""};
    const char *a = skip(text), *a_end = number_end(a), *p = skip(a_end);
    for (size_t i = 0; a_end > a && i < sizeof marks / sizeof marks[0]; i++) {
        size_t n = strlen(marks[i]);
        if (strncmp(p, marks[i], n) != 0) continue;
        const char *b = skip(p + n), *b_end = number_end(b);
        if (b_end == b || *skip(b_end) || *b == '-' || *b == '+') return m;
        if (!(strtod(a, NULL) < strtod(b, NULL))) return m;
        snprintf(m.text, sizeof m.text, "%.*s%s%.*s", (int)(a_end - a), a, mark, (int)(b_end - b),
                 b);
        return m;
    }
    return m;
}

struct sl_suggestion sl_suggest_comma(const char *text, bool whole)
{
    struct sl_suggestion m = {""};
    const char *p = skip(text), *tail = p + strspn(p, "0123456789"), *end = tail;
    if (*tail == ',') end += 1 + strspn(tail + 1, "0123456789");
    bool thousands = end - tail == 4 && *p != '0';
    int head = (int)(tail - p), rest = (int)(end - tail) - 1;
    if (head == 0 || rest < 1 || *skip(end) || (whole && !thousands)) return m;
    const char *mark = thousands ? "" : ".", *also = thousands && !whole ? " or " : "";
    snprintf(m.text, sizeof m.text, "%.*s%s%.*s%s", head, p, mark, rest, tail + 1, also);
    size_t used = strlen(m.text);
    if (*also) snprintf(m.text + used, sizeof m.text - used, "%.*s.%.*s", head, p, rest, tail + 1);
    return m;
}

struct sl_suggestion sl_suggest_cube(const char *text)
{
    static const struct {
        const char *text;
        int n;
    } powers[] = {{"^2", 2},  {"^3", 3},  {"^ 2", 2},      {"^ 3", 3},
                  {"**2", 2}, {"**3", 3}, {"\xc2\xb2", 2}, {"\xc2\xb3", 3}}; /* as exponents */
    struct sl_suggestion inner = {""};
    const char *p = skip(text), *end = p + strspn(p, "0123456789"), *q = skip(end);
    size_t size = (size_t)(end - p);
    int n = 1;
    for (; *q == '*' && strncmp(skip(q + 1), p, size) == 0; n++)
        q = skip(skip(q + 1) + size);
    for (size_t i = 0; n == 1 && i < sizeof powers / sizeof powers[0]; i++)
        if (strcmp(q, powers[i].text) == 0) n = powers[i].n, q = "";
    bool good = size > 0 && !*skip(q) && (n == 2 || n == 3) && strtol(p, NULL, 10) >= 4;
    good = good && !(size == 2 && strncmp(p, "10", 2) == 0); /* 10^3 is a thousand */
    for (int i = 0; good && i < n; i++)
        good = sl_suggestion_add(&inner, ", ", p, size);
    return sl_suggestion_bracket(&inner, good);
}

/* ---- times and units ---- */

/* The whole numbers of "1-02:30:00": days or -1, then up to three. Their count, 0: text is none. */
static int clock_fields(const char *text, long *days, long field[3])
{
    const char *p = skip(text);
    int n = 0;
    char *end;
    *days = -1;
    while (n < 3 && isdigit((unsigned char)*p)) {
        field[n++] = strtol(p, &end, 10);
        p = end;
        if (n == 1 && *p == '-' && *days < 0)
            *days = field[--n];
        else if (*p != ':')
            break;
        p++;
    }
    return *skip(p) || n + (*days >= 0) < 2 ? 0 : n;
}

static void add_time(struct sl_suggestion *m, const char *mark, long value, const char *unit)
{
    char part[32];
    int n = snprintf(part, sizeof part, "%ld %s", value, unit);
    if (value > 0) sl_suggestion_add(m, mark, part, (size_t)n);
}

struct sl_suggestion sl_suggest_clock(const char *text)
{
    struct sl_suggestion m = {""};
    long days, f[3] = {0, 0, 0};
    int n = clock_fields(text, &days, f);
    if (n == 0) return m;
    add_time(&m, " + ", days, "d");
    add_time(&m, " + ", f[0], "h");
    add_time(&m, " + ", f[1], "min");
    add_time(&m, " + ", f[2], "s");
    if (n == 2 && days < 0) { /* 1:30 */
        add_time(&m, " or ", f[0], "min");
        add_time(&m, f[0] > 0 ? " + " : " or ", f[1], "s");
    }
    return m;
}

/* "min" of minutes, where the key has units; *other: what it may mean as well. */
static const char *unit_by_word(const char *word, enum sl_unit unit, const char **other)
{
    static const struct {
        const char *base, *words, *name, *other;
    } rows[] = {{"s", "m minute minutes mins", "min", NULL},
                {"s", "sec secs second seconds", "s", NULL},
                {"s", "hr hrs hour hours", "h", NULL},
                {"s", "day days", "d", NULL},
                {"bytes", "k", "kB", "KiB"},
                {"bytes", "m", "MB", "MiB"},
                {"bytes", "g", "GB", "GiB"},
                {"bytes", "t", "TB", "TiB"},
                {"bytes", "ki", "KiB", NULL},
                {"bytes", "mi", "MiB", NULL},
                {"bytes", "gi", "GiB", NULL},
                {"bytes", "ti", "TiB", NULL}};
    *other = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].base, sl_unit_base(unit)) == 0 &&
            sl_suggest_among(rows[i].words, word)) {
            *other = rows[i].other;
            return rows[i].name;
        }
    return NULL;
}

/* The unit that stands for the word; in `near`, which the caller keeps, when it is one with a
 * slip. */
static const char *find_unit(const char *word, enum sl_unit unit, char near[64], const char **other)
{
    struct sl_nearest search = {.word = word};
    struct sl_unit_match match = sl_unit_match(word, unit);
    const char *name = unit_by_word(word, unit, other);
    if (name || (match.fits && word[match.length] == '\0')) return name ? name : word;
    snprintf(near, 64, "%s", sl_unit_names(unit));
    for (char *rest, *one = strtok_r(near, ", ", &rest); one; one = strtok_r(NULL, ", ", &rest))
        sl_nearest_try(&search, one);
    return search.best;
}

static bool add_unit(struct sl_suggestion *m, const char *mark, const char *number, int n,
                     const char *unit)
{
    char part[96];
    int size = snprintf(part, sizeof part, "%.*s %s", n, number, unit);
    return size < (int)sizeof part && sl_suggestion_add(m, mark, part, (size_t)size);
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/";

/* Numbers with units one behind the other. */
static struct sl_suggestion with_units(const char *text, enum sl_unit unit)
{
    struct sl_suggestion m = {""}, nothing = {""};
    const char *p = skip(text), *end, *other = NULL;
    while ((end = number_end(p)) > p) {
        char word[32], near[64];
        const char *start = skip(end);
        size_t n = strspn(start, letters);
        snprintf(word, sizeof word, "%.*s", (int)n, start);
        const char *name = n > 0 && n < sizeof word ? find_unit(word, unit, near, &other) : NULL;
        if (!name || !add_unit(&m, " + ", p, (int)(end - p), name)) return nothing;
        if (other && !add_unit(&m, " or ", p, (int)(end - p), other)) return nothing;
        p = skip(start + n);
    }
    return *p ? nothing : m;
}

static bool is_name(const char *word)
{
    const char *p = word;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '.')
        p++;
    return isalpha((unsigned char)*word) && !*p;
}

/* A number with what other programs put behind it, where the key has no unit. */
static struct sl_suggestion without_unit(const char *text, bool whole)
{
    static const char prefix[] = "kKMGT";
    static const int power[] = {3, 3, 6, 9, 12};
    struct sl_suggestion m = {""};
    const char *p = skip(text), *end = number_end(p), *word = skip(end);
    const char *scale = whole && isalpha((unsigned char)*word) ? strchr(prefix, *word) : NULL;
    bool fortran =
        end == word && (*word == 'd' || *word == 'D') && *skip(number_end(word + 1)) == '\0';
    int n = (int)(end - p);
    size_t size = sizeof m.text;
    if (n == 0 || !*word) return m;
    if (strcmp(word, "%") == 0)
        snprintf(m.text, size, "%.15g", strtod(p, NULL) / 100);
    else if (scale && !word[1] && !memchr(p, 'e', (size_t)n))
        snprintf(m.text, size, "%.*se%d", n, p, power[scale - prefix]);
    else if (fortran && word[1])
        snprintf(m.text, size, "%.*se%.40s", n, p, word + 1);
    else if (strcmp(word, "pi") == 0 || (is_name(word) && strchr(word, '.')))
        snprintf(m.text, size, "%.*s * %.100s", n, p, word);
    else if (word[strspn(word, letters)] == '\0' || strncmp(word, "g/cm", 4) == 0)
        snprintf(m.text, size, "%.*s", n, p);
    return m;
}

struct sl_suggestion sl_suggest_units(const char *text, enum sl_unit unit, bool whole)
{
    return *sl_unit_names(unit) ? with_units(text, unit) : without_unit(text, whole);
}
