/* stage_ct_open.cu - open kernels of one kind of fluid; see stage.cuh. */
#include "gpu/stage.cuh"

const struct open_row stage_ct_open = {{
    STAGE_OPEN(SL_RECONSTRUCT_constant, FIELD_STAGGERED),
    STAGE_OPEN(SL_RECONSTRUCT_plm, FIELD_STAGGERED),
    STAGE_OPEN(SL_RECONSTRUCT_ppm, FIELD_STAGGERED),
    STAGE_OPEN(SL_RECONSTRUCT_wenoz, FIELD_STAGGERED),
}};
