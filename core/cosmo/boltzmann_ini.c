/* boltzmann_ini.c - see boltzmann_ini.h. */
#include "core/cosmo/boltzmann_ini.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"
#include "core/sys/text.h"

enum { LINE = 512, NUMBERS = 8, MOST_BYTES = 1 << 20 };
#define EV_PER_OMEGA 93.14  /* eV of neutrinos for Omega h^2 = 1 */
#define N_PER_NCDM   1.0132 /* n_eff of a kind of CLASS while it is relativistic */

/* X(member, names in the order of preference, separated by |) */
#define KEY_LIST(X)                                                                                \
    X(hubble, "hubble|H0")                                                                         \
    X(h, "h")                                                                                      \
    X(ombh2, "ombh2|omega_b")                                                                      \
    X(omch2, "omch2|omega_cdm")                                                                    \
    X(omnuh2, "omnuh2")                                                                            \
    X(omega_b, "omega_baryon|Omega_b")                                                             \
    X(omega_c, "Omega_cdm")                                                                        \
    X(ommh2, "omega_m")                                                                            \
    X(omega_m, "Omega_m")                                                                          \
    X(omega_nu, "omega_neutrino")                                                                  \
    X(omega_v, "omega_lambda")                                                                     \
    X(omega_k, "omk|Omega_k")                                                                      \
    X(m_ncdm, "m_ncdm")                                                                            \
    X(deg_ncdm, "deg_ncdm")                                                                        \
    X(omncdmh2, "omega_ncdm")                                                                      \
    X(omega_ncdm, "Omega_ncdm")                                                                    \
    X(t_cmb, "temp_cmb|T_cmb")                                                                     \
    X(y_he, "helium_fraction|YHe")                                                                 \
    X(massless, "massless_neutrinos|N_ur")                                                         \
    X(massive, "massive_neutrinos")                                                                \
    X(w, "w|w0_fld")                                                                               \
    X(wa, "wa|wa_fld")                                                                             \
    X(a_s, "scalar_amp|scalar_amp(1)|A_s")                                                         \
    X(log_a_s, "ln10^{10}A_s|ln_A_s_1e10")                                                         \
    X(n_s, "scalar_spectral_index|scalar_spectral_index(1)|n_s")                                   \
    X(k_pivot, "pivot_scalar|k_pivot")

#define ENUM(member, names) KEY_##member,
enum { KEY_LIST(ENUM) KEYS };
#undef ENUM
#define NAMES(member, names) names,
static const char *const key_names[] = {KEY_LIST(NAMES)};
#undef NAMES

struct ini {
    const char *path;
    bool camb, class, physical;
    int line[KEYS]; /* 0: not given */
    double value[KEYS];
    int n[KEYS]; /* numbers of which value is the sum */
    double list[KEYS][NUMBERS];
};

static bool is_name(const char *names, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = names; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, word, n) == 0 && (at[n] == '|' || !at[n])) return true;
    return false;
}

/* omega_cdm is of CAMB the share of the critical density, of CLASS that times h^2. */
static int key_of(const struct ini *f, const char *word)
{
    if (f->camb && strcmp(word, "omega_cdm") == 0) return KEY_omega_c;
    for (int i = 0; i < KEYS; i++)
        if (is_name(key_names[i], word)) return i;
    return -1;
}

/* Name and value of a line, NULL when it has none; # begins a comment. */
static char *split(char line[LINE], char **value)
{
    line[strcspn(line, "#")] = '\0';
    char *equal = strchr(line, '='), *name = line + strspn(line, " \t\r");
    if (!equal) return NULL;
    *value = equal + 1 + strspn(equal + 1, " \t\r");
    while (equal > name && isspace((unsigned char)equal[-1]))
        equal--;
    *equal = '\0';
    char *end = *value + strlen(*value);
    while (end > *value && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return name;
}

/* Calls f for each line that has a name and a value. */
static int each_line(const char *bytes, size_t size, int each(struct ini *, int, char *, char *),
                     struct ini *f)
{
    int number = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t n = end ? (size_t)(end - bytes) - at : size - at, kept = n < LINE - 1 ? n : LINE - 1;
        char line[LINE], *value, *name;
        memcpy(line, bytes + at, kept);
        line[kept] = '\0';
        number++;
        name = split(line, &value);
        if (name) SL_TRY(each(f, number, name, value));
        at += n + 1;
    }
    return SL_OK;
}

