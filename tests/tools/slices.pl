#!/usr/bin/perl
# slices.pl PAGE.json FROM TO - what the page of `simprof html` has of the slices
# from one of its edges to another, as lines of text: `functions NAME TWELFTHS`,
# `causes WHAT FUNCTIONS CYCLES`, `calls METRIC PATH EVENTS` of the node alone,
# `states STATE CYCLES`, `locks NAME PROCESS WAITS WAITED LONGEST HELD LONGEST HOLDS
# PATH HOLDERS...`, `threads NUMBER GROUPS... EXACT`, `truth COUNTER FUNCTION EXACT
# FOUND`; FROM and TO are numbers of edges. Without them: the edges.
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;

my ($page, $from, $to) = @ARGV;
open my $file, '<', $page or die "$page: $!\n";
my $s = decode_json(do { local $/; <$file> })->{slices};
binmode STDOUT, ':utf8';
if (!defined $to) {
    print "@{$s->{edges}}\n";
    exit;
}

# By number, what slices have; what is no sum is the most of it.
sub sums {
    my ($name, $of, $most) = @_;
    $of //= $s;
    $most //= sub { 0 };
    my @bytes = unpack 'C*', decode_base64($of->{$name});
    my ($slice, %sum) = (0);
    my $number = sub {
        my ($n, $by, $b) = (0, 1);
        do { $b = shift @bytes; $n += ($b & 127) * $by; $by *= 128; } while ($b > 127);
        return $n;
    };
    while (@bytes) {
        my $what = 0;
        for (my $k = $number->(); $k > 0; $k--) {
            $what += $number->();
            my $n = $number->();
            next unless $slice >= $from && $slice < $to;
            $sum{$what} = $most->($what) ? ($sum{$what} // 0) > $n ? $sum{$what} : $n : ($sum{$what} // 0) + $n;
        }
        $slice++;
    }
    die "$slice slices of $_[0]\n" if $slice + 1 != @{$s->{edges}};
    return %sum;
}

my (%functions, %causes, %states);
my %account = sums('account');
$functions{$s->{functions}[$s->{cells}[3 * $_ + 1]]} += $account{$_} for keys %account;
print "functions $_ $functions{$_}\n" for sort keys %functions;

my %charged = sums('causes');
for (keys %charged) {
    my $root = $s->{roots}[$s->{charges}[2 * $_]];
    $causes{"$root->[0] $root->[1]"} += $charged{$_};
}
print "causes $_ $causes{$_}\n" for sort keys %causes;
my (%spun, %spins) = ();
%spins = sums('spins');
for (keys %spins) {
    my $root = $s->{roots}[$s->{charges_spins}[2 * $_]];
    $spun{"$root->[0] $root->[1]"} += $spins{$_};
}
print "spins $_ $spun{$_}\n" for sort keys %spun;

my %stacks = sums('stacks');
my $metrics = @{$s->{metrics}};
for my $k (sort { $a <=> $b } keys %stacks) {
    my $path = '';
    for (my $n = int($k / $metrics); $n; $n = $s->{nodes}[2 * $n]) {
        my $f = $s->{nodes}[2 * $n + 1];
        $path = '/' . ($f < 0 ? '<all others>' : $s->{functions}[$f]) . $path;
    }
    print "calls $s->{metrics}[$k % $metrics] $path $stacks{$k}\n";
}

for my $of (@{$s->{states}}[$from .. $to - 1]) {
    $states{$_} += $of->{$_} for keys %$of;
}
print "states $_ $states{$_}\n" for sort keys %states;

my ($begin, $end) = map { $s->{edges}[$_] } $from, $to;
my $locks = $s->{locks};
my %lock = sums('sums', $locks, sub { my $f = $_[0] % 23; $f < 15 && $f % 3 == 2 });
my @spans = @{$locks->{spans}};
while (my ($what, $a, $b) = splice @spans, 0, 3) {
    next if $what % 5 == 2 || $what % 5 == 4; # takings are of where they begin
    $a = $begin if $a < $begin;
    $b = $end if $b > $end;
    my $at = 23 * int($what / 5) + 3 * ($what % 5);
    next unless $a < $b;
    $lock{$at}++;
    $lock{$at + 1} += $b - $a;
    $lock{$at + 2} = $b - $a if $b - $a > ($lock{$at + 2} // 0);
}
my (@leg, %path);
my @legs = @{$locks->{legs}};
while (@legs) {
    my ($slice, $next, $cycles, $count) = splice @legs, 0, 4;
    push @leg, [$slice, $next, $cycles, splice @legs, 0, 2 * $count];
}
for (my $n = $locks->{last}[$to - 1]; $n >= 0 && $leg[$n][0] >= $from; $n = $leg[$n][1]) {
    my (undef, undef, undef, %charge) = @{$leg[$n]};
    $path{$_} += $charge{$_} for keys %charge;
}
for my $k (0 .. $#{$locks->{names}}) {
    my @is = map { $lock{23 * $k + $_} // 0 } 0 .. 22;
    print "locks $locks->{names}[$k][0] $locks->{names}[$k][1] @is[0, 1, 2, 4, 5, 3] ${\ ($path{$k} // 0)} @is[17 .. 22]\n" if $is[0] || $is[22];
}

my %thread = sums('sums', $s->{threads});
for my $k (0 .. $#{$s->{threads}{threads}}) {
    my @is = map { $thread{8 * $k + $_} // 0 } 0 .. 7;
    print "threads $s->{threads}{threads}[$k] @is[0 .. 6] ${\ int(($is[7] + 6) / 12)}\n";
}

# A page of a part of the run may begin or end where no interval of the account does.
my $truth = $s->{truth};
my @judged = @{$truth->{judged}};
my %sample = sums('sums', $truth);
for my $k (0 .. $#judged) {
    next if !$from && !$truth->{begins} || $to == $#{$s->{edges}} && !$truth->{ends};
    my ($mode, $exact, $met, %is, %hit) = ($judged[$k][1], 0, 0);
    for my $n (0 .. $#{$truth->{functions}}) {
        my ($named, $found) = map { $sample{2 * ($n * @judged + $k) + $_} // 0 } 0, 1;
        my $f = $truth->{functions}[$n];
        next unless $named || $found;
        $hit{$f} += $found;
        $is{$f} += $named if $mode < 0;
    }
    for my $c ($mode < 0 ? () : keys %account) {
        my ($f, $reason) = @{$s->{cells}}[3 * $c + 1, 3 * $c + 2];
        my $system = $s->{functions}[$f] eq '<napping>' || $truth->{system}[$reason];
        next if $s->{functions}[$f] eq '<parked>' || $mode && ($system ? 2 : 1) != $mode;
        $is{$f} += $account{$c} if $account{$c};
    }
    $exact += $_ for values %is;
    $met += $_ for values %hit;
    for my $f ($met && $exact ? keys %{{%is, %hit}} : ()) {
        printf "truth %s %s %.4f %.4f\n", $judged[$k][0], $s->{functions}[$f], ($is{$f} // 0) / $exact, ($hit{$f} // 0) / $met;
    }
}
