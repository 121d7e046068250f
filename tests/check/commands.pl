# commands.pl - commands and options that messages and documents name, but that
# do not exist. Argument: the folder of the programs. Prints a line for each.
use strict;
use warnings;

my $build = shift;

sub text_of {
    my ($name) = @_;
    open my $in, '<', $name or die "$name: $!\n";
    local $/;
    my $text = <$in>;
    return $text // '';
}

# What the programs say they have.
my (%options, %word);
for my $program (['simrun', 'simrun --help=all'], ['simmark', 'simmark --help'],
    ['simview', 'simview --help'], ['sweep', 'simrun sweep --help']) {
    my ($name, $command) = @$program;
    my $said = `"$build"/$command 2>&1`;
    $options{$name}{$1} = 1 while $said =~ /--([a-z][a-z0-9-]+)/g;
    $word{$name}{$_} = 1
        for $said =~ /\b((?:[a-z]+\|){3,}[a-z]+) FILE/ ? split /\|/, $1 : ();
}
my $said = text_of('tools/simprof/session/options.def');
$options{simprof}{$1} = 1 while $said =~ /^OPTION\(\w+,\s*"([a-z0-9-]+)"/mg;
$options{simprof}{$_} = 1 for qw(help version help-all);
$said = text_of('tools/simprof/report/reports.def')
    . text_of('tools/simprof/session/commands.def');
while ($said =~ /^(?:REPORT|COMMAND|SETTING|ALIAS)\((\w+)/mg) {
    my $name = $1 =~ tr/_/-/r;
    $word{simprof}{$name} = 1;
    $word{simprof}{$name =~ tr/-/ /r} = 1; # tree build
}
$word{simprof}{help} = 1;
die "a program says nothing of itself\n"
    if grep { !keys %{$options{$_}} } qw(simrun simprof simmark simview);
my %any = map { %{$options{$_}} } keys %options;

# Words behind a name that are of the sentence and not of the command.
my %prose = map { $_ => 1 } qw(a after also and answers are as asks at before
    built by can cannot comes counts did does finds for from gives had has
    here in is it itself keeps knew knows lists made makes makes marks may must
    needs of on only opens or prints put reads refuses run says shows so starts
    stops takes tells that the then there to understands uses was were what
    where which with would writes wrote);

# Options of others: compilers, linkers, profilers, the emulator.
my %others = map { $_ => 1 } qw(gc-sections inclusive max-stack symfs);

sub check {
    my ($file, $text) = @_;
    while ($text =~ /(?<![\w.-])(simrun|simprof|simmark|simview)[ ]+(--?)?([a-z][a-z0-9-]*)(?![\w.\/])(?:[ ]([a-z]+))?/g) {
        my ($program, $dash, $name, $next) = ($1, $2, $3, $4 // '');
        if ($dash) {
            print "$file: $program has no --$name\n"
                if $dash eq '--' && !$options{$program}{$name};
        } elsif ($program =~ /prof|mark/) {
            print "$file: $program has no command $name $next\n"
                unless $word{$program}{$name} || $word{$program}{"$name $next"}
                || $prose{$name};
        }
    }
    while ($text =~ /(?<![\w-])--([a-z][a-z0-9-]*)/g) {
        print "$file: no program has --$1\n" unless $any{$1} || $others{$1};
    }
}

# Strings of C, those that follow each other as one.
my @rooms = `tests/setup/sources c,h,def lib pmu sim tools`;
chomp @rooms;
for my $file (@rooms) {
    my $text = text_of($file);
    $text =~ s{/\*.*?\*/}{}sg;
    $text =~ s{^#include.*}{}mg;
    $text =~ s{"\s*\n\s*"}{}g;
    while ($text =~ /"((?:[^"\\\n]|\\.)*)"/g) {
        check($file, $1 =~ s/\\n/\n/gr);
    }
}

# What documents have between backticks, and in blocks of commands.
for my $file (glob('README.md CONTRIBUTING.md docs/*.md')) {
    my $text = text_of($file);
    my $blocks = '';
    while ($text =~ /^```\w*\n(.*?)^```/msg) {
        my $block = $1;
        $block =~ s/\\\n\s*/ /g;
        $blocks .= "$_\n" for grep { m{^\s*(?:\$ )?(?:build/)?sim(?:run|prof|mark|view)\b} } split /\n/, $block;
    }
    $text =~ s/^```\w*\n.*?^```//msg;
    check($file, $blocks);
    while ($text =~ /`([^`]+)`/g) {
        check($file, $1 =~ s/\s+/ /gr);
    }
}
