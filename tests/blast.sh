# blast.sh - what shell tests of levels that outgrow their memory share, sourced: `blast DIRECTORY` writes a recipe there, run.yaml, of
# a blast whose mesh grows at several regrids.
blast() { # DIRECTORY
    mkdir -p "$1"
    cat >"$1/run.yaml" <<'YAML'
campaign: blast
problem: sedov
sedov: {energy: 0.85, radius: 0.1}
mesh: {cells: [32, 32], block: 8, box: [[0, 1.2], [0, 1.2]], boundary: [reflecting, outflow, reflecting, outflow], levels: 2,
       refine: [{by: sphere, center: [1, 1], radius: 0.1, level: 1}, {by: gradient, of: pressure, above: 0.1}]}
time: {end: 0.05}
output: {history: 0}
YAML
}
