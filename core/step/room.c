/* room.c - see room.h. */
#include "core/step/room.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/config/config.h"
#include "core/config/rules.h"
#include "core/mesh/hierarchy.h"
#include "core/state/block_parts.h"
#include "core/step/backend.h"
#include "core/step/refine.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/memory.h"
#include "core/sys/status.h"

/* What a rank takes before it has a block: the program and its libraries. */
static const double rank_bytes = 4e7;

/* ---- how much there is ----------------------------------------------------------------------- */

/* Memory of all nodes that the ranks are on: the lowest limit of each. */
static int nodes_memory(MPI_Comm comm, double *sum)
{
    MPI_Comm node;
    int rank;
    double have = sl_memory_limit("");
    SL_CHECK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot find which ranks share a node");
    MPI_Comm_rank(node, &rank);
    int code = MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_DOUBLE, MPI_MIN, node);
    MPI_Comm_free(&node);
    if (rank != 0) have = 0;
    if (code == MPI_SUCCESS) code = MPI_Allreduce(&have, sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot add up the memory of the nodes");
    return SL_OK;
}

int sl_room_find(struct sl_sim *root)
{
    double stated = root->state.cfg->resources_memory, nodes = INFINITY;
    SL_TRY(nodes_memory(root->state.mesh->comm, &nodes));
    if (stated > 0 && stated < nodes) nodes = stated; /* auto and none are no more than 0 */
    root->room = isfinite(nodes) ? nodes : 0;
    return SL_OK;
}

/* ---- how much is taken ----------------------------------------------------------------------- */

/* Copies of the state that the host holds. */
static int copies(const struct sl_sim *root)
{
    if (sl_sim_on_device(root)) return 1;
    return root->work->third ? 3 : 2;
}

/* What a block has besides states: the mass that crosses its faces, and what kicks gave. */
static double values_beside(const struct sl_sim *root)
{
    const struct sl_mesh *m = root->state.mesh;
    return root->work->keeps_mass ? 4 * (double)sl_mass_flux_faces(m->dim, m->n) : 0;
}

double sl_room_of(const struct sl_sim *root, const struct sl_hierarchy *h)
{
    const struct sl_mesh *m = root->state.mesh;
    double values = (double)m->block_cells * root->state.layout.nvar, blocks = 0;
    for (int l = 0; l < h->nlevel; l++)
        blocks += (double)h->level[l]->nblock_global;
    double beside = sl_sim_on_device(root) ? 0 : values_beside(root);
    return blocks * (values * copies(root) + beside) * sizeof(sl_real) +
           sl_block_parts_memory(&root->state.component);
}

void sl_room_text(double bytes, char text[SL_ROOM_TEXT])
{
    static const char unit[] = "kMGTP";
    int i = 0;
    for (bytes /= 1e3; bytes >= 999.5 && i < 4; i++)
        bytes /= 1e3;
    snprintf(text, SL_ROOM_TEXT, "%.4g %cB", bytes, unit[i]);
}

int sl_room_takes(struct sl_sim *root, double bytes, const char *what, const char *less)
{
    char asked[32], room[32];
    SL_TRY(sl_room_find(root));
    if (!(root->room > 0) || bytes <= root->room) return SL_OK;
    sl_room_text(bytes, asked);
    sl_room_text(root->room, room);
    bool stated =
        root->state.cfg->resources_memory > 0 && root->room >= root->state.cfg->resources_memory;
    return SL_FAIL(SL_EMEM,
                   "%s take %s, and there are %s (%s); what helps: more memory (%s), or %s", what,
                   asked, room, stated ? "resources.memory" : "the memory of the nodes",
                   stated ? "resources.memory, resources.nodes" : "resources.nodes", less);
}

static bool host_holds(struct sl_sim *root, const struct sl_hierarchy *h)
{
    double now = sl_room_of(root, root->state.hierarchy), next = sl_room_of(root, h);
    double asked = root->state.mesh->size * rank_bytes + now + next;
    if (!(root->room > 0) || asked <= root->room || next <= now) return true;
    root->room_asked = asked;
    root->room_device = 0;
    return false;
}

