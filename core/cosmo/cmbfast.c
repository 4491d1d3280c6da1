/* cmbfast.c - see cmbfast.h. */
#include "core/cosmo/cmbfast.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"
#include "core/sys/text.h"

enum { LINE = 512, MOST_BYTES = 65536 };

struct reader {
    const char *path, *at, *end;
    int line;
    char text[LINE]; /* the present line, trimmed */
    struct sl_cmbfast *out;
    unsigned given; /* bits of enum need */
};

enum need { NEED_B = 1, NEED_C = 2, NEED_V = 4, NEED_H0 = 8, NEED_ALL = 15 };

#define FAIL(r, ...) SL_FAIL_AT(((struct sl_mark){(r)->path, (r)->line, 1}), __VA_ARGS__)

/* Next line into r->text; 0 at the end. */
static int next_line(struct reader *r)
{
    if (r->at >= r->end) return 0;
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *begin = r->at;
    r->at = stop ? stop + 1 : r->end;
    r->line++;
    if (!stop) stop = r->end;
    while (begin < stop && isspace((unsigned char)*begin))
        begin++;
    while (stop > begin && isspace((unsigned char)stop[-1]))
        stop--;
    size_t n = (size_t)(stop - begin) < LINE - 1 ? (size_t)(stop - begin) : LINE - 1;
    for (size_t i = 0; i < n; i++)
        r->text[i] = (char)(begin[i] >= ' ' && begin[i] <= '~' ? begin[i] : '?');
    r->text[n] = '\0';
    return 1;
}

/* At most `most` numbers of a line, separated by blanks or commas, as Fortran reads them. */
static int numbers(const struct reader *r, const char *text, int least, int most, double *out,
                   int *count)
{
    int n = 0;
    char work[LINE];
    snprintf(work, sizeof work, "%s", text);
    for (char *p = work; *p; p++)
        if (*p == ',') *p = ' ';
    char *p = work, *end;
    for (; n < most; n++, p = end) {
        p += strspn(p, " \t");
        size_t word = strcspn(p, " \t");
        for (size_t i = 0; i < word; i++)
            if (p[i] == 'd' || p[i] == 'D') p[i] = 'e';
        if (word == 0 || strspn(p, "+-.0123456789eE") < word) break;
        double v = strtod(p, &end);
        if (end != p + word || !isfinite(v)) break;
        out[n] = v;
    }
    if (n < least)
        return FAIL(r, "%d number%s expected, '%s' found", least, least > 1 ? "s" : "",
                    sl_quote(text).text);
    if (count) *count = n;
    return SL_OK;
}

static int number(const struct reader *r, const char *text, double *out)
{
    return numbers(r, text, 1, 1, out, NULL);
}

/* ---- what both forms must be ---- */

static int check_table(const struct reader *r, double kind)
{
    if (kind == 2 || kind == 4)
        return FAIL(
            r, "dark energy by a table of w(a) is not followed: cosmology.w0 and cosmology.wa");
    if (kind != 0 && kind != 1 && kind != 3) return FAIL(r, "dark energy is 0, 1, 2, 3 or 4");
    return SL_OK;
}

static int check(const struct reader *r)
{
    const struct sl_cmbfast *c = r->out;
    SL_CHECK(c->h0 >= 1 && c->h0 <= 1000, SL_EINPUT,
             "%s: h0 = %g is no Hubble constant in km/s/Mpc%s", r->path, c->h0,
             c->h0 < 1 ? " (h instead of 100 h?)" : "");
    SL_CHECK(c->omega_b >= 0 && c->omega_c >= 0 && c->omega_b + c->omega_c > 0 &&
                 c->omega_b + c->omega_c < 10 && fabs(c->omega_v) < 10,
             SL_EINPUT, "%s: omegab %g, omegac %g, omegav %g make no universe", r->path, c->omega_b,
             c->omega_c, c->omega_v);
    SL_CHECK(c->t_cmb > 0 && c->t_cmb < 100, SL_EINPUT, "%s: tcmb = %g K", r->path, c->t_cmb);
    SL_CHECK(c->y_he >= 0 && c->y_he < 0.9, SL_EINPUT, "%s: yhe = %g is no mass fraction", r->path,
             c->y_he);
    SL_CHECK(c->n_nu >= 0 && c->n_nu < 100, SL_EINPUT, "%s: %g massless neutrinos", r->path,
             c->n_nu);
    for (int i = 1; i < c->ntf; i++)
        SL_CHECK(
            c->z[i] < c->z[i - 1], SL_EINPUT,
            "%s: its redshifts must decrease, z = %g comes after %g: the files would be taken for "
            "others",
            r->path, c->z[i], c->z[i - 1]);
    return SL_OK;
}

static int massive(const struct reader *r, double omega_n)
{
    if (omega_n == 0) return SL_OK;
    return FAIL(r,
                "omegan = %g: massive neutrinos are not taken from files of CMBFAST; nearest: "
                "cosmology.m_nu, beside the other keys",
                omega_n);
}

