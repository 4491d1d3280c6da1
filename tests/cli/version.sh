#!/bin/bash
# version.sh - sluice version tells the devices that the driver has, or why there are none. The driver is a stand-in: the calls of
# NVML that are made, for as many devices as FAKE_DEVICES says.
set -eu
top=${SLUICE_TOP:-$PWD}
. "$SLUICE_TOP/tests/scratch.sh"
cc -shared -fPIC -o "$work/libnvidia-ml.so.1" "$top/tests/cli/fake/nvml.c"
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
