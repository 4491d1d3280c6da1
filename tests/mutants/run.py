#!/usr/bin/env python3
"""run.py [--sample N] [--seconds S] [--random N] [--seed S] [--only WORD] - changes one line of the physics at a time, builds the quick tests of
that file and runs them: each change must make a test fail.

The changes are the lines of list.txt (see there). --sample N takes N of them, as many as are done in --seconds S; --random N makes N of its own: an operator,
a comparison, a constant or an index of a random line. Both depend on the seed alone, which is printed.
Needs `make tests` before; works on a copy of the tree in build/mutants and leaves the tree itself alone.
Exit code 0: all changes of the list that are not expected to survive were found by a test.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
COPY = TOP / 'build/mutants'
COMMIT = 'mutants'  # what tests are built with: it does not change while they are
OWN = {'unit/cell', 'unit/mhd', 'unit/characteristic', 'unit/wave', 'unit/sum'}
LIMIT = 120  # seconds for the tests of one change: a change that hangs is found
LONGEST = 15  # seconds that one takes as a rule: no more is begun where --seconds leaves less


class Mutant:
    def __init__(self, path, tests, old, new, line, reason=None):
        self.path, self.tests, self.old, self.new, self.line = path, tests, old, new, line
        self.reason = reason  # why no test can find it; None: a test must

    def name(self):
        return f'{self.path}: {self.old} => {self.new}'

    def apply(self, text):
        """The changed text, None if the place is not there exactly once."""
        return text.replace(self.old, self.new) if text.count(self.old) == 1 else None


def read_list():
    mutants, path, tests = [], None, None
    for number, line in enumerate((TOP / 'tests/mutants/list.txt').read_text().splitlines(), 1):
        if not line.strip() or line.startswith('#'):
            continue
        if line.startswith('@'):
            path, _, names = line[1:].partition(':')
            path, tests = path.strip(), names.split()
        elif line.startswith('  survives:'):
            mutants[-1].reason = line.split(':', 1)[1].strip()
        else:
            old, arrow, new = line.partition(' => ')
            if not arrow:
                sys.exit(f'list.txt:{number}: no " => " in the line')
            mutants.append(Mutant(path, tests, old.strip(), new.strip(), number))
    return mutants


SWAPS = [(r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' / '), (r' < ', ' <= '), (r' > ', ' < '), (r' >= ', ' > '),
         (r' && ', ' || '), (r'\b0\.5\b', '0.25'), (r'\b2 \* ', '3 * '), (r'\b1\b(?![.)x])', '2'), (r'sl_min\(', 'sl_max('),
         (r'sl_max\(', 'sl_min('), (r'\bslow\b', 'fast'), (r'\bl\.', 'r.'), (r'\[1\]', '[0]'), (r'\[2\]', '[1]')]


def random_mutants(count, listed, dice):
    """Changes of random lines of the files of the list."""
    tests = {m.path: m.tests for m in listed}
    made = []
    while len(made) < count:
        path = dice.choice(sorted(tests))
        text = (TOP / path).read_text()
        lines = [s for s in text.splitlines() if s.startswith('    ') and not s.lstrip().startswith(('*', '/*', '#'))]
        old = dice.choice(lines)
        swap, new = dice.choice(SWAPS)
        places = list(re.finditer(swap, old))
        if not places or text.count(old) != 1:
            continue
        at = dice.choice(places)
        made.append(Mutant(path, tests[path], old, old[:at.start()] + new + old[at.end():], 0))
    return made


def make(*targets, tree=COPY):
    return subprocess.run(['make', '-j2', 'CUDA=no', f'COMMIT={COMMIT}', *targets], cwd=tree, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def build(tree, tests):
    built = make(*sorted(f'build/tests/{t}' for t in tests), tree=tree)
    if built.returncode != 0:
        sys.exit(f'the tests do not build:\n{built.stdout[-2000:]}')


def prepare():
    """The tree and what is built of it, with the times of the files."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    files = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=TOP, stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split('\n')
    for name in filter(None, files):
        target = COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (TOP / name).exists():
            shutil.copy2(TOP / name, target, follow_symlinks=False)
    (COPY / 'build').mkdir()
    for part in ('gen', 'obj', 'lib', 'tests'):
        if (TOP / 'build' / part).exists():
            subprocess.run(['cp', '-a', str(TOP / 'build' / part), str(COPY / 'build')], check=True)


