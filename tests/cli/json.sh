#!/bin/bash
# json.sh - what programs get: every verb that works on a campaign in a queue speaks JSON with a version, in the shape that
# its help tells; what fails is an object on standard error. The programs are stand-ins (tests/cli/fake), and so is Slurm
# (tests/slurm/fake).
set -u
fake=$(cd "$(dirname "$0")/fake" && pwd)
slurm=$(cd "$(dirname "$0")/../slurm/fake" && pwd)
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
export PATH=$slurm:$PATH SLUICE_PROGRAMS=$fake FAKE_SLURM=$work/slurm XDG_CONFIG_HOME=$work/home FAKE_STEPS=3
mkdir -p slurm orders home
failed=0
cat >shape.py <<'END'
"""shape.py "TYPES" < object: fields with their types, "members[0].id:str"; every field at the top stands in the help."""
import json
import subprocess
import sys

names = {"str": str, "int": int, "real": float, "bool": bool, "list": list, "dict": dict, "null": type(None)}
text = sys.stdin.read()
o = json.loads(text.splitlines()[0] if sys.argv[1] == "watch" else text)
assert o["v"] == 1 and isinstance(o["campaign"], str)
help = subprocess.run(["sluice", "help", sys.argv[1]], capture_output=True, text=True, check=True).stdout
for key in o:
    assert key in help.replace(",", " ").replace("{", " ").replace(":", " ").replace("}", " ").split(), "the help does not tell of " + key
for item in sys.argv[2:]:
    path, kind = item.rsplit(":", 1)
    x = o
    for step in path.replace("[0]", ".0").split("."):
        x = x[int(step)] if step.isdigit() else x[step]
    assert isinstance(x, names[kind]) and not (kind == "int" and isinstance(x, bool)), "%s is %r, not %s" % (path, x, kind)
END
# shape "VERB ARGUMENTS" FIELD:TYPE...
shape() {
    # shellcheck disable=SC2086
    sluice $1 --json >out 2>err || { echo "FAIL: sluice $1 --json: $(cat err)"; failed=1; return; }
    python3 shape.py "${1%% *}" "${@:2}" <out || { echo "FAIL: the shape of $1: $(cat out)"; failed=1; }
}
printf 'campaign: c\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\nresources: {retries: 0}\nsweep: {seed: 1..3}\n' >c.yaml
shape 'plan c.yaml' members:int left:int disk_bytes:real core_hours:real wall_s:real rate_per_rank:real rate_measured:bool largest_member.cells:real \
    largest_member.particles:real largest_member.particle_bytes:real largest_member.device_bytes:real
shape 'plan c.yaml --slurm' 'sbatch[0]:list' 'sbatch[0][0]:str' node_hours:real wall_90_s:real rate_from:str slurm.known:bool \
    slurm.cpus:real slurm.start_s:real 'slurm.limits[0].exceeded:bool' slurm.tasks:int
shape 'submit c.yaml' dir:str submitted:int jobs:int sbatch_calls:int in_queue:int left:int limit:str
shape 'hold c' done:str of:str count:int
shape 'hold c 1' done:str of:str count:int
shape 'status c' members:int counts.waiting:int core_hours:real left_s:real failures:int damaged_lines:int runner:null \
    'list[0].stages.sim.state:str' 'list[0].id:str' queue.known:bool queue.pending:int 'queue.tasks[0].reason:str'
shape 'why c 1' 'members[0].chain:list' 'members[0].mend:str' 'members[0].queue:str'
shape 'release c' done:str count:int
shape 'throttle c 2' arrays:int throttle:int
shape 'cancel c 2' 'members[0].cancelled:bool' 'members[0].was:str' jobs:int executor:null
shape 'retry c 2' 'members[0].was:str' 'members[0].revoked:list' next:str
shape 'retry c' members:list next:str
shape 'extend c seed=1..4' added:int members:int
shape 'cancel c' members:list jobs:int executor:null
sluice run c >/dev/null || { echo "FAIL: sluice run"; failed=1; }
shape 'watch c' counts.done:int left_s:real
shape 'logs c 1' 'logs[0]:dict'
sluice status c nonsense --json >out 2>err
[ $? = 2 ] && [ ! -s out ] && python3 -c 'import json; e = json.load(open("err"))["error"]; assert e["code"] == 2 and "nonsense" in e["text"]' ||
    { echo "FAIL: a failure is not an object: $(cat err)"; failed=1; }
exit $failed