/* What the devices that have too little are asked for, what they have, and how many they are. */
struct demand {
    double asked, has, lacking;
};

/* Of this rank. All levels have a state each, and what is beside it, and the one that takes a step
 * two more (repair_ready); memory of fields is rounded up to a 16th (gpu/shared.cu), and tables,
 * registers and messages get another one. */
static struct demand demand_of(const struct sl_sim *root, const struct sl_hierarchy *h,
                               double taken, double spare)
{
    double values = (double)root->state.mesh->block_cells * root->state.layout.nvar;
    double all = 0, largest = 0, beside = values_beside(root);
    for (int l = 0; l < h->nlevel; l++) {
        double bytes = 1.125 * values * h->level[l]->nblock * sizeof(sl_real);
        all += bytes + 1.125 * beside * h->level[l]->nblock * sizeof(sl_real);
        largest = fmax(largest, bytes);
    }
    struct demand d = {fmax(taken + all, all + 2 * largest), taken + spare, 0};
    d.lacking = d.asked > d.has;
    return d.lacking > 0 ? d : (struct demand){0, 0, 0};
}

static int devices_hold(struct sl_sim *root, const struct sl_hierarchy *h, bool *holds)
{
    double taken = 0, spare = 0;
    SL_TRY(sl_agree(h->comm, root->work->backend->room(root, &taken, &spare)));
    struct demand d = demand_of(root, h, taken, spare);
    int code = MPI_Allreduce(MPI_IN_PLACE, &d, 3, MPI_DOUBLE, MPI_SUM, h->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot add up the memory of the devices");
    *holds = d.lacking == 0 || sl_room_of(root, h) <= sl_room_of(root, root->state.hierarchy);
    if (*holds) return SL_OK;
    root->room_asked = d.asked;
    root->room_device = d.has;
    return SL_OK;
}

int sl_room_holds(struct sl_sim *root, const struct sl_hierarchy *h, bool *holds)
{
    *holds = host_holds(root, h);
    return *holds && root->work->backend->room ? devices_hold(root, h, holds) : SL_OK;
}

/* ---- what to say ----------------------------------------------------------------------------- */

/* The rule that asks for most blocks; -1: none asks for one, what the mesh took before is not free
 * yet. */
static int most_asked(const struct sl_sim *root, const int64_t *count)
{
    int most = -1;
    for (int i = 0; i < root->state.cfg->mesh_refine_n; i++)
        if (count[i] > (most < 0 ? 0 : count[most])) most = i;
    return most;
}

int sl_room_refusal(struct sl_sim *root)
{
    const struct sl_config *cfg = root->state.cfg;
    int64_t count[SL_REFINE_RULES], here[SL_REFINE_RULES];
    char asked[32], room[32], rule[600] = "", why[800] = "";
    SL_TRY(sl_refine_count(root, count, here));
    int most = most_asked(root, count);
    sl_room_text(root->room_asked, asked);
    bool device = root->room_device > 0;
    sl_room_text(device ? root->room_device : root->room, room);
    if (most >= 0) sl_rules_print(&cfg->mesh_refine[most], 1, rule, sizeof rule);
    if (most >= 0)
        snprintf(why, sizeof why,
                 "; most of the new blocks are for rule %d of mesh.refine, %s, which wants %" PRId64
                 " refined",
                 most + 1, rule, count[most]);
    bool stated = !device && cfg->resources_memory > 0 && root->room >= cfg->resources_memory;
    return SL_FAIL(SL_EMEM,
                   "the mesh would take %s, and there are %s (%s)%s; what helps: more memory "
                   "(%s), a lower mesh.levels, or a lower `level` or a higher `above` "
                   "of the rule",
                   asked, room,
                   stated   ? "resources.memory"
                   : device ? "the memory of the devices"
                            : "the memory of the nodes",
                   why,
                   stated   ? "resources.memory, resources.nodes"
                   : device ? "more devices: resources.ranks"
                            : "resources.nodes");
}
