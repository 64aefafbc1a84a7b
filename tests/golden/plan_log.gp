set terminal svg size 1000,633 font 'Helvetica,Arial,sans-serif,14' noenhanced background rgb 'white'
set encoding utf8
set lmargin at screen 0.095
set rmargin at screen 0.975
set key at screen 0.095, screen 0.0916271722 left top vertical maxcols 1 Left reverse samplen 3 textcolor rgb '#222222'
set border 3 linewidth 1 linecolor rgb '#999999'
set tics nomirror out scale 0.6 textcolor rgb '#444444'
set grid xtics ytics linetype 1 linewidth 0.6 linecolor rgb '#e6e6e6'
set tmargin at screen 0.9052132701
set bmargin at screen 0.2101105845
set label 1 'delay, logarithmic' at screen 0.018, screen 0.5576619273 center rotate textcolor rgb '#444444'
set format x '%g'
set xlabel 'retry' textcolor rgb '#444444'
set xrange [0.5:12.5]
set xtics 1
set logscale y
set ytics ('10 ms' 0.01, '100 ms' 0.1, '1 s' 1)
set yrange [0.0033333333333333335:7.665000000000001]
set label 2 'Mean delay before each retry; shaded: from the shortest to the longest; delays of 0 are not on this axis' at graph 0, screen 0.9526066351 left textcolor rgb '#222222'
$policy1 << end_of_data
1 0.0033333333333333335 0.005 0.01
2 0.0033333333333333335 0.013333333333333336 0.03
3 0.0033333333333333335 0.0275 0.07
4 0.0033333333333333335 0.052000000000000005 0.15
5 0.0033333333333333335 0.095 0.31
6 0.0033333333333333335 0.17142857142857143 0.63
7 0.0033333333333333335 0.30875 1.27
8 0.0033333333333333335 0.5577777777777778 2.5500000000000003
9 0.0033333333333333335 1.013 5.11
10 0.0033333333333333335 NaN 0.0033333333333333335
11 0.0033333333333333335 0.005 0.01
12 0.0033333333333333335 0.013333333333333336 0.03
end_of_data
$policy2 << end_of_data
1 0.1 0.1 0.1
2 0.1 0.1 0.1
3 0.1 0.1 0.1
4 0.1 0.1 0.1
5 0.1 0.1 0.1
6 0.1 0.1 0.1
7 0.1 0.1 0.1
8 0.1 0.1 0.1
9 0.1 0.1 0.1
10 0.1 0.1 0.1
11 0.1 0.1 0.1
12 0.1 0.1 0.1
end_of_data
plot $policy1 using 1:2:4 with filledcurves fillstyle transparent solid 0.15 noborder linecolor rgb '#0072b2' notitle, \
$policy1 using 1:3 with linespoints pointsize 0.6 pointtype 7 linewidth 2 dashtype 1 linecolor rgb '#0072b2' title 'random_slots(10ms, ceiling 10)', \
$policy2 using 1:3 with linespoints pointsize 0.6 pointtype 5 linewidth 2 dashtype 1 linecolor rgb '#2a9d3a' title 'fixed(100ms)'
