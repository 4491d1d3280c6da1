#!/bin/bash
# alone - a device that is lost by one rank of two, while a snapshot is on its way: the job ends with the code and the message
# of that rank, soon and once, however the other one waits for it.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
for rank in 0 1; do
    TMPDIR=$work expect 69 timeout 60 mpirun -n 2 "$SLUICE_TOP/build/tests/law/behind" $rank
    [ "$(grep -c "error: .*the device of rank $rank is gone" err)" = 1 ] || { bad "not reported once:"; cat err; }
done
exit $failed
