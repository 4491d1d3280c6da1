/* stage_plm.cu - kernels of one way to reconstruct; see stage.cuh. */
#include "gpu/stage.cuh"

const struct stage_row stage_plm = {{
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_llf, 0),
    STAGE_BOTH(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_hlle, 0),
    STAGE_BOTH(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_hllc, 0),
    STAGE_IDEAL(SL_RECONSTRUCT_plm, SL_LIMITER_minmod, SL_RIEMANN_roe, 0),
    STAGE_NONE,
}};
