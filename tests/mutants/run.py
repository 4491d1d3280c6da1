#!/usr/bin/env python3
"""run.py [--sample N] [--random N] [--seed S] [--only WORD] - changes one line of the physics at a time and runs the quick tests of that file:
each change must make a test fail. Run by make (`make mutants M="--sample 10"`), which hands on how to compile and link.

The changes are the lines of list.txt (see there). --sample N takes N of them; --random N makes N of its own: an operator, a comparison, a
constant or an index of a random line. Both depend on the seed alone, which is printed. --sample 0 only
compares the list with the sources. --only WORD: those that hold the word.

All changes are built at once: of a function that has one there are two, and the variable SLUICE_MUTANT of the environment says which
is called. A change outside a function is built for itself. The objects that hold a changed function are built anew, without sanitizers
and with less optimisation; all others are those of the programs. What they hold is read from their lines of debugging, which lack what
was folded away: a change that survives so is tried once more with all objects that see its file. All is kept in build/mutants; the tree
itself stays as it is.
Exit code 0: all changes of the list that are not expected to survive were found by a test.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / 'build'
WORK = BUILD / 'mutants'
# these call functions of headers themselves
OWN = {'unit/cell', 'unit/mhd', 'unit/characteristic', 'unit/particle', 'unit/wave', 'unit/sum', 'law/ct'}
LIMIT = 300  # seconds for a test: a change that hangs is found
SWITCH = '''#include <stdlib.h>
int sl_mutant = -1;
__attribute__((constructor)) static void choose(void)
{
    const char *s = getenv("SLUICE_MUTANT");
    if (s) sl_mutant = atoi(s);
}
'''


class Mutant:
    def __init__(self, path, tests, old, new, line, reason=None):
        self.path, self.tests, self.old, self.new, self.line = path, tests, old, new, line
        self.reason = reason  # why no test can find it; None: a test must

    def name(self):
        return f'{self.path}: {self.old} => {self.new}'

    def place(self):
        return (TOP / self.path).read_text().index(self.old)

    def changed(self):
        return (TOP / self.path).read_text().replace(self.old, self.new)


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
            if (TOP / path).read_text().count(old.strip()) != 1:
                sys.exit(f'list.txt:{number}: "{old.strip()}" is not exactly once in {path}')
    return mutants


SWAPS = [(r' \+ ', ' - '), (r' - ', ' + '), (r' \* ', ' / '), (r' < ', ' <= '), (r' > ', ' < '), (r' >= ', ' > '),
         (r' && ', ' || '), (r'\b0\.5\b', '0.25'), (r'\b2 \* ', '3 * '), (r'\b1\b(?![.)x])', '2'), (r'sl_min\(', 'sl_max('),
         (r'sl_max\(', 'sl_min('), (r'\bslow\b', 'fast'), (r'\bl\.', 'r.'), (r'\[1\]', '[0]'), (r'\[2\]', '[1]')]


def random_mutants(count, listed, dice):
    """Changes of random lines of the files of the list that the compiler accepts."""
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
        mutant = Mutant(path, tests[path], old, old[:at.start()] + new + old[at.end():], 0)
        if accepted(mutant):
            made.append(mutant)
    return made


# ---- the changed text ------------------------------------------------------------------------------------------------
class Function:
    """The function of the text that holds a place; None where there is none."""

    @classmethod
    def around(cls, text, place):
        lines, first = text.splitlines(keepends=True), text.count('\n', 0, place)
        while first >= 0 and not re.match(r'[A-Za-z_]', lines[first]):
            if lines[first].startswith(('}', '#')) or lines[first].rstrip().endswith('\\'):
                return None
            first -= 1
        plain = re.sub(r'__attribute__\(\([^()]*\)\)|ALWAYS_INLINE', lambda a: ' ' * len(a.group()), ''.join(lines[first:]))
        head = re.match(r' *([A-Za-z_][\w \n*]*?[ *])(\w+)\(((?:[^{};=])*)\)\s*\{', plain, re.S)
        if first < 0 or not head:
            return None
        found, last = cls(), first
        while not lines[last].rstrip().endswith('}') or lines[last].startswith(' '):
            last += 1
        found.type, found.name, parameters = head.groups()
        found.start = sum(map(len, lines[:first]))
        found.body = found.start + head.end()
        found.end = sum(map(len, lines[:last + 1]))
        found.parameters = parameters
        return found if found.start <= place < found.end and '...' not in parameters else None

    def arguments(self):
        depth, names = 0, ['']
        for c in self.parameters:
            depth += {'(': 1, ')': -1}.get(c, 0)
            if c == ',' and depth == 0:
                names.append('')
            else:
                names[-1] += c
        names = [re.sub(r'\[[^]]*\]', '', n).strip() for n in names]
        if names == ['void']:
            return ''
        pointers = [re.search(r'\(\*(\w+)\)', n) for n in names]
        return ', '.join(p.group(1) if p else re.search(r'(\w+)$', n).group(1) for p, n in zip(pointers, names))

    def other(self, text, mutant, number):
        """The function under another name, with the change."""
        changed = text[self.start:self.end].replace(mutant.old, mutant.new)
        head = re.sub(r'\b(SL_FN|static|inline|SL_LANES)\b\s*', '', self.type)
        return (f'static __attribute__((noinline, unused)) {head}{self.name}_{number}({self.parameters})\n{{' +
                changed[self.body - self.start:] + '\n')

    def call(self, number):
        call = f'{self.name}_{number}({self.arguments()});'
        nothing = re.sub(r'\b(SL_FN|static|inline)\b', '', self.type).strip() == 'void'
        return f' if (sl_mutant == {number}) ' + (f'{{ {call} return; }}' if nothing else f'return {call}')


def alternatives(path, mutants):
    """The text of a file with all of these changes of functions, each called for its number."""
    text = (TOP / path).read_text()
    added = []
    for number, m in mutants:
        f = Function.around(text, text.index(m.old))
        added += [(f.start, f.other(text, m, number)), (f.body, f.call(number))]
    for place, what in sorted(added, key=lambda a: a[0], reverse=True):
        text = text[:place] + what + text[place:]
    return 'extern int sl_mutant;\n' + text


# ---- building --------------------------------------------------------------------------------------------------------
def words(name):
    """What make hands on: how to compile, how to link, and with which libraries."""
    if name not in os.environ:
        sys.exit('run it with make: make mutants M="--sample 10"')
    return shlex.split(os.environ[name])


def compile_file(tree, source, *options):
    """source, or the changed one below tree, with what is changed there."""
    changed = tree / source
    target = tree / 'obj' / pathlib.Path(source).with_suffix('.o')
    target.parent.mkdir(parents=True, exist_ok=True)
    command = words('SLUICE_COMPILE') + ['-O1', '-g0', '-w', f'-I{tree}', '-I.', '-Ibuild/gen', *options, '-c',
                               str(changed if changed.exists() else source), '-o', str(target)]
    done = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return target, None if done.returncode == 0 else done.stdout


def holds(source, functions):
    """Whether the object of the programs has code of one of these functions, inlined or not."""
    names = (BUILD / 'obj/f64' / source).with_suffix('.o').read_bytes()
    return any(f'\0{f}\0'.encode() in names for f in functions)


def readers(paths, functions=None):
    """The sources that see one of these files, of the parts where steps are made and of those of the files themselves; with functions:
    and that hold one of them, or are such a file."""
    found = set()
    for part in {'state', 'sweep', 'transfer', 'step', 'run', 'mesh', 'gravity', 'particles', 'source'} | {pathlib.Path(p).parts[1] for p in paths} - {'cell'}:
        for d in (BUILD / 'obj/f64/core' / part).glob('*.d'):
            source = d.relative_to(BUILD / 'obj/f64').with_suffix('.c')
            if source.exists() and paths & set(re.split(r'[\s:\\]+', d.read_text())): # not of a file that was moved
                found.add(str(source))
    return sorted(s for s in found if functions is None or s in paths or holds(s, functions))


def accepted(mutant):
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        write(tree / mutant.path, mutant.changed())
        return compile_file(tree, readers({mutant.path})[0], '-fsyntax-only')[1] is None


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def build(tree, texts, tests, sources):
    """The programs of the tests below tree/tests, with these texts in place of the files, in these sources and in the tests."""
    shutil.rmtree(tree, ignore_errors=True)
    for path, text in texts.items():
        write(tree / path, text)
    write(tree / 'switch.c', SWITCH)
    sources = [*sources, 'switch.c']
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wanted = [pool.submit(compile_file, tree, s) for s in sources + [f'tests/{t}.c' for t in tests]]
        done = [w.result() for w in wanted]
        for target, error in done:
            if error:
                sys.exit(f'{target} does not build:\n{error[-3000:]}')
        objects = [str(t) for t, _ in done[:len(sources)]]
        list(pool.map(lambda t: link(tree, t, objects), tests))


def link(tree, test, objects):
    program = tree / 'tests' / test
    program.parent.mkdir(parents=True, exist_ok=True)
    libraries = [f'build/lib/{lib}-f64.a' for lib in ('pipeline', 'core')] + words('SLUICE_LIBS')
    command = words('SLUICE_LINK') + [str(tree / f'obj/tests/{test}.o'), *objects, *libraries, '-o', str(program)]
    done = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f'{test} cannot be linked:\n{done.stdout[-3000:]}')


# ---- running ---------------------------------------------------------------------------------------------------------
def passes(tree, test, ranks, number):
    program = str(tree / 'tests' / test)
    command = ['mpirun', '-n', str(ranks), program] if ranks > 1 else [program]
    with tempfile.TemporaryDirectory(prefix='sluice-mutant') as folder:
        os.symlink(TOP / 'tests', f'{folder}/tests')
        environment = dict(os.environ, SLUICE_MUTANT=str(number), OMPI_MCA_orte_tmpdir_base=folder, SLUICE_TOP=str(TOP))
        try:
            return subprocess.run(command, cwd=TOP, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                  env=environment, timeout=LIMIT).returncode == 0
        except subprocess.TimeoutExpired:
            return False


def ranks_of(test):
    """As the head of the test names them, with sanitizers or without, the least three."""
    ranks = re.findall(r'\b(?:ranks|optimised): *([0-9][0-9 ]*)', (TOP / f'tests/{test}.c').read_text()[:1500])
    return sorted(int(n) for n in ' '.join(ranks).split())[:3] or [0]


class Judge:
    def __init__(self):
        self.lock, self.good = threading.Lock(), {}
        self.killed = self.bad = 0

    def good_as_it_is(self, tree, test, ranks):
        """What finds a change must pass without it."""
        with self.lock:
            key = (tree, test, ranks)
            if key not in self.good:
                self.good[key] = passes(tree, test, ranks, -1)
            if not self.good[key]:
                sys.stdout.flush()
                print(f'FAIL: {test} fails without a change')
                os._exit(1)

    def killer(self, tree, tests, number):
        for test in tests:
            for ranks in ranks_of(test):
                if not passes(tree, test, ranks, number):
                    if number >= 0:
                        self.good_as_it_is(tree, test, ranks)
                    return f'{test}{f" on {ranks}" if ranks > 1 else ""}'
        return None

    def all(self, name, numbered, which=None, sources=readers):
        """Builds them, in the sources that this function gives for their paths, and runs those tests of each; which of them are left."""
        tests = {m: [t for t in m.tests if which is None or t in which] for _, m in numbered}
        texts = {}
        for path in {m.path for _, m in numbered}:
            those = [(n, m) for n, m in numbered if m.path == path]
            texts[path] = alternatives(path, those) if those[0][0] >= 0 else those[0][1].changed()
        build(WORK / name, texts, sorted({t for m in tests.values() for t in m}), sources(set(texts)))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda nm: self.attempt(WORK / name, nm[1], tests[nm[1]], nm[0]), numbered))
        return [nm for nm, killer in zip(numbered, found) if not killer]

    def attempt(self, tree, mutant, tests, number):
        killer = self.killer(tree, tests, number)
        if killer:
            with self.lock:
                self.say(mutant, killer)
        return killer

    def say(self, mutant, killer):
        wrong = (killer is None) == (mutant.reason is None) and mutant.line > 0
        self.killed += killer is not None
        self.bad += wrong
        fate = f'killed by {killer}' if killer else 'survived'
        note = f' (expected: {mutant.reason})' if mutant.reason else ''
        print(f'{"FAIL" if wrong else "ok":5} {fate:32} {mutant.name()}{note}', flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--sample', type=int)
    options.add_argument('--random', type=int, default=0)
    options.add_argument('--seed', type=int, default=int(time.time()) % 100000)
    options.add_argument('--only', default='')
    options = options.parse_args()
    os.chdir(TOP)
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
    return run(mutants) if mutants else 0


def run(mutants):
    """First the tests that need no more than their own object, then what they leave, then what must be built for itself."""
    start, judge = time.time(), Judge()
    numbered = list(enumerate(mutants))
    function = {nm: Function.around((TOP / nm[1].path).read_text(), nm[1].place()) for nm in numbered}
    together = [nm for nm in numbered if function[nm]]
    own = [(n, m) for n, m in together if m.path.endswith('.h') and OWN & set(m.tests)]
    left = judge.all('own', own, OWN, lambda paths: [])
    rest = [nm for nm in together if nm not in own] + left
    left = judge.all('rest', rest, sources=lambda paths: readers(paths, {function[nm].name for nm in rest}))
    again = [nm for nm in left if nm[1].path.endswith('.h') and nm[1].reason is None]
    if again:
        left = [nm for nm in left if nm not in again] + judge.all('again', again)
    for nm in numbered:
        if nm not in together:
            left += judge.all('alone', [(-1, nm[1])])
    for _, m in left:
        judge.say(m, None)
    print(f'{judge.killed} of {len(mutants)} killed; {judge.bad} not as the list says; {time.time() - start:.0f} s')
    return judge.bad > 0


if __name__ == '__main__':
    sys.exit(main())