def run_test(name, deadline):
    """True if it passes; on the ranks that its head names, the least and the most of them."""
    program = COPY / f'build/tests/{name}'
    head = (TOP / f'tests/{name}.c').read_text()[:1500]
    ranks = re.search(r'ranks: *([0-9 ]+)', head)
    counts = sorted({*map(int, ranks.group(1).split())}) if ranks else [0]
    for n in {counts[0], counts[min(1, len(counts) - 1)]}:
        command = ['mpirun', '-n', str(n), str(program)] if n else [str(program)]
        try:
            done = subprocess.run(command, cwd=COPY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  stdin=subprocess.DEVNULL, timeout=max(1, deadline - time.time()))
        except subprocess.TimeoutExpired:
            return False
        if done.returncode != 0:
            return False
    return True


def restore(since):
    """What was built since then, as it is in the tree."""
    for part in ('obj', 'lib', 'tests'):
        for path in (COPY / 'build' / part).rglob('*'):
            if path.is_file() and path.stat().st_mtime >= since:
                origin = TOP / 'build' / path.relative_to(COPY / 'build')
                if origin.exists():
                    shutil.copy2(origin, path)
                else:
                    path.unlink()


def killer(tests, *options):
    """The first test that fails; None: all pass; 'nothing': they do not build."""
    deadline = time.time() + LIMIT
    for test in tests:
        if make(*options, f'build/tests/{test}').returncode != 0:
            return 'nothing'
        if not run_test(test, deadline):
            return test
    return None


def attempt(mutant):
    """'killed by TEST', 'survived', or what kept it from being tried."""
    path = COPY / mutant.path
    text, start = path.read_text(), time.time()
    times = (path.stat().st_atime, path.stat().st_mtime)
    changed = mutant.apply(text)
    if changed is None:
        return 'the place is not there exactly once'
    path.write_text(changed)
    try:
        # a test of functions in headers sees the change in its own object: the libraries may stay as they are
        own = [t for t in mutant.tests if t in OWN and mutant.path.endswith('.h')]
        found = killer(own, *(f'--old-file=build/lib/{lib}-san.a' for lib in ('core', 'pipeline')))
        if found is None:
            found = killer(mutant.tests)
        return 'does not build' if found == 'nothing' else f'killed by {found}' if found else 'survived'
    finally:
        path.write_text(text)
        os.utime(path, times)
        restore(start)


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--sample', type=int)
    options.add_argument('--seconds', type=float, default=float('inf'))
    options.add_argument('--random', type=int, default=0)
    options.add_argument('--seed', type=int, default=int(time.time()) % 100000)
    options.add_argument('--only', default='')
    options = options.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', OMPI_MCA_mpi_yield_when_idle='1',
                      OMPI_MCA_rmaps_base_oversubscribe='1', OMPI_MCA_hwloc_base_binding_policy='none',
                      OMPI_MCA_btl_vader_single_copy_mechanism='none')
    dice = random.Random(options.seed)
    listed = read_list()
    mutants = [m for m in listed if options.only in m.name()]
    if options.sample is not None:
        mutants = dice.sample(mutants, min(options.sample, len(mutants)))
    mutants += random_mutants(options.random, listed, dice)
    print(f'mutants: {len(mutants)}, seed {options.seed}', flush=True)
    end = time.time() + options.seconds
    build(TOP, {t for m in mutants for t in m.tests})
    prepare()
    return judge(mutants, end)


def judge(mutants, end):
    killed = tried = bad = 0
    for m in mutants:
        if time.time() > end - LONGEST:
            print(f'the time is over after {tried} of them')
            break
        start, fate = time.time(), attempt(m)
        if m.line == 0 and fate == 'does not build':
            continue
        tried += 1
        killed += fate.startswith('killed')
        wrong = m.line > 0 and not fate.startswith('killed') and not (fate == 'survived' and m.reason)
        wrong = wrong or (m.reason is not None and fate.startswith('killed'))
        bad += wrong
        note = f' (expected: {m.reason})' if m.reason else ''
        print(f'{"FAIL" if wrong else "ok":5} {fate:32} {time.time() - start:4.0f}s  {m.name()}{note}', flush=True)
    print(f'{killed} of {tried} killed; {bad} not as the list says')
    return bad > 0


sys.exit(main())
