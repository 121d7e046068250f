# judge.pl SWITCHES TICK SYSTEM < REPORT - are the samples of idle_samples.ko true?
# SWITCHES is the switch.rec of the same run, TICK the cycles of a tick of the time
# base, SYSTEM a file with the numbers of threads that are not of interest, one a
# line. Prints for each kind how many samples there are, how many of them name
# another thread than the context switches do, and how many lie in no idle period.
use strict;
use warnings;

my ($switches, $tick, $system) = @ARGV;
my (%of_none, @turn);

open(my $in, '<', $system) or die "$system: $!\n";
while (<$in>) { $of_none{$1} = 1 if /^(\d+)/ }
close $in;

# $turn[CPU] has [cycle, thread that leaves, thread that comes].
open($in, '<:raw', $switches) or die "$switches: $!\n";
my $all = do { local $/; <$in> };
for (my $at = 32; $at < length $all;) {
    my ($size, $kind, $cpu, $comes, $low, $high, $pid, $out_pid, $leaves) =
        unpack('vCCVVVVVV', substr($all, $at, 36));
    push @{$turn[$cpu]}, [$high * 2**32 + $low, $leaves, $comes];
    $at += $size;
}

sub interesting { return !$of_none{$_[0]} }

# The last turn that began by then.
sub turn_at {
    my ($cpu, $cycle) = @_;
    my ($low, $high) = (0, scalar @{$turn[$cpu]});
    while ($low < $high) {
        my $mid = int(($low + $high) / 2);
        if ($turn[$cpu][$mid][0] <= $cycle) { $low = $mid + 1 } else { $high = $mid }
    }
    return $low - 1;
}

my (%count, %other, %busy);
while (<STDIN>) {
    my ($kind, $cpu, $time, $thread) = /^sample (\S+) (\d+) (\d+) (\d+)/ or next;
    my $n = turn_at($cpu, $time * $tick);
    my $row = $turn[$cpu];
    $count{$kind}++;
    $busy{$kind}++ if $row->[$n][2] != 32768 + $cpu;
    if ($kind eq 'to-idle') {
        $n-- while $n >= 0 && !interesting($row->[$n][1]);
        $other{$kind}++ if $n < 0 || $row->[$n][1] != $thread;
    } else {
        $n++;
        $n++ while $n < @$row && !interesting($row->[$n][2]);
        $other{$kind}++ if $n == @$row || $row->[$n][2] != $thread;
    }
}
printf "%s %d %d %d\n", $_, $count{$_}, $other{$_} // 0, $busy{$_} // 0 for sort keys %count;
