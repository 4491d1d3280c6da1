/* check.c - see report/check.h. */
#include "pipeline/report/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/base/disk.h"
#include "pipeline/report/figure.h"

static const char *const words[] = {
#define WORD(name, word) word,
    SL_VERDICT_LIST(WORD)
#undef WORD
};

const char *sl_verdict_word(enum sl_verdict verdict)
{
    return words[verdict];
}

static bool has_history(const struct sl_report_member *m)
{
    return m->rows > 0;
}

/* Largest of a number over the members with a history; NAN when nobody has it. */
static double worst(const struct sl_report *r, double (*of)(const struct sl_report_member *))
{
    double most = NAN;
    for (int i = 0; i < r->members; i++)
        if (has_history(&r->member[i])) most = fmax(most, of(&r->member[i]));
    return most;
}

static double mass_drift(const struct sl_report_member *m)
{
    return m->mass_drift;
}

static double energy_drift(const struct sl_report_member *m)
{
    return m->energy_drift;
}

static double parseval(const struct sl_report_member *m)
{
    return m->parseval;
}

static double layzer_irvine(const struct sl_report_member *m)
{
    return sl_report_value(m, "layzer_irvine");
}

static bool is_transport(const struct sl_report_member *m)
{
    return !strcmp(sl_report_key(m, "fluid.mhd"), "ct");
}

static double divergence_ct(const struct sl_report_member *m)
{
    return is_transport(m) ? m->divergence : NAN;
}

static double divergence_glm(const struct sl_report_member *m)
{
    return is_transport(m) ? NAN : m->divergence;
}

/* Of a cell that takes other fluxes the field is as transport makes it, and its energy follows. */
static double repaired_ct(const struct sl_report_member *m)
{
    return is_transport(m) ? m->repaired : 0;
}

static double floored(const struct sl_report_member *m)
{
    return m->floored;
}

static void limit_check(struct sl_check *c, const char *name, double value, double limit)
{
    *c = (struct sl_check){.name = name, .verdict = SL_VERDICT_unknown};
    if (isnan(value)) {
        snprintf(c->found, sizeof c->found, "no member measured it");
        return;
    }
    c->verdict = value <= limit ? SL_VERDICT_pass : SL_VERDICT_fail;
    snprintf(c->found, sizeof c->found, "%.2g, allowed %.0g", value, limit);
}

/* Mass and total energy stay in the box only where all boundaries are periodic or walls. */
static bool closed_box(const struct sl_report *r)
{
    const char *faces = sl_report_key(sl_report_first(r), "mesh.boundary");
    return !strstr(faces, "outflow") && !strstr(faces, "fixed");
}

/* A start alone conserves nothing. */
static double steps(const struct sl_report_member *m)
{
    return m->steps;
}

static bool has_key(const struct sl_report *r, const char *key, const char *value)
{
    return !strcmp(sl_report_key(sl_report_first(r), key), value);
}

static const char *const ends = "All members finished";

static void members_check(const struct sl_report *r, struct sl_check *c)
{
    int done = r->done, bad = r->bad;
    *c = (struct sl_check){.name = ends,
                           .verdict = bad                          ? SL_VERDICT_fail
                                      : done == r->members && done ? SL_VERDICT_pass
                                                                   : SL_VERDICT_unknown};
    snprintf(c->found, sizeof c->found, "%d of %d, %d failed", done, r->members, bad);
}

static void cells_check(const struct sl_report *r, struct sl_check *c)
{
    double repaired = 0, updates = 0;
    for (int i = 0; i < r->members; i++) {
        const struct sl_report_member *m = &r->member[i];
        if (!(m->cells * m->steps > 0)) continue;
        repaired += m->repaired;
        updates += m->cells * m->steps;
    }
    double most = worst(r, floored);
    *c = (struct sl_check){.name = "No cell needed a floor", .verdict = SL_VERDICT_unknown};
    if (isnan(most)) {
        snprintf(c->found, sizeof c->found, "no member measured it");
        return;
    }
    c->verdict = most > 0 ? SL_VERDICT_fail : SL_VERDICT_pass;
    snprintf(c->found, sizeof c->found,
             "%.0f cells in the worst member; %.2g of all cell updates took first-order fluxes",
             most, updates > 0 ? repaired / updates : 0.0);
}

/* The energy in the field of a constant acceleration is no column of the history. */
static bool accelerates(const struct sl_report_member *m)
{
    const char *g = sl_report_key(m, "gravity.acceleration");
    for (int d = 0; d < 3; d++)
        if (sl_report_list_number(g, d) != 0 && !isnan(sl_report_list_number(g, d))) return true;
    return false;
}

/* Dual energy gives and takes (core/cell/eos.h). */
static bool keeps_energy(const struct sl_report *r)
{
    return !has_key(r, "fluid.eos", "isothermal") && !has_key(r, "fluid.dual_energy", "true") &&
           !accelerates(sl_report_first(r));
}

/* With constrained transport, and how many cells that is. */
static void repaired_check(const struct sl_report *r, struct sl_check *c)
{
    limit_check(c, "Total energy is conserved but for cells with first-order fluxes",
                worst(r, energy_drift), 1e-3);
    size_t n = strlen(c->found);
    snprintf(c->found + n, sizeof c->found - n, "; %.0f such cells in the worst member",
             worst(r, repaired_ct));
}

