#!/bin/bash
# version.sh - sluice version tells the devices that the driver has, or why there are none. The driver is a stand-in: the calls of
# NVML that are made, for as many devices as FAKE_DEVICES says.
set -eu
top=${SLUICE_TOP:-$PWD}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "version.sh: $*"; exit 1; }
cat > "$work/nvml.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
static const char *want(void) { return getenv("FAKE_DEVICES") ? getenv("FAKE_DEVICES") : "none"; }
int nvmlInit_v2(void) { return want()[0] == 'n' ? 9 : 0; }
int nvmlShutdown(void) { return 0; }
int nvmlSystemGetDriverVersion(char *t, unsigned n) { return snprintf(t, n, "1.2.3") < 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { return *n = (unsigned)atoi(want()), 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { return *d = (void *)(size_t)i, 0; }
int nvmlDeviceGetName(void *d, char *t, unsigned n) { return snprintf(t, n, (size_t)d < 2 ? "Big" : "Small") < 0; }
const char *nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "?"; }
C
cc -shared -fPIC -o "$work/libnvidia-ml.so.1" "$work/nvml.c"
tells() { # DEVICES TEXT
    got=$(LD_LIBRARY_PATH=$work FAKE_DEVICES=$1 "$top/build/sluice" version | grep ^devices) || fail "no line of devices"
    [ "$got" = "devices $2" ] || fail "'$got', not '$2'"
}
tells none "none: Driver Not Loaded"
tells 0 "none: the driver finds no device"
tells 1 "1 x Big, driver 1.2.3"
tells 3 "2 x Big, 1 x Small, driver 1.2.3"
LD_LIBRARY_PATH=$work FAKE_DEVICES=2 "$top/build/sluice" version --json | grep -q '"devices": *"2 x Big, driver 1.2.3"' || fail "no devices in JSON"
got=$("$top/build/sluice" version | grep -E '^devices (none: .+|[0-9]+ x .+, driver .+)') || fail "nothing of this machine"
echo "$got"
