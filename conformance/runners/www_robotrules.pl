use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
use WWW::RobotRules;

open my $file, "<:raw", $ARGV[0] or die "$ARGV[0]: $!";
my $suite = JSON::PP->new->utf8->decode(do { local $/; <$file> });
for my $case (@{ $suite->{cases} }) {
    my $answer = "? takes one name";
    if (defined $case->{crawler} && @{ $case->{crawler} } == 1) {
        my ($robots, $url) = map { field($case, $_) } "robots", "url";
        my $rules = WWW::RobotRules->new($case->{crawler}[0]);
        # It answers for the host of the file only.
        my ($origin) = $url =~ m{^(https?://[^/?#]+)}i;
        if (!defined $origin) { $answer = "? takes URLs with a host" }
        else {
            # It warns of what it does not know, on standard error.
            local $SIG{__WARN__} = sub { };
            my $allowed = eval { $rules->parse("$origin/robots.txt", $robots); $rules->allowed($url) };
            $answer = $@ ? "? dies" : $allowed == 1 ? "allow" : $allowed == 0 ? "disallow" : "? answers $allowed";
        }
    }
    print "$case->{id}\t$answer\n";
}

sub field {
    my ($case, $name) = @_;
    return decode_base64($case->{"${name}_base64"}) if defined $case->{"${name}_base64"};
    my $text = $case->{$name};
    utf8::encode($text);
    return $text;
}
