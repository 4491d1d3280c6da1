#!/bin/bash
# faults.sh - one call of a program fails once, does so as on NFS whose server knows the file no more, writes only half of its bytes,
# or takes three seconds: each write, rename, flush, link, removal, start of a process, open and read of sluice (run, and the verbs that
# change a campaign or write files), sluice-ic, sluice-sim and sluice-stats, in a campaign of real members on two ranks
# (tests/law/preload/faults.c). Then either all is done with the bits of an undisturbed campaign, or a message tells what is wrong;
# nothing hangs, no file is half written, and the verb again and the next `sluice run` end it. 4 calls drawn at random; each call in
# each way with SLUICE_LONG=1, in random order: a day on two cores, or as many as SLUICE_FAULT_SECONDS allows. SLUICE_SEED repeats a
# run; V=1 tells of each; `faults.sh sluice-sim rename 3 error` or `faults.sh sluice:retry write 1 short` is one alone.
export OMPI_MCA_btl=self,vader
. "$SLUICE_TOP/tests/scratch.sh"
export SLUICE_FAULTS=$work/faults.so
mpicc -D_GNU_SOURCE -shared -fPIC -O1 -Wall -Wextra -o "$SLUICE_FAULTS" "$(dirname "$0")/preload/faults.c" -ldl || exit 1
[ $# -gt 0 ] || set -- "${SLUICE_LONG:+all}"
/usr/bin/python3 "$(dirname "$0")/faults.py" "$@"
