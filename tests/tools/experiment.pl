# experiment.pl - reads an experiment by docs/experiment.md alone, and prints
# totals: perl experiment.pl DIR [SYMBOLS], where SYMBOLS is what nm -n prints.
# Shares nothing with the project's own readers.
use strict;
use warnings;

my ($dir, $symbols) = @ARGV;

sub lines {
    open(my $f, '<', $_[0]) or die "$_[0]: $!\n";
    my @all = <$f>;
    pop @all if @all && $all[-1] !~ /\n$/; # no end: it was cut
    chomp @all;
    return @all;
}

# The log: a key, a blank, a value.
my (%file, %reason, %counter, %kept, $cpus);
for (lines("$dir/log")) {
    my ($key, $value) = split / /, $_, 2;
    die "format $value\n" if $key eq 'simrun-experiment' && $value != 1;
    if ($key eq 'file') {
        my ($kind, $name) = split / /, $value;
        $file{$kind} = $name;
    } elsif ($key eq 'reason') {
        my ($n, $name) = split / /, $value;
        $reason{$n} = $name;
    } elsif ($key eq 'profile') {
        my ($n, $name, $period, $modes) = split / /, $value;
        $counter{$n} = $modes eq 'uk' ? $name : "$name.$modes";
    } elsif ($key eq 'records') {
        my ($kind, $n) = split / /, $value;
        $kept{$kind} = $n;
    } elsif ($key eq 'cpus') {
        $cpus = $value;
    }
}

# A record file: [kind, cpu, thread, cycle, word...] each.
sub records {
    my ($kind) = @_;
    open(my $f, '<:raw', "$dir/$file{$kind}") or die "$file{$kind}: $!\n";
    local $/;
    my $bytes = <$f>;
    my ($magic, $version, $is) = unpack 'a8 V V', $bytes;
    die "$file{$kind}: $magic $version $is\n"
        unless $magic eq 'SIMRUNEX' && $version == 1 && $is == $kind;
    my @all;
    for (my $at = 32; $at + 16 <= length $bytes;) {
        my ($size, $k, $cpu, $thread, $cycle) = unpack "\@$at v C C V Q<", $bytes;
        last if $size < 16 || $size % 8 || $at + $size > length $bytes;
        die "$file{$kind}: kind $k\n" if $k != $kind;
        my $words = ($size - 16) / 4;
        my $from = $at + 16;
        push @all, [$k, $cpu, $thread, $cycle,
            unpack "\@$from V$words", $bytes];
        $at += $size;
    }
    return @all;
}

for my $kind (sort { $a <=> $b } keys %file) {
    my $n = records($kind);
    print "kind $kind $n\n";
    die "$file{$kind}: $n records, the log says $kept{$kind}\n"
        if defined $kept{$kind} && $n != $kept{$kind};
}

# The rows of a record of kind 6: [pc, reason, twelfths] each.
sub rows {
    my @w = @_;
    return [$w[0], $w[1] >> 24, $w[2] * 2 ** 32 + $w[3]] if @w == 4;
    my ($n, $pc) = @w;
    my @bytes = unpack 'C*', pack 'V*', @w[2 .. $#w];
    my $number = sub {
        my ($value, $scale) = (0, 1);
        while (1) {
            my $byte = shift @bytes;
            $value += $scale * ($byte & 0x7F);
            return $value if $byte < 0x80;
            $scale *= 128;
        }
    };
    my @rows;
    while ($n--) {
        my $first = shift @bytes;
        my $ahead = $first >> 5;
        $pc += 4 * ($ahead == 7 ? $number->() : $ahead);
        push @rows, [$pc, $first & 31, $number->()];
    }
    return @rows;
}

# Exact cycles: kind 6, twelfths.
my (%twelfths, %at);
for (records(6)) {
    my (undef, $cpu, undef, undef, @words) = @$_;
    for my $row (rows(@words)) {
        my ($pc, $why, $n) = @$row;
        $twelfths{$cpu} += $n;
        $at{$pc} += $n unless $reason{$why} =~ /^(nap|off)$/;
    }
}
print "exact $_ ", $twelfths{$_} / 12, "\n" for sort keys %twelfths;

# Samples of the host's counters: kind 7, and the events that they stand for.
my (%samples, %events);
for (records(7)) {
    my ($n, $since) = @$_[4, 5];
    $samples{$counter{$n}}++;
    $events{$counter{$n}} += $since;
}
print "counter $_ $samples{$_} $events{$_}\n" for sort keys %samples;

# Idle samples, kind 1, by stack depth and direction.
my %idle;
$idle{$_->[4] == 1 ? 'to' : 'from'}++ for records(1);
print "idle $_ $idle{$_}\n" for sort keys %idle;

# Exact cycles of functions.
exit unless $symbols;
my (@start, @name, %cycles);
for (lines($symbols)) {
    my ($address, $type, $name) = split ' ';
    next unless $type =~ /^[tTwW]$/ && $name !~ /^\./;
    push @start, hex $address;
    push @name, $name;
}
for my $pc (keys %at) {
    my ($low, $high) = (0, scalar @start);
    while ($low < $high) {
        my $middle = int(($low + $high) / 2);
        if ($start[$middle] <= $pc) { $low = $middle + 1 }
        else { $high = $middle }
    }
    $cycles{$name[$low - 1]} += $at{$pc} if $low;
}
printf "function %s %d\n", $_, $cycles{$_} / 12 + 0.5 for sort keys %cycles;
