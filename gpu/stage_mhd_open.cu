/* stage_mhd_open.cu - open kernels of one kind of fluid; see stage.cuh. */
#include "gpu/stage.cuh"

const struct open_row stage_mhd_open = {{
    STAGE_OPEN(SL_RECONSTRUCT_constant, FIELD_CLEANED),
    STAGE_OPEN(SL_RECONSTRUCT_plm, FIELD_CLEANED),
    STAGE_OPEN(SL_RECONSTRUCT_ppm, FIELD_CLEANED),
    STAGE_OPEN(SL_RECONSTRUCT_wenoz, FIELD_CLEANED),
}};
