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
set label 1 'delay, seconds' at screen 0.095, screen 0.8611111111 left textcolor rgb '#444444'
set object 100 rectangle from screen 0,0 to screen 1,1 behind fillstyle empty border linecolor rgb '#bbbbbb' linewidth 2
set label 2 'Delay before each retry' at screen 0.095, screen 0.9502923977 left font ',19' textcolor rgb '#111111'
set label 3 'Lines: the mean; shaded: from the shortest to the longest (of seed002: 99.7 of 100 delays)' at screen 0.095, screen 0.9093567251 left textcolor rgb '#444444'
set xlabel 'retry' textcolor rgb '#444444'
set xrange [0.5:16.5]
set xtics 1
unset logscale y
set yrange [0:819.0000106]
set ytics auto
set label 11 '[2]' at screen 0.95, screen 0.4195906433 left textcolor rgb '#c8501e'
set label 12 '[1]' at screen 0.95, screen 0.6637426901 left textcolor rgb '#0072b2'
$data1 << end_of_data
1 0.1 0.1
2 0.18898828858281252 0.3510346967116816
3 0.44828780054724854 1.0678369540988888
4 1.0941451132066988 3.157193888511341
5 2.710558212691674 9.19678046176558
6 6.779409142027917 26.53513960233773
7 17.071829536754628 76.04165064933542
8 43.212715196322236 216.78941641183243
9 109.83009903785415 608.6878813501372
10 280.0817683942477 775.4489824946583
11 419.9492676788673 779.998257578982
12 420.00000480302515 780.0000100655024
13 420.00000480302515 780.0000100655024
14 420.00000480302515 780.0000100655024
15 420.00000480302515 780.0000100655024
16 420.00000480302515 780.0000100655024
end_of_data
$data2 << end_of_data
1 1 1
2 1.049972871869471 1.950080967167633
3 1.3836487504149622 3.2956273955007913
4 1.8761649617496763 5.413308994344008
5 2.582156763535906 8.760416419709337
6 3.587928238163107 14.04227256187098
7 5.019496150958085 22.356023047763884
8 7.058620641708747 35.40854359835959
9 9.966850036039455 55.85254278626115
10 14.120523850666583 87.80572187084145
11 20.061462241177843 137.65234748053965
12 28.570310341393547 215.27983429907474
13 40.77268184891052 319.51591530165973
14 58.292837635577136 365.2308332722944
15 83.47630072661222 381.97422364530877
16 119.71247470642157 388.0325511857227
end_of_data
$data3 << end_of_data
1 0.1
2 0.27
3 0.729
4 1.9683
5 5.31441
6 14.348907
7 38.7420489
8 104.603532
9 282.3896409
10 577.9335126
11 599.9943851
12 600
13 600
14 600
15 600
16 600
end_of_data
$data4 << end_of_data
1 0.1
2 0.27
3 0.729
4 1.9683
5 5.31441
6 14.348907
7 38.7420489
8 104.603532
9 282.3896409
10 577.9335126
11 599.9943851
12 600
13 600
14 600
15 600
16 600
end_of_data
$data5 << end_of_data
1 1
2 1.5
3 2.25
4 3.375
5 5.0625
6 7.59375
7 11.390625
8 17.0859375
9 25.62890625
10 38.44335937
11 57.66503906
12 86.49740261
13 129.6591589
14 190.6236148
15 253.3465683
16 288.4484202
end_of_data
$data6 << end_of_data
1 1
2 1.5
3 2.25
4 3.375
5 5.0625
6 7.59375
7 11.390625
8 17.0859375
9 25.62890625
10 38.44335937
11 57.66503906
12 86.49740261
13 129.6591589
14 190.6236148
15 253.3465683
16 288.4484202
end_of_data
plot $data1 using 1:2:3 with filledcurves fillstyle transparent solid 0.15 noborder linecolor rgb '#0072b2' notitle, \
$data2 using 1:2:3 with filledcurves fillstyle transparent solid 0.15 noborder linecolor rgb '#c8501e' notitle, \
$data3 using 1:2 with lines linewidth 2 dashtype 1 linecolor rgb '#0072b2' notitle, \
$data4 using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb '#0072b2' notitle, \
keyentry with linespoints pointtype 7 pointsize 0.6 linewidth 2 dashtype 1 linecolor rgb '#0072b2' title '[1] seed002(100ms, x2.7, cap 10min, jitter 10%)', \
$data5 using 1:2 with lines linewidth 2 dashtype (9,4) linecolor rgb '#c8501e' notitle, \
$data6 using 1:2 with points pointtype 5 pointsize 0.6 linecolor rgb '#c8501e' notitle, \
keyentry with linespoints pointtype 5 pointsize 0.6 linewidth 2 dashtype (9,4) linecolor rgb '#c8501e' title '[2] seed002(1s, x1.5, cap 5min, jitter 10%)'