static int look(struct ini *f, int line, char *name, char *value)
{
    static const char *const camb[] = {"hubble", "ombh2", "omch2", "omega_baryon", "use_physical"};
    static const char *const class[] = {"omega_b", "Omega_b", "Omega_cdm", "100*theta_s", "N_ur"};
    (void)line;
    for (size_t i = 0; i < sizeof camb / sizeof *camb; i++) {
        f->camb = f->camb || strcmp(name, camb[i]) == 0;
        f->class = f->class || strcmp(name, class[i]) == 0;
    }
    if (strcmp(name, "use_physical") == 0) f->physical = strchr("tT1", *value) && *value;
    return SL_OK;
}

/* A number, or the sum of a list of them. */
static int take(struct ini *f, int line, char *name, char *value)
{
    int key = key_of(f, name), n = 0;
    double sum = 0;
    if (key < 0 || !*value) return SL_OK;
    if (key == KEY_y_he && !isdigit((unsigned char)*value) && *value != '.') return SL_OK; /* BBN */
    for (char *at = value, *end; *at && n < NUMBERS; at = end + strspn(end, ", \t"), n++) {
        for (char *d = at; *d && *d != ',' && *d != ' '; d++)
            if (*d == 'd' || *d == 'D') *d = 'e';
        double v = strtod(at, &end);
        if (end == at || !isfinite(v))
            return SL_FAIL_AT(((struct sl_mark){f->path, line, 1}),
                              "%s: a number expected, '%s' found", name, sl_quote(value).text);
        f->list[key][n] = v;
        sum += v;
    }
    if (f->line[key] && fabs(f->value[key] - sum) > 0)
        return SL_FAIL_AT(((struct sl_mark){f->path, line, 1}), "%s: %g, and line %d says %g", name,
                          sum, f->line[key], f->value[key]);
    f->line[key] = line;
    f->value[key] = sum;
    f->n[key] = n;
    return SL_OK;
}

static double get(const struct ini *f, int key, double otherwise)
{
    return f->line[key] ? f->value[key] : otherwise;
}

/* Share of all matter but baryons, massive neutrinos in it; of CLASS also by that of all matter;
 * negative: not given. */
static double not_baryons(const struct ini *f, int cdm, double nu, double h2, double omega_b)
{
    if (f->line[cdm]) return f->value[cdm] / (cdm == KEY_omega_c ? 1 : h2) + nu;
    if (!f->camb && f->line[KEY_omega_m]) return f->value[KEY_omega_m] - omega_b;
    return !f->camb && f->line[KEY_ommh2] ? f->value[KEY_ommh2] / h2 - omega_b : -1;
}

/* Of CLASS: Omega_nu by the share of each kind or by its mass, and how many there are: each kind
 * may stand for several. */
static double not_cold(const struct ini *f, double h2, double *kinds)
{
    double sum = 0;
    *kinds = 0;
    for (int i = 0; i < NUMBERS; i++) {
        double alike = i < f->n[KEY_deg_ncdm] ? f->list[KEY_deg_ncdm][i] : 1;
        double share = f->list[KEY_omega_ncdm][i] + f->list[KEY_omncdmh2][i] / h2;
        if (!(share > 0)) share = alike * f->list[KEY_m_ncdm][i] / EV_PER_OMEGA / h2;
        sum += share;
        *kinds += share > 0 ? alike : 0;
    }
    return sum;
}

/* Omega_nu of massive neutrinos, how many have a mass, and n_eff of all. */
static double neutrinos(const struct ini *f, bool shares, double h2, struct sl_cmbfast *c)
{
    double massless = get(f, KEY_massless, 3.046), massive = get(f, KEY_massive, 0), kinds, nu;
    if (f->camb) {
        nu = shares ? get(f, KEY_omega_nu, 0) : get(f, KEY_omnuh2, 0) / h2;
        if (nu > 0 && f->line[KEY_massless] && !f->line[KEY_massive]) massive = 1;
        kinds = massive;
        c->n_nu = massless + massive;
    } else {
        nu = not_cold(f, h2, &kinds);
        c->n_nu = get(f, KEY_massless, 3.044) + N_PER_NCDM * kinds;
    }
    c->massive = (int)fmax(1, fmin(3, floor(kinds + 0.5)));
    return nu;
}

