#!/bin/bash
# rayleigh_taylor.sh - the growth of Rayleigh-Taylor in the compressible, stratified gas of the problem: the exact rate, shot from
# both walls with scipy, is what the suite says (pipeline/suite/suite.def), and a run on 32 x 96 cells grows by less, and not much less.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"

mode() { # at time $1, amplitude of the seeded velocity
    cat >run.yaml <<YAML
campaign: growth
problem: rayleigh_taylor
verify: true
rayleigh_taylor.amplitude: 1e-5
gravity.acceleration: [0, -0.1, 0]
mesh: {cells: [32, 96], box: [[-0.25, 0.25], [-0.75, 0.75]], boundary: [periodic, reflecting]}
fluid: {gamma: 1.4, integrator: rk2, reconstruct: plm, limiter: mc}
time: {end: $1}
output: {snapshot: 0, checkpoint: 0}
YAML
    sluice-sim run.yaml >log 2>&1 || bad "run to $1: $(cat log)"
    sed -n 's/^mode\t\([^\t]*\).*/\1/p' verify.tsv
}

/usr/bin/python3 - "$(mode 6)" "$(mode 9)" "$SLUICE_TOP/pipeline/suite/suite.def" <<'PY' || bad 'growth'
import math, re, sys
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

g, k, height, gamma = 0.1, 4 * math.pi, 0.75, 1.4

def shoot(omega, rho, wall, pressure):
    """Displacement and Lagrangian change of pressure at y = 0 of what has no displacement at the wall."""
    def slope(y, state):
        eta, p = state
        c2 = gamma * (pressure - g * rho * y) / rho
        dense = (p - rho * g * eta) / c2
        return -k * k * p / (rho * omega ** 2) - dense / rho, -rho * omega ** 2 * eta - g * dense
    end = solve_ivp(slope, (wall, 0), (0, 1), method='DOP853', rtol=1e-11, atol=1e-14).y[:, -1]
    return end[0], end[1] - rho * g * end[0]

def rate(pressure):
    def jump(omega):
        low, high = shoot(omega, 1, -height, pressure), shoot(omega, 2, height, pressure)
        return (low[0] * high[1] - low[1] * high[0]) / (abs(low[0] * high[1]) + abs(low[1] * high[0]))
    return brentq(jump, 0.5, 0.8, xtol=1e-12)

stiff = math.sqrt(g * k * math.tanh(k * height) / 3)
assert abs(rate(1e7) / stiff - 1) < 1e-6, (rate(1e7), stiff)  # no compression: the formula
exact = rate(2.5)
printed = float(re.search(r'omega = ([\d.]+), exp\(-3 omega\)', open(sys.argv[3]).read())[1])
assert abs(exact - printed) < 1e-5, (exact, printed)
grown = math.log(float(sys.argv[2]) / float(sys.argv[1])) / 3
print('omega %.5f exact, %.4f on 32 x 96 cells' % (exact, grown))
assert 0.88 * exact < grown < exact, (grown, exact)
PY
exit $failed
