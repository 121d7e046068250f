#!/usr/bin/perl
# slices.pl PAGE.json FROM TO - what the page of `simprof html` has of the slices
# from one of its edges to another, as lines of text: `functions NAME TWELFTHS`,
# `causes WHAT FUNCTIONS CYCLES`, `calls METRIC PATH EVENTS` of the node alone,
# `states STATE CYCLES`; FROM and TO are numbers of edges. Without them: the edges.
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

# By number, what slices have.
sub sums {
    my @bytes = unpack 'C*', decode_base64($s->{$_[0]});
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
            $sum{$what} += $n if $slice >= $from && $slice < $to;
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