/* ---- key = value ---- */

struct target {
    const char *name;
    size_t at;
    unsigned need;
};

#define AT(member) offsetof(struct sl_cmbfast, member)
static const struct target targets[] = {
    {"omegab", AT(omega_b), NEED_B}, {"omegac", AT(omega_c), NEED_C},
    {"omegav", AT(omega_v), NEED_V}, {"h0", AT(h0), NEED_H0},
    {"tcmb", AT(t_cmb), 0},          {"yhe", AT(y_he), 0},
    {"annur", AT(n_nu), 0},          {"wdyn", AT(w), 0},
    {"akmaxt", AT(k_max), 0},        {"an(1)", AT(n_s), 0},
};

/* Keys that CMBFAST knows and that say nothing about initial conditions. */
static const char *const others[] = {
    "initfl", "ict",        "lmo",     "akmax0",     "nlnkt", "annunr", "gsnunr", "5dim",
    "rcflag", "riflag",     "optdlss", "zri",        "rif",   "itflag", "nn",     "itn",
    "irt",    "lensflag",   "fcl",     "fgl",        "fjl",   "tcl",    "ujl",    "fts",
    "jgl",    "alphans(1)", "ant(1)",  "alphant(1)", "rat(1)"};

static int unknown_key(const struct reader *r, const char *name)
{
    struct sl_nearest near = {.word = name};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        sl_nearest_try(&near, targets[i].name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        sl_nearest_try(&near, others[i]);
    if (near.best)
        return FAIL(r, "'%s' is no key of CMBFAST; did you mean '%s'?", sl_quote(name).text,
                    near.best);
    return FAIL(r, "'%s' is no key of CMBFAST", sl_quote(name).text);
}

/* z(i), ftf(i); returns 0 when the key is neither. */
static int indexed(struct reader *r, const char *name, const char *value, int *code)
{
    int i, used = 0;
    *code = SL_OK;
    if (sscanf(name, "z(%d)%n", &i, &used) == 1 && name[used] == '\0' && used > 0) {
        if (i < 1 || i > SL_CMBFAST_OUTPUTS)
            *code = FAIL(r, "more outputs than %d", SL_CMBFAST_OUTPUTS);
        if (*code == SL_OK) *code = number(r, value, &r->out->z[i - 1]);
        return 1;
    }
    used = 0;
    if (sscanf(name, "ftf(%d)%n", &i, &used) == 1 && used > 0 && name[used] == '\0') {
        if (i < 1 || i > SL_CMBFAST_OUTPUTS)
            *code = FAIL(r, "more outputs than %d", SL_CMBFAST_OUTPUTS);
        if (*code == SL_OK) snprintf(r->out->file[i - 1], sizeof r->out->file[0], "%.120s", value);
        return 1;
    }
    return 0;
}

static int special(struct reader *r, const char *name, const char *value, int *code)
{
    double v = 0;
    if (indexed(r, name, value, code)) return 1;
    bool quin = strcmp(name, "quin") == 0, ntf = strcmp(name, "ntf") == 0;
    if (!quin && !ntf && strcmp(name, "omegan") != 0) return 0;
    *code = number(r, value, &v);
    if (*code != SL_OK) return 1;
    if (quin)
        *code = check_table(r, v);
    else if (!ntf)
        *code = massive(r, v);
    else if (v < 0 || v > SL_CMBFAST_OUTPUTS)
        *code = FAIL(r, "ntf = %g: up to %d outputs", v, SL_CMBFAST_OUTPUTS);
    else
        r->out->ntf = (int)v;
    return 1;
}

static int take_key(struct reader *r, const char *name, const char *value)
{
    int code;
    if (special(r, name, value, &code)) return code;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(name, targets[i].name) == 0) {
            r->given |= targets[i].need;
            return number(r, value, (double *)((char *)r->out + targets[i].at));
        }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0) return SL_OK;
    return unknown_key(r, name);
}

static int read_keys(struct reader *r)
{
    while (next_line(r)) {
        char *equal = strchr(r->text, '=');
        if (r->text[0] == '\0' || r->text[0] == '#') continue;
        if (!equal) return FAIL(r, "'key = value' expected, '%s' found", sl_quote(r->text).text);
        char *value = equal + 1 + strspn(equal + 1, " \t");
        *equal = '\0';
        for (char *p = equal; p > r->text && isspace((unsigned char)p[-1]); p--)
            p[-1] = '\0';
        SL_TRY(take_key(r, r->text, value));
    }
    SL_CHECK(
        r->given == NEED_ALL, SL_EINPUT,
        "%s: omegab, omegac, omegav and h0 must all be given (CMBFAST has other defaults than one "
        "would guess)",
        r->path);
    return SL_OK;
}

/* ---- answers, in the order of the questions ---- */

