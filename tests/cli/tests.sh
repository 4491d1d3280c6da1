#!/bin/bash
# tests.sh - tests/run: tests run beside each other, each with a folder of its own for MPI, and are reported when they end; those of cli/
# take a third of all places; those of slurm/, of cli/ and others begin in turn; two of slurm/ run beside the others where there are two
# places; those that take long come first; one that asks for it has the machine to itself; one in C
# runs with sanitizers and, where its head says so, with the libraries of the programs; one that fails is counted and makes all fail; a
# signal ends what still runs.
set -u
. "$SLUICE_TOP/tests/scratch.sh"
cd "$work" || exit 1
. "$SLUICE_TOP/tests/check.sh"
unset SLUICE_TESTS SLUICE_LONG
export SLUICE_TEST_TIMEOUT=60 SLUICE_TEST_PLACES=4 SLUICE_MEET=$work

mkdir -p tests/law tests/cli tests/problem tests/slurm
cp "$SLUICE_TOP/tests/run" tests/
cat >tests/law/one.sh <<'END'
#!/bin/bash
me=$(basename "$0") # it ends when the other one has begun, one.sh once the end of cli/beside.sh is reported
echo "$OMPI_MCA_orte_tmpdir_base" >"$SLUICE_MEET/$me.on"
until [ -s "$SLUICE_MEET/one.sh.on" ] && [ -s "$SLUICE_MEET/two.sh.on" ]; do sleep 0.05; done
until [ "$me" = two.sh ] || [ -e "$SLUICE_MEET/reported" ] || grep -qs cli/beside.sh "${OMPI_MCA_orte_tmpdir_base%/*}"/*[0-9]; do sleep 0.05; done
touch "$SLUICE_MEET/$me.off"
END
cp tests/law/one.sh tests/law/two.sh
cat >tests/cli/alone.sh <<'END'
#!/bin/bash
# alone: the others are over
echo "SKIP: a reason"
[ -e "$SLUICE_MEET/one.sh.off" ] && [ -e "$SLUICE_MEET/two.sh.off" ]
END
cat >tests/cli/beside.sh <<'END'
#!/bin/bash
PATH=${PATH/svg_alone:/} # which does not ask for the machine
until [ -e "$SLUICE_MEET/two.sh.off" ]; do sleep 0.05; done
[ ! -e "$SLUICE_MEET/more.on" ]
code=$?
exit $code
END
printf '#!/bin/bash\ntouch "$SLUICE_MEET/more.on"\n' >tests/cli/more.sh
printf '#!/bin/bash\necho why; exit 3\n' >tests/problem/bad.sh
# shellcheck disable=SC2016
printf '#!/bin/bash\n# long:\nsleep 300 & echo $! >"$SLUICE_MEET/long"; wait\n' >tests/problem/long.sh
printf '/* both.c\n * ranks: 2\n * optimised: 1\n * optimised at length: 3\n */\n' >tests/law/both.c
mkdir -p build/tests/law build/optimised/tests/law
# shellcheck disable=SC2016
for how in build build/optimised; do printf '#!/bin/bash\necho "$0" >>"$SLUICE_MEET/both"\n' >$how/tests/law/both; done
chmod +x tests/*/*.sh build/*/law/both build/*/*/law/both

expect 1 tests/run
results() { grep -oE '^(ok|FAIL) +[^ ]*|\| .*|^[0-9]+ (passed|of).*' out | tr -s ' '; }
all=$(results | sort | tr '\n' ';') order=$(results | grep -E 'beside|one|alone' | tr '\n' ';')
[ "$all$order" = "1 of them left something out: see SKIP above;7 passed, 1 failed;FAIL problem/bad.sh;ok cli/alone.sh;ok cli/beside.sh;ok cli/more.sh;ok law/both.c;ok law/both.c;ok law/one.sh;ok law/two.sh;| SKIP: a reason;| why;ok cli/beside.sh;ok law/one.sh;ok cli/alone.sh;" ] ||
    { bad "it printed"; cat out; }
[ "$(sort both | tr '\n' ' ')" = "build/optimised/tests/law/both build/tests/law/both build/tests/law/both " ] || { bad "law/both.c ran as"; cat both; }
rm both
SLUICE_LONG=1 expect 0 tests/run law/both
[ "$(sort both | cut -d / -f 2 | uniq -c | tr -s ' \n' ' ')" = " 4 optimised 2 tests " ] || { bad "law/both.c ran at length as"; cat both; }
cmp -s one.sh.on two.sh.on && bad "two tests share a folder of MPI: $(cat one.sh.on)"
touch reported # cli/beside.sh, with which one.sh is not together from here on
expect 0 tests/run law/
mkdir -p turns/tests/{slurm,cli,law}
cp tests/run turns/tests/
for t in slurm/a slurm/b cli/a law/a law/b; do
    printf '#!/bin/bash\n' >turns/tests/$t.sh
    chmod +x turns/tests/$t.sh
done
SLUICE_TEST_PLACES=1 expect 0 turns/tests/run
[ "$(results | tr '\n' ' ')" = "ok slurm/a.sh ok cli/a.sh ok law/a.sh ok slurm/b.sh ok law/b.sh 5 passed, 0 failed " ] || { bad "not in turn"; cat out; }
# two of slurm/ and two others are there at once, and no third of slurm/; the one that takes minutes is the first of the others
rm -r turns && mkdir -p turns/tests/{slurm,law} && cp tests/run turns/tests/
for t in slurm/a slurm/b slurm/c law/a law/b law/long; do
    cat >turns/tests/$t.sh <<'END'
#!/bin/bash
touch "$SLUICE_MEET/$(basename "${0%/*}").$(basename "$0").began"
until [ "$(ls "$SLUICE_MEET" | grep -c began)" -ge 4 ]; do sleep 0.05; done
[ -e "$SLUICE_MEET/met" ] || ls "$SLUICE_MEET" | grep began | tr '\n' ' ' >"$SLUICE_MEET/met"
END
    chmod +x turns/tests/$t.sh
done
sed -i '1a # first: minutes' turns/tests/law/long.sh
SLUICE_TEST_PLACES=2 expect 0 turns/tests/run
[ "$(<met)" = "law.a.sh.began law.long.sh.began slurm.a.sh.began slurm.b.sh.began " ] || { bad "beside each other: $(<met)"; cat out; }
SLUICE_TEST_PLACES=0 expect 2 tests/run none
says 'SLUICE_TEST_PLACES is a number from 1 on, not 0'
expect 1 tests/run none
shows '0 passed, 0 failed'

SLUICE_LONG=1 tests/run long >out 2>&1 &
until [ -s long ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
kill -TERM $!
lives() { grep -qs . "/proc/$(cat long)/cmdline"; } # that of one that ended and was not waited for is empty
for _ in $(seq 200); do lives || break; sleep 0.1; done
lives && { bad "a test outlives SIGTERM"; kill "$(cat long)"; }
wait $!
code=$?
[ $code = 143 ] || bad "exit $code after SIGTERM: $(cat out)"
[ $failed = 0 ] && echo ok
exit $failed