static int densities(const struct ini *f, struct sl_cmbfast *c)
{
    double h = c->h0 / 100, h2 = h * h;
    bool shares = f->camb ? !f->physical : f->line[KEY_omega_b] > 0;
    double nu = neutrinos(f, shares, h2, c);
    int b = shares ? KEY_omega_b : KEY_ombh2, cdm = f->line[KEY_omega_c] ? KEY_omega_c : KEY_omch2;
    if (f->camb) cdm = shares ? KEY_omega_c : KEY_omch2;
    c->omega_b = f->line[b] ? f->value[b] / (shares ? 1 : h2) : -1;
    c->omega_c = not_baryons(f, cdm, nu, h2, c->omega_b);
    SL_CHECK(f->line[b] && c->omega_c >= 0, SL_EINPUT,
             "%s: baryons and dark matter must both be given: %s", f->path,
             !f->camb ? "omega_b or Omega_b, and omega_cdm, Omega_cdm, omega_m or Omega_m"
             : shares ? "omega_baryon and omega_cdm, as use_physical is F"
                      : "ombh2 and omch2");
    c->omega_v = 1 - c->omega_b - c->omega_c - get(f, KEY_omega_k, 0);
    if (f->camb && shares && f->line[KEY_omega_v]) c->omega_v = f->value[KEY_omega_v];
    c->omega_nu = nu;
    c->omega_c -= nu;
    return SL_OK;
}

static int make(const struct ini *f, struct sl_cmbfast *c)
{
    SL_CHECK(f->line[KEY_hubble] || f->line[KEY_h], SL_EINPUT,
             "%s: the Hubble constant must be given: %s", f->path,
             f->camb ? "hubble" : "h or H0 (100*theta_s alone is not enough)");
    c->h0 = f->line[KEY_hubble] ? f->value[KEY_hubble] : 100 * f->value[KEY_h];
    SL_CHECK(c->h0 >= 1 && c->h0 <= 1000, SL_EINPUT, "%s: %g is no Hubble constant in km/s/Mpc",
             f->path, c->h0);
    SL_TRY(densities(f, c));
    c->t_cmb = get(f, KEY_t_cmb, 2.7255);
    c->y_he = get(f, KEY_y_he, 0.245);
    c->w = get(f, KEY_w, -1);
    c->wa = get(f, KEY_wa, 0);
    c->n_s = get(f, KEY_n_s, 0);
    c->k_pivot = get(f, KEY_k_pivot, 0.05);
    c->a_s = f->line[KEY_log_a_s] ? 1e-10 * exp(f->value[KEY_log_a_s]) : get(f, KEY_a_s, 0);
    SL_CHECK(c->omega_b > 0 && c->omega_c > 0 && c->omega_b + c->omega_c < 10 &&
                 fabs(c->omega_v) < 10 && c->t_cmb > 0 && c->y_he >= 0 && c->y_he < 0.9 &&
                 c->n_nu >= 0 && c->n_nu < 100 && c->a_s >= 0,
             SL_EINPUT, "%s: Omega_b %g, Omega_c %g, Omega_v %g, T %g K make no universe", f->path,
             c->omega_b, c->omega_c, c->omega_v, c->t_cmb);
    return SL_OK;
}

const char *sl_boltzmann_ini_code(const char *bytes, size_t size)
{
    struct ini f = {.path = ""};
    if (size > MOST_BYTES || memchr(bytes, '\0', size)) return NULL;
    if (each_line(bytes, size, look, &f) != SL_OK) return NULL;
    return f.camb ? "CAMB" : f.class ? "CLASS" : NULL;
}

bool sl_boltzmann_ini_is(const char *bytes, size_t size)
{
    return sl_boltzmann_ini_code(bytes, size) != NULL;
}

int sl_boltzmann_ini_parse(const char *path, const char *bytes, size_t size, struct sl_cmbfast *out)
{
    struct ini f = {.path = path, .physical = true};
    struct sl_cmbfast c = {.ntf = 0};
    SL_TRY(each_line(bytes, size, look, &f));
    SL_CHECK(f.camb != f.class, SL_EINPUT, "%s: keys of %s", path,
             f.camb ? "CAMB and of CLASS" : "neither CAMB nor CLASS");
    SL_TRY(each_line(bytes, size, take, &f));
    SL_TRY(make(&f, &c));
    *out = c;
    return SL_OK;
}