/* Gravity is a source of second order: what it gives and takes is balanced as well as the grid
 * resolves it. */
static void energy_check(const struct sl_report *r, struct sl_check *c, bool single)
{
    const struct sl_report_member *first = sl_report_first(r);
    const char *kind = sl_report_key(first, "potential.kind");
    bool gravity = sl_report_list_number(sl_report_key(first, "gravity.four_pi_g"), 0) > 0 ||
                   (*kind && strcmp(kind, "none") != 0);
    if (gravity)
        limit_check(c, "Energy is conserved with that of gravity", worst(r, energy_drift), 0.02);
    else if (worst(r, repaired_ct) > 0)
        repaired_check(r, c);
    else
        limit_check(c, "Total energy is conserved", worst(r, energy_drift), single ? 1e-4 : 1e-10);
}

/* With transport as the solver itself watches it (core/run/guard.h); with cleaning the mean is some
 * hundredths where there are shocks. */
static int divergence_checks(const struct sl_report *r, struct sl_check *c, bool single)
{
    double transport = worst(r, divergence_ct), cleaning = worst(r, divergence_glm);
    int n = 0;
    if (!isnan(transport))
        limit_check(&c[n++], "div B is zero (constrained transport: of any cell, over the field)",
                    transport, single ? 0.05 : 1e-10);
    if (!isnan(cleaning))
        limit_check(&c[n++], "div B is small (cleaning: mean of the cells, over the field)",
                    cleaning, 0.2);
    return n;
}

/* A table of other units, as a rule, has no value at any temperature of the gas, and cools none. */
static int cooling_check(const struct sl_report *r, struct sl_check *c)
{
    int with = 0, none = 0;
    for (int i = 0; i < r->members; i++) {
        const struct sl_report_member *m = &r->member[i];
        if (!*sl_report_key(m, "cooling.table") || isnan(m->cooled)) continue;
        with++;
        none += m->cooled == 0;
    }
    if (with == 0) return 0;
    *c = (struct sl_check){.name = "The cooling table covers temperatures of the gas",
                           .verdict = none ? SL_VERDICT_fail : SL_VERDICT_pass};
    if (none)
        snprintf(c->found, sizeof c->found,
                 "no gas of %d of %d members has cooled: other units (cooling.units, units.*)?",
                 none, with);
    else
        snprintf(c->found, sizeof c->found, "gas of all members with a table has cooled");
    return 1;
}

int sl_checks_make(const struct sl_report *r, struct sl_check check[SL_CHECKS_MAX])
{
    int n = 0;
    struct sl_asked asked;
    bool single = has_key(r, "resources.precision", "single");
    sl_figure_ask(r, &asked);
    members_check(r, &check[n++]);
    if (closed_box(r) && !asked.start && !(worst(r, steps) <= 0)) {
        if (asked.gas)
            limit_check(&check[n++], "Mass is conserved", worst(r, mass_drift),
                        single ? 1e-5 : 1e-11);
        if (sl_report_expands(sl_report_first(r))) {
            /* there are waves of a few cells from the start: mass moves by fluxes of reconstructed
             * faces, and the force of gravity is weaker there */
            limit_check(&check[n++], "Energies change as expansion says (Layzer, Irvine)",
                        worst(r, layzer_irvine), 0.1);
        } else if (asked.gas && keeps_energy(r)) {
            energy_check(r, &check[n++], single);
        }
    }
    if (!asked.start) n += divergence_checks(r, &check[n], single);
    if (asked.gas) cells_check(r, &check[n++]);
    n += cooling_check(r, &check[n]);
    if (asked.closed && strcmp(asked.spectra, "[]"))
        limit_check(&check[n++], "Spectra sum to the variance (Parseval)", worst(r, parseval),
                    1e-10);
    return n;
}

/* ---- report/checks.txt ----------------------------------------------------------------------- */

int sl_checks_write(const struct sl_report *r)
{
    struct sl_check check[SL_CHECKS_MAX];
    struct sl_buffer t = {0};
    char path[SL_PATH_MAX];
    int n = sl_checks_make(r, check);
    sl_buffer_add(&t, "check\tverdict\tfound\n");
    for (int i = 0; i < n; i++)
        sl_buffer_add(&t, "%s\t%s\t%s\n", check[i].name, words[check[i].verdict], check[i].found);
    int code = sl_disk_join(path, "%s/report/checks.txt", r->dir);
    if (code == SL_OK) code = sl_buffer_write(&t, path);
    sl_buffer_release(&t);
    return code;
}

int sl_checks_failed(const char *campaign_dir, bool of_ends, char *text, size_t room)
{
    char path[SL_PATH_MAX];
    struct sl_csv t;
    size_t used = 0;
    int n = 0;
    *text = '\0';
    if (sl_disk_join(path, "%s/report/checks.txt", campaign_dir) != SL_OK ||
        sl_csv_try(&t, path, SL_CSV_HISTORY) != SL_OK)
        return 0;
    for (long i = 0; i < t.rows; i++) {
        const char *name = sl_csv_text(&t, i, 0);
        if (strcmp(sl_csv_text(&t, i, 1), words[SL_VERDICT_fail]) != 0) continue;
        if (!of_ends && !strcmp(name, ends)) continue;
        n++;
        if (used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s: %s", used ? "; " : "", name,
                                     sl_csv_text(&t, i, 2));
    }
    sl_csv_release(&t);
    return n;
}
