set terminal svg size 1000,684 font 'Helvetica,Arial,sans-serif,14' noenhanced background rgb 'white'
set encoding utf8
set lmargin at screen 0.095
set rmargin at screen 0.94
set key at screen 0.095, screen 0.07894736842 left top vertical maxcols 1 Left reverse samplen 5 textcolor rgb '#444444'
set border 3 linewidth 1 linecolor rgb '#999999'
set tics nomirror out scale 0.6 textcolor rgb '#444444'
set grid xtics ytics linetype 1 linewidth 0.6 linecolor rgb '#e6e6e6'
unset label
unset object 100
set tmargin at screen 0.8362573099
set bmargin at screen 0.1929824561
set format x '%g'
set label 1 'delay' at screen 0.095, screen 0.8611111111 left textcolor rgb '#444444'
set object 100 rectangle from screen 0,0 to screen 1,1 behind fillstyle empty border linecolor rgb '#bbbbbb' linewidth 2
set label 2 'Delay before each retry' at screen 0.095, screen 0.9502923977 left font ',19' textcolor rgb '#111111'
set label 3 'Lines: the mean; shaded: from the shortest to the longest; delays of 0 are not on this axis' at screen 0.095, screen 0.9093567251 left textcolor rgb '#444444'
set xlabel 'retry' textcolor rgb '#444444'
set xrange [0.5:12.5]
set xtics 1
set logscale y
set yrange [0.003333333333:7.665]
set ytics ('10 ms' 0.01, '100 ms' 0.1, '1 s' 1)
set label 11 '[1]' at screen 0.95, screen 0.3084795322 left textcolor rgb '#0072b2'
set label 12 '[2]' at screen 0.95, screen 0.4751461988 left textcolor rgb '#c8501e'
$data1 << end_of_data
1 0.0033333333333333335 0.01
2 0.0033333333333333335 0.03
3 0.0033333333333333335 0.07
4 0.0033333333333333335 0.15
5 0.0033333333333333335 0.31
6 0.0033333333333333335 0.63
7 0.0033333333333333335 1.27
8 0.0033333333333333335 2.5500000000000003
9 0.0033333333333333335 5.11
10 0.0033333333333333335 0.0033333333333333335
11 0.0033333333333333335 0.01
12 0.0033333333333333335 0.03
end_of_data
$data2 << end_of_data
1 0.005
2 0.01333333333
3 0.0275
4 0.052
5 0.095
6 0.1714285714
7 0.30875
8 0.5577777778
9 1.013
10 NaN
11 0.005
12 0.01333333333
end_of_data
$data3 << end_of_data
1 0.005
2 0.01333333333
3 0.0275
4 0.052
5 0.095
6 0.1714285714
7 0.30875
8 0.5577777778
9 1.013
11 0.005
12 0.01333333333
end_of_data
$data4 << end_of_data
1 0.1
2 0.1
3 0.1
4 0.1
5 0.1
6 0.1
7 0.1
8 0.1
9 0.1
10 0.1
11 0.1
12 0.1
end_of_data
$data5 << end_of_data
1 0.1
2 0.1
3 0.1
4 0.1
5 0.1
6 0.1
7 0.1
8 0.1
9 0.1
10 0.1
11 0.1
12 0.1
end_of_data
plot $data1 using 1:2:3 with filledcurves fillstyle transparent solid 0.15 noborder linecolor rgb '#0072b2' notitle, \
$data2 using 1:2 with lines linewidth 2 dashtype 1 linecolor rgb '#0072b2' notitle, \
$data3 using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb '#0072b2' notitle, \
keyentry with linespoints pointtype 7 pointsize 0.6 linewidth 2 dashtype 1 linecolor rgb '#0072b2' title '[1] random_slots(10ms, ceiling 10)', \
$data4 using 1:2 with lines linewidth 2 dashtype (9,4) linecolor rgb '#c8501e' notitle, \
$data5 using 1:2 with points pointtype 5 pointsize 0.6 linecolor rgb '#c8501e' notitle, \
keyentry with linespoints pointtype 5 pointsize 0.6 linewidth 2 dashtype (9,4) linecolor rgb '#c8501e' title '[2] fixed(100ms)'
