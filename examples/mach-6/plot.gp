# Draws spectra.svg from spectra.csv: both spectra, times k to the exponent that Kritsuk et al. (2007) find.
set datafile separator ","
set terminal svg size 960,380 font "sans-serif,13" background "white"
set output "spectra.svg"
set multiplot layout 1,2
set grid lc rgb "#dddddd"
set logscale xy
set xrange [1:256]
set xlabel "k (2 pi / side of the box)"
set key bottom left
row(share, column) = sprintf("< awk -F, '$1 == %g { print $2 \",\" $%d }' spectra.csv", share, column)
do for [column = 3:4] {
    slope = column == 3 ? 1.95 : 1.69
    set title column == 3 ? "velocity: k^{1.95} E(k)" : "rho^{1/3} v: k^{1.69} E(k)"
    set arrow 1 from 5, graph 0 to 5, graph 1 nohead dt 3 lc rgb "#888888"
    set arrow 2 from 15, graph 0 to 15, graph 1 nohead dt 3 lc rgb "#888888"
    plot row(1, column) using 1:($2 * $1 ** slope) with lines lw 2 lc rgb "#00618a" title "solenoidal", \
         row(0.5, column) using 1:($2 * $1 ** slope) with lines lw 2 lc rgb "#444444" title "half and half", \
         row(0, column) using 1:($2 * $1 ** slope) with lines lw 2 lc rgb "#b04a00" title "compressive"
}
unset multiplot
