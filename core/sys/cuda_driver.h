/* cuda_driver.h - what the driver of NVIDIA says of this machine. Asked at run time: neither CUDA
 * nor a device is needed to build.
 *
 * Shapes  none
 * Units   none
 * Errors  said in the text
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    NVIDIA Management Library (NVML), API reference
 * Tests   tests/cli/version.sh, tests/cli/devices.sh
 */
#ifndef SL_SYS_CUDA_DRIVER_H
#define SL_SYS_CUDA_DRIVER_H

#include <stddef.h>

/* The version of the driver; "unknown" where that is not known. */
void sl_device_driver(char *out, size_t size);

/* How many devices the driver has; 0 without one. */
int sl_device_number(void);

/* "2 x NVIDIA H200, driver 580.159.04", or "none: " and why; cut where it does not fit. */
void sl_device_list(char *out, size_t size);

#endif
