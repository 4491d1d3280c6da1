#!/bin/bash
# sites.sh - what sites make of Slurm: an sbatch that greets and answers in its own words is understood, one `sluice submit` is
# enough; where Slurm is not configured, or not installed, nothing is made and the message says so. Slurm is the stand-in of
# tests/slurm/fake.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
. "$SLUICE_TOP/tests/check.sh"
cd "$work" || exit 1
export XDG_CONFIG_HOME=$work/home SLUICE_PROGRAMS=$SLUICE_TOP/tests/cli/fake FAKE_SLURM=$work/slurm
mkdir slurm site unset none
: >slurm/queue
: >slurm/depends
printf 'campaign: c\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nsweep: {seed: 1..7}\n' >c.yaml

# ---- as if without --parsable, under a greeting with numbers
cat >site/sbatch <<END
#!/bin/sh
id=\$($here/fake/sbatch "\$@") || exit \$?
printf '\n----\n   Welcome to supercomputer Pike3\n----\n--> Checking queue 42 ... OK\n--> Quota 0.00%% of 12\n1024\nSubmitted batch job %s\n' "\$id"
END
chmod +x site/sbatch
PATH=$work/site:$here/fake:$PATH expect 0 sluice submit c.yaml; shows '7 members submitted in 3 jobs'
grep -o '"submitted".*"' c/journal.jsonl | grep -c ' [123]"' >out; shows 3
PATH=$here/fake:$PATH expect 0 sluice submit c.yaml; shows 'nothing to submit, 7 members are in the queue'

# ---- programs of Slurm without a slurm.conf; none at all
for p in sbatch scontrol squeue; do
    printf '#!/bin/sh\necho "%s: error: fetch_config: DNS SRV lookup failed" >&2\necho "%s: fatal: Could not establish a configuration source" >&2\nexit 1\n' $p $p >unset/$p
    chmod +x unset/$p
done
for dir in unconf deep/er/unconf; do
    PATH=$work/unset:$PATH expect 69 sluice submit c.yaml --dir $dir; says 'Slurm is not configured here'; says 'Could not establish a configuration source'
    [ ! -e "${dir%%/*}" ] || bad "left where Slurm is not configured: $(find "${dir%%/*}")"
done
ln -s "$(command -v sluice)" none/sluice
PATH=$work/none expect 69 sluice submit c.yaml --dir uninstalled; says 'Slurm is not installed here'
[ ! -e uninstalled ] || bad "left where Slurm is not installed: $(/usr/bin/find uninstalled)"
PATH=$work/none sluice check c.yaml >out 2>err && ! /usr/bin/grep -q 'not installed' out err || bad "check wants Slurm: $(/bin/cat out err)"

exit $failed
