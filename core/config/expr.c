/* expr.c - see expr.h. */
#include "core/config/expr.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/config/suggest.h"

enum { MAX_DEPTH = 64, MAX_NAME = 128, MAX_TEXT = 1000 };

struct parser {
    const char *text, *p;
    struct sl_mark at;
    const struct sl_expr *how;
    int depth;
};

/* A value and whether it carries a unit, so that 10 min * 2 min is seen as the mistake it is. */
struct value {
    double v;
    bool unit;
};

static int sum(struct parser *s, struct value *out);
static int factor(struct parser *s, struct value *out);

static struct sl_mark mark(const struct parser *s, const char *p)
{
    struct sl_mark at = s->at;
    for (const char *c = s->text; c < p; c++)
        if (((unsigned char)*c & 0xc0) != 0x80) at.column++;
    return at;
}

/* Fails at p, with the key that takes the value. */
static int bad(const struct parser *s, const char *p, const char *fmt, ...) SL_PRINTF(3, 4);
static int bad(const struct parser *s, const char *p, const char *fmt, ...)
{
    char text[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return SL_FAIL_AT(mark(s, p), "%s: %s", s->how->what, text);
}

static void skip(struct parser *s)
{
    while (isspace((unsigned char)*s->p))
        s->p++;
}

static bool take(struct parser *s, char c)
{
    skip(s);
    if (*s->p != c) return false;
    s->p++;
    return true;
}

static bool starts_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

/* Reads a name with dots into name; false when none starts here. */
static bool take_name(struct parser *s, char name[MAX_NAME])
{
    const char *p = s->p;
    if (!starts_name(*p)) return false;
    while (isalnum((unsigned char)*p) || *p == '_' || (*p == '.' && starts_name(p[1])))
        p++;
    size_t n = (size_t)(p - s->p);
    if (n >= MAX_NAME) n = MAX_NAME - 1;
    memcpy(name, s->p, n);
    name[n] = '\0';
    s->p = p;
    return true;
}

/* ---- numbers ---- */

static const char *digits(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

/* End of the decimal number at p. */
static const char *number_end(const char *p, bool *whole)
{
    const char *q = digits(p);
    *whole = true;
    if (*q == '.') q = digits(q + 1), *whole = false;
    if (*q == 'e' || *q == 'E') {
        const char *e = q + 1 + (q[1] == '+' || q[1] == '-');
        if (isdigit((unsigned char)*e)) q = digits(e), *whole = false;
    }
    return q;
}

static struct sl_quoted without_underscores(const char *start)
{
    struct sl_quoted out = sl_quote(start);
    char *to = out.text;
    for (const char *c = out.text; isalnum((unsigned char)*c) || *c == '_' || *c == '.'; c++)
        if (*c != '_') *to++ = *c;
    *to = '\0';
    return out;
}

static int odd_number(struct parser *s, const char *start, const char *end)
{
    struct sl_quoted shown = sl_quote(start);
    if (*end == ':')
        return bad(s, start, "'%s': no colons in numbers%s", shown.text,
                   s->how->unit == SL_UNIT_time ? "; this one is in time.unit" : "");
    if (start[0] == '0' &&
        (start[1] == 'x' || start[1] == 'X' || start[1] == 'o' || start[1] == 'b'))
        return bad(s, start, "'%s': write the number in decimal", shown.text);
    if (start[0] == '0' && isdigit((unsigned char)start[1]))
        return bad(s, start, "'%s': no leading zeros (some readers take it as octal)", shown.text);
    if (*end == '_')
        return bad(s, start, "'%s': no underscores in numbers; write %s", shown.text,
                   without_underscores(start).text);
    return SL_OK;
}

/* What stands behind the number at `number` is no unit of the key. */
static int wrong_unit(struct parser *s, const char *number)
{
    char name[MAX_NAME];
    const char *here = s->p, *names = sl_unit_names(s->how->unit);
    struct sl_suggestion near = sl_suggest_units(number, s->how->unit, s->how->whole);
    const char *write = *near.text ? "; write " : "";
    take_name(s, name);
    if (*names)
        return bad(s, here, "'%s' is not a unit of this key; use one of: %s%s%s", name, names,
                   write, near.text);
    return bad(s, here, "'%s' after a number: this key has no unit%s%s%s", name,
               s->how->unit == SL_UNIT_time ? ", it is in time.unit" : "", write, near.text);
}

static int with_unit(struct parser *s, const char *number, struct value *out)
{
    const char *start = s->p;
    skip(s);
    if (!starts_name(*s->p)) {
        s->p = start;
        return SL_OK;
    }
    const char *here = s->p;
    struct sl_unit_match unit = sl_unit_match(s->p, s->how->unit);
    if (!unit.length || !unit.fits) return wrong_unit(s, number);
    s->p += unit.length;
    out->v *= unit.factor;
    out->unit = true;
    /* lengths and velocities are kept in code units, which other keys define */
    const char *scale = s->how->unit == SL_UNIT_length     ? "units.length"
                        : s->how->unit == SL_UNIT_velocity ? "units.velocity"
                                                           : NULL;
    if (!scale) return SL_OK;
    double in_cgs = 0;
    if (s->how->name) SL_TRY(s->how->name(s->how->data, scale, mark(s, here), &in_cgs));
    if (!(in_cgs > 0)) return bad(s, here, "a value with a unit needs %s to be given", scale);
    out->v /= in_cgs;
    return SL_OK;
}

static int number(struct parser *s, struct value *out)
{
    const char *start = s->p;
    bool whole;
    const char *end = number_end(start, &whole);
    SL_TRY(odd_number(s, start, end));
    errno = 0;
    out->v = strtod(start, NULL);
    out->unit = false;
    if (isinf(out->v) || (out->v == 0 && errno == ERANGE))
        return bad(s, start, "'%s' does not fit a 64-bit number", sl_quote(start).text);
    if (s->how->whole && whole && out->v > 9007199254740991.)
        /* 2^53 itself is exact, what follows it is not */
        if (end - start != 16 || strncmp(start, "9007199254740992", 16) != 0)
            return bad(s, start, "'%s' is too large: whole numbers go to 2^53",
                       sl_quote(start).text);
    s->p = end;
    return with_unit(s, start, out);
}

/* ---- functions and names ---- */

static double of_one(const char *name, double x, bool *known)
{
    *known = true;
    if (strcmp(name, "sqrt") == 0) return sqrt(x);
    if (strcmp(name, "abs") == 0) return fabs(x);
    if (strcmp(name, "floor") == 0) return floor(x);
    if (strcmp(name, "ceil") == 0) return ceil(x);
    if (strcmp(name, "exp") == 0) return exp(x);
    if (strcmp(name, "log") == 0) return log(x);
    *known = false;
    return 0;
}

static int unknown_function(const struct parser *s, const char *at, const char *name)
{
    static const char *const all[] = {"sqrt", "abs", "floor", "ceil", "exp", "log", "min", "max"};
    struct sl_nearest near = {.word = name};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        sl_nearest_try(&near, all[i]);
    return bad(s, at, "no function '%s'; %s%s", sl_quote(name).text,
               near.best ? "did you mean " : "there are sqrt abs floor ceil exp log min max",
               near.best ? near.best : "");
}

static int call(struct parser *s, const char *name, const char *at, struct value *out)
{
    bool least = strcmp(name, "min") == 0, most = strcmp(name, "max") == 0, known = least || most;
    if (!known) (void)of_one(name, 0, &known);
    if (!known) return unknown_function(s, at, name);
    SL_TRY(sum(s, out));
    int n = 1;
    for (; take(s, ','); n++) {
        struct value next;
        SL_TRY(sum(s, &next));
        if (least ? next.v < out->v : next.v > out->v) *out = next;
    }
    if (!take(s, ')'))
        return bad(
            s, s->p,
            "a ) is missing after %s(...; within [a, b] a comma ends the value: write the list "
            "as lines of '- value'",
            name);
    if ((least || most) != (n > 1))
        return bad(s, at, "%s takes %s", name, least || most ? "two values or more" : "one value");
    if (!least && !most) out->v = of_one(name, out->v, &known);
    if (!isfinite(out->v)) return bad(s, at, "%s of this value is not a number", name);
    return SL_OK;
}

static int not_a_number(struct parser *s, const char *start)
{
    static const char *const never[] = {"nan", ".nan", "inf", ".inf", "infinity"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (strcasecmp(start, never[i]) == 0)
            return bad(s, start, "'%s' is not a finite number", start);
    if (*start == '\0') return bad(s, start, "the value ends where a number is expected");
    return bad(s, start, "'%s' is not a number", sl_quote(start).text);
}

static int name(struct parser *s, struct value *out)
{
    const char *start = s->p;
    char word[MAX_NAME];
    take_name(s, word);
    out->unit = false;
    if (take(s, '(')) return call(s, word, start, out);
    if (strcmp(word, "pi") == 0) {
        out->v = 3.14159265358979323846;
        return SL_OK;
    }
    static const char *const never[] = {"nan", "inf", "infinity"};
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (strcasecmp(word, never[i]) == 0)
            return bad(s, start, "'%s' is not a finite number", word);
    if (!s->how->name) return bad(s, start, "'%s' is not a number", sl_quote(start).text);
    return s->how->name(s->how->data, word, mark(s, start), &out->v);
}

/* ---- grammar ---- */

static int atom(struct parser *s, struct value *out)
{
    skip(s);
    if (isdigit((unsigned char)*s->p) || (*s->p == '.' && isdigit((unsigned char)s->p[1])))
        return number(s, out);
    if (starts_name(*s->p)) return name(s, out);
    if (!take(s, '(')) return not_a_number(s, s->p);
    const char *start = s->p - 1;
    SL_TRY(sum(s, out));
    if (!take(s, ')')) return bad(s, start, "this ( has no )");
    return SL_OK;
}

static int power(struct parser *s, struct value *out)
{
    SL_TRY(atom(s, out));
    const char *start = s->p;
    if (!take(s, '^')) return SL_OK;
    struct value exponent;
    SL_TRY(factor(s, &exponent));
    if (out->unit || exponent.unit) return bad(s, start, "a power of a value with a unit");
    out->v = pow(out->v, exponent.v);
    return SL_OK;
}

static int factor(struct parser *s, struct value *out)
{
    skip(s);
    if (++s->depth > MAX_DEPTH) return bad(s, s->p, "nested more than %d deep", MAX_DEPTH);
    double sign = 1;
    while (*s->p == '-' || *s->p == '+') {
        if (*s->p++ == '-') sign = -sign;
        skip(s);
    }
    SL_TRY(power(s, out));
    out->v *= sign;
    s->depth--;
    return SL_OK;
}

static int product(struct parser *s, struct value *out)
{
    SL_TRY(factor(s, out));
    for (;;) {
        skip(s);
        const char *op = s->p;
        if (*op != '*' && *op != '/') return SL_OK;
        s->p++;
        if (op[0] == '*' && op[1] == '*') return bad(s, op, "a power is written ^, as in 2^3");
        struct value b;
        SL_TRY(factor(s, &b));
        if (b.unit && (*op == '*' ? out->unit : !out->unit))
            return bad(s, op, "the units of this %s do not make the unit of the key",
                       *op == '*' ? "product" : "quotient");
        if (*op == '/' && b.v == 0) return bad(s, op, "division by zero");
        out->unit = *op == '*' ? out->unit || b.unit : out->unit && !b.unit;
        out->v = *op == '*' ? out->v * b.v : out->v / b.v;
    }
}

static int sum(struct parser *s, struct value *out)
{
    SL_TRY(product(s, out));
    for (;;) {
        skip(s);
        char op = *s->p;
        if (op != '+' && op != '-') return SL_OK;
        s->p++;
        struct value b;
        SL_TRY(product(s, &b));
        out->v = op == '+' ? out->v + b.v : out->v - b.v;
        out->unit = out->unit || b.unit;
    }
}

int sl_expr_value(const char *text, struct sl_mark at, const struct sl_expr *how, double *value)
{
    struct parser s = {text, text, at, how, 0};
    if (strlen(text) > MAX_TEXT)
        return bad(&s, text, "an expression of more than %d bytes", MAX_TEXT);
    struct value result;
    SL_TRY(sum(&s, &result));
    skip(&s);
    struct sl_suggestion near = {""};
    if (*s.p) near = sl_suggest_units(text, how->unit, how->whole);
    if (*s.p)
        return bad(&s, s.p, "'%s' does not belong here%s%s", sl_quote(s.p).text,
                   *near.text ? "; write " : "", near.text);
    if (!isfinite(result.v))
        return bad(&s, text, "'%s' is not a finite number", sl_quote(text).text);
    if (how->whole && (result.v != floor(result.v) || fabs(result.v) > 9007199254740992.))
        return bad(&s, text, "'%s' is %.17g: a whole number is expected", sl_quote(text).text,
                   result.v);
    *value = result.v;
    return SL_OK;
}
