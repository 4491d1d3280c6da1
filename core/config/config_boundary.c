/* config_boundary.c - see config_rules.h: the faces of the box, as recipes and problems mean
 * them. */
#include "core/config/config_rules.h"

#include <string.h>

#include "core/lists/boundary_list.h"
#include "core/lists/mhd_list.h"

bool sl_config_periodic(const struct sl_config *cfg)
{
    for (int f = 0; f < 2 * cfg->mesh_cells_n; f++)
        if (cfg->mesh_boundary[f] != SL_BOUNDARY_periodic) return false;
    return true;
}

/* What a problem means a face of the box to be; any: no other is wrong. */
struct wall {
    int boundary;
    bool any;
};

#define WALL(name)                                                                                 \
    {                                                                                              \
        SL_BOUNDARY_##name, false                                                                  \
    }
#define FREE(name)                                                                                 \
    {                                                                                              \
        SL_BOUNDARY_##name, true                                                                   \
    }

/* A wall that mirrors the gas. */
static struct wall solid(const struct sl_config *cfg)
{
    bool field = cfg->fluid_mhd != SL_MHD_none;
    return (struct wall){field ? SL_BOUNDARY_conducting : SL_BOUNDARY_reflecting, false};
}

/* A face at the middle of a flow, of which the box then holds a part; gas leaves the others. */
static struct wall wall_at(const struct sl_config *cfg, int face, double middle)
{
    return cfg->mesh_box[face] == middle ? solid(cfg) : (struct wall){SL_BOUNDARY_outflow, true};
}

/* The same of gas that runs into the origin. */
static struct wall inflow_at(const struct sl_config *cfg, int face)
{
    return cfg->mesh_box[face] == 0 ? solid(cfg) : (struct wall){SL_BOUNDARY_fixed, false};
}

/* Faces of states that change along a normal: at its ends gas as far as the waves have not come,
 * where it is oblique the flow itself; along the others nothing changes. */
static struct wall end_of(const double normal[3], int axis)
{
    int axes = (normal[0] != 0) + (normal[1] != 0) + (normal[2] != 0);
    if (axes > 1) return (struct wall){SL_BOUNDARY_fixed, false};
    return normal[axis] != 0 ? (struct wall){SL_BOUNDARY_outflow, false}
                             : (struct wall){SL_BOUNDARY_periodic, true};
}

#define SL_RULE(...)
#define SL_RULE_IDEAL(...)
#define SL_RULE_FIELD(...)
#define SL_RULE_PLANE(...)
#define SL_RULE_EXACT(...)
#define SL_RULE_EXACT_BUT(...)
#define SL_RULE_EXACT_WITH(...)
#define SL_RULE_EXACT_WITH_OR(...)
#define SL_RULE_UNKNOWN(...)
#define SL_RULE_REFINES(...)
#define SL_RULE_WALLS(name, ...)                                                                   \
    if (cfg->problem == SL_PROBLEM_##name) {                                                       \
        const struct wall own[6] = {__VA_ARGS__};                                                  \
        memcpy(wall, own, sizeof own);                                                             \
        return true;                                                                               \
    }
#define SL_RULE_TUBE(name)                                                                         \
    SL_RULE_WALLS(name, WALL(outflow), WALL(outflow), FREE(periodic), FREE(periodic),              \
                  FREE(periodic), FREE(periodic))

/* False: the problem names none. */
static bool find_walls(const struct sl_config *cfg, struct wall wall[6])
{
#include "problem_rules.def" /* generated */
    return false;
}

#undef SL_RULE
#undef SL_RULE_IDEAL
#undef SL_RULE_FIELD
#undef SL_RULE_PLANE
#undef SL_RULE_EXACT
#undef SL_RULE_EXACT_BUT
#undef SL_RULE_EXACT_WITH
#undef SL_RULE_EXACT_WITH_OR
#undef SL_RULE_UNKNOWN
#undef SL_RULE_REFINES
#undef SL_RULE_WALLS
#undef SL_RULE_TUBE

/* Does something that acts on the gas repeat with the box? */
static bool needs_periodic(const struct sl_config *cfg)
{
    return cfg->driving_power > 0 || cfg->driving_acceleration > 0 || sl_config_expands(cfg) ||
           sl_config_wants(cfg, SL_SOURCE_self_gravity);
}

/* Where nobody says what the faces are, they are what the problem means. */
static void choose_boundary(const struct sl_inputs *in, struct sl_config *cfg)
{
    struct wall wall[6];
    if (!in || in->row[SL_KEY_mesh_boundary].node || needs_periodic(cfg) || !find_walls(cfg, wall))
        return;
    for (int f = 0; f < 6; f++)
        cfg->mesh_boundary[f] = wall[f].boundary;
    cfg->mesh_boundary_n = 6;
}

/* An exact solution is one of a box with these faces; the solution itself is as good as any. */
static int check_exact_boundary(const struct sl_inputs *in, const struct sl_config *cfg, int dim)
{
    struct wall wall[6];
    if (!cfg->verify || needs_periodic(cfg) || !find_walls(cfg, wall)) return SL_OK;
    for (int f = 0; f < 2 * dim; f++) {
        int b = cfg->mesh_boundary[f];
        bool mirror = sl_boundary_is_wall(b) && sl_boundary_is_wall(wall[f].boundary);
        if (wall[f].any || b == wall[f].boundary || b == SL_BOUNDARY_fixed || mirror) continue;
        SL_WRONG(
            in, mesh_boundary,
            "the exact solution (verify) holds with the face %c%c %s, not %s; "
            "nearest: %s",
            sl_config_axis[f / 2], "-+"[f % 2], sl_choice_name("mesh.boundary", wall[f].boundary),
            sl_choice_name("mesh.boundary", b), sl_choice_name("mesh.boundary", wall[f].boundary));
    }
    return SL_OK;
}

int sl_config_check_boundary(const struct sl_inputs *in, struct sl_config *cfg)
{
    int dim = cfg->mesh_cells_n;
    choose_boundary(in, cfg);
    int n = cfg->mesh_boundary_n, *b = cfg->mesh_boundary;
    if (n == 1) {
        for (int f = 1; f < 6; f++)
            b[f] = b[0];
    } else if (n == dim) {
        for (int d = dim - 1; d >= 0; d--)
            b[2 * d] = b[2 * d + 1] = b[d];
    } else if (n != 2 * dim && n != 6) {
        SL_WRONG(in, mesh_boundary,
                 "%d values for %d axes; give one, one per axis, or two per axis", n, dim);
    }
    for (int f = 2 * dim; f < 6; f++)
        b[f] = SL_BOUNDARY_periodic;
    cfg->mesh_boundary_n = 6;
    for (int f = 0; f < 2 * dim && cfg->fluid_mhd != SL_MHD_none; f++)
        if (b[f] == SL_BOUNDARY_reflecting)
            SL_WRONG(in, mesh_boundary,
                     "%s does not say what a wall does to the magnetic field (fluid.mhd); nearest: "
                     "conducting (no normal field) or symmetric (no parallel field)",
                     "reflecting");
    for (int d = 0; d < dim; d++)
        if ((b[2 * d] == SL_BOUNDARY_periodic) != (b[2 * d + 1] == SL_BOUNDARY_periodic))
            SL_WRONG(in, mesh_boundary, "only one face along %c is periodic; make both so or none",
                     sl_config_axis[d]);
    return check_exact_boundary(in, cfg, dim);
}