static int answer(struct reader *r, const char *what)
{
    if (!next_line(r)) return FAIL(r, "the file ends where %s should be", what);
    return SL_OK;
}

static int answer_numbers(struct reader *r, const char *what, int least, int most, double *out,
                          int *count)
{
    SL_TRY(answer(r, what));
    return numbers(r, r->text, least, most, out, count);
}

static int read_outputs(struct reader *r)
{
    double v[1 + SL_CMBFAST_OUTPUTS];
    int n;
    SL_TRY(answer_numbers(r, "kmax and points per e-fold of k", 2, 2, v, NULL));
    r->out->k_max = v[0];
    SL_TRY(answer_numbers(r, "the number of redshifts and the redshifts", 2, 1 + SL_CMBFAST_OUTPUTS,
                          v, &n));
    if (!(v[0] >= 1 && v[0] <= SL_CMBFAST_OUTPUTS && v[0] == floor(v[0])) || n < 1 + (int)v[0])
        return FAIL(r, "the number of redshifts and as many redshifts expected, '%s' found",
                    sl_quote(r->text).text);
    r->out->ntf = (int)v[0];
    for (int i = 0; i < r->out->ntf; i++) {
        r->out->z[i] = v[1 + i];
        SL_TRY(answer(r, "the name of a table"));
        snprintf(r->out->file[i], sizeof r->out->file[i], "%.120s", r->text);
    }
    return SL_OK;
}

static int read_universe(struct reader *r)
{
    struct sl_cmbfast *c = r->out;
    double v[6];
    SL_TRY(answer_numbers(r, "the kind of dark energy", 1, 1, v, NULL));
    SL_TRY(check_table(r, v[0]));
    if (v[0] != 0) SL_TRY(answer_numbers(r, "w of dark energy", 1, 1, &c->w, NULL));
    SL_TRY(answer_numbers(r, "omegab, omegac, omegav, omegan", 4, 4, v, NULL));
    c->omega_b = v[0], c->omega_c = v[1], c->omega_v = v[2];
    SL_TRY(massive(r, v[3]));
    SL_TRY(answer_numbers(r, "h0, tcmb, yhe, neutrinos", 5, 6, v, NULL));
    c->h0 = v[0], c->t_cmb = v[1], c->y_he = v[2], c->n_nu = v[3];
    return SL_OK;
}

/* Recombination, reionisation, then of runs for the microwave background the primordial slope. */
static int read_slope(struct reader *r, int wants)
{
    double v[3];
    SL_TRY(answer_numbers(r, "the kind of recombination", 1, 1, v, NULL));
    SL_TRY(answer_numbers(r, "the kind of reionisation", 1, 1, v, NULL));
    if (v[0] == 1) SL_TRY(answer_numbers(r, "the optical depth", 1, 1, v, NULL));
    if (v[0] == 2)
        SL_TRY(answer_numbers(r, "redshift and fraction of reionisation", 2, 2, v, NULL));
    if (wants == 1) return SL_OK;
    SL_TRY(answer_numbers(r, "scalars or tensors", 1, 1, v, NULL));
    if (v[0] == 2) return FAIL(r, "tensors alone: nothing for matter");
    SL_TRY(answer_numbers(r, "the number of spectral indices and the first", 2, 2, v, NULL));
    r->out->n_s = v[1];
    return SL_OK;
}

static int read_answers(struct reader *r)
{
    double v[2];
    SL_TRY(
        answer_numbers(r, "0, 1 or 2 for background, transfer functions or both", 1, 1, v, NULL));
    if (v[0] != 0 && v[0] != 1 && v[0] != 2)
        return FAIL(r, "an answer file of CMBFAST begins with 0, 1 or 2, not with '%s'",
                    sl_quote(r->text).text);
    int wants = (int)v[0];
    if (wants != 1) SL_TRY(answer_numbers(r, "lmax and ketamax", 2, 2, v, NULL));
    if (wants != 0) SL_TRY(read_outputs(r));
    SL_TRY(read_universe(r));
    return read_slope(r, wants);
}

int sl_cmbfast_parse(const char *path, const char *bytes, size_t size, struct sl_cmbfast *out)
{
    struct sl_cmbfast c = {.t_cmb = 2.726, .y_he = 0.24, .n_nu = 3.04, .w = -1, .ntf = 0};
    struct reader r = {.path = path, .at = bytes, .end = bytes + size, .out = &c};
    SL_CHECK(size <= MOST_BYTES, SL_EINPUT, "%s: too long for a parameter file of CMBFAST", path);
    SL_CHECK(!memchr(bytes, '\0', size), SL_EINPUT, "%s: a zero byte: this is not a text file",
             path);
    c.answers = !memchr(bytes, '=', size);
    SL_TRY(c.answers ? read_answers(&r) : read_keys(&r));
    SL_TRY(check(&r));
    *out = c;
    return SL_OK;
}
