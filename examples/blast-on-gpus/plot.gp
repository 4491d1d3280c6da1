# Draws times.svg from times.txt, the lines of `sluice bench sedov --lines`: what is before the second remark, and several devices
# beside the one that was measured with them.
rows(place, field) = sprintf("< sed -n '1!{/^#/q}; s/.*scheme=%s+%s precision=double cells=\\([0-9]*\\),.* ranks=1 .*seconds_per_step=\\(.*\\)/\\1 \\2/p' times.txt | sort -n", place, field)
both(field) = sprintf("< bash -c \"join <(%s | sort) <(%s | sort) | sort -n\"", rows("core", field)[3:*], rows("device", field)[3:*])
shared(field) = sprintf("< sed -n 's/.*scheme=device+%s precision=double cells=128,.* ranks=\\([0-9]*\\) .*step=\\(.*\\)/\\1 \\2/p' times.txt | awk '$1 == 1 { one = $2 } { print $1, one / $2 }' | sort -nu", field)

set terminal svg size 960,360 font "sans-serif,13" background "white"
set output "times.svg"
set multiplot layout 1,3
set grid lc rgb "#dddddd"
set key top left
set xlabel "cells along an axis"
set logscale xy
set xtics (32, 64, 128, 200, 256)
set xrange [28:300]
set format y "10^{%L}"
do for [field in "none glm"] {
    set title field eq "none" ? "gas (Fig. 5)" : "with a magnetic field (Fig. 8)"
    set ylabel "seconds of a step; ratio"
    plot rows("core", field) with linespoints pt 3 lc rgb "#444444" title "core", \
         rows("device", field) with linespoints pt 1 lc rgb "#b04a00" title "device", \
         both(field) using 1:($2 / $3) with linespoints pt 12 lc rgb "#00618a" title "ratio"
}
unset logscale
unset format
set title "128^3 shared (Fig. 11)"
set xlabel "devices"
set ylabel "speedup"
set xtics (1, 2, 4)
set xrange [0.8:*]
set yrange [0:*]
plot shared("none") using 1:2 with linespoints pt 1 lc rgb "#b04a00" title "gas", \
     shared("glm") using 1:2 with linespoints pt 2 lc rgb "#00618a" title "with a field", \
     x with lines dt 2 lc rgb "#888888" title "ideal"
unset multiplot
