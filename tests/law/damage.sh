#!/bin/bash
# damage - a bit flips, a file is cut short, 512 of its bytes become zero, or it is gone: any file of a campaign, after any of
# its stages or in the midst of a run. Then `sluice run` goes on and `sluice verify` looks: the products have the bits of the
# undamaged campaign, or one of the two has said something. SLUICE_SEED repeats a run, `damage.py 1` its first damage alone; V=1
# tells of each. 16 damages, 2000 with SLUICE_LONG=1.
export OMPI_MCA_btl=self,vader
cases=16
[ -n "${SLUICE_LONG:-}" ] && cases=2000
exec /usr/bin/python3 "$(dirname "$0")/damage.py" "$cases"
