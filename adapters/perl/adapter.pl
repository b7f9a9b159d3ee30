#!/usr/bin/env perl
# Adapter for a client in Perl. Net::OAuth signs, and LWP sends.
use strict;
use warnings;
use utf8;

# --- the client: what an application would call ---

# Net::OAuth has no RSA-SHA256. It finds a further signature method as a class with this name.
package Net::OAuth::SignatureMethod::RSA_SHA256;
$INC{'Net/OAuth/SignatureMethod/RSA_SHA256.pm'} = __FILE__;
use MIME::Base64 qw(encode_base64);

sub sign {
    my ($class, $request, $key) = @_;
    $key->use_sha256_hash;
    return encode_base64($key->sign($request->signature_base_string), '');
}

package Client;
use Crypt::OpenSSL::Random qw(random_bytes);
use Encode qw(encode_utf8);
use HTTP::Request;
use JSON;
use LWP::UserAgent;
use MIME::Base64 qw(encode_base64);
use Net::OAuth;
use URI;
use URI::Escape qw(uri_unescape);
$Net::OAuth::PROTOCOL_VERSION = Net::OAuth::PROTOCOL_VERSION_1_0A;

# Takes agent, base_url, endpoint_id, consumer_key, and either secret or private_key (a Crypt::OpenSSL::RSA).
sub new { my ($class, %self) = @_; return bless \%self, $class }

sub close_day {
    my ($self, $fields) = @_;
    my ($status, $body) = $self->_post('/api/v2/close-day/', %$fields);
    return { kind => 'refused', http_status => $status } if $status == 401 || $status == 403;
    die "undecodable: HTTP status $status\n" if $status != 200;
    # Read JSON under any content type. The answer may be inside an outer object.
    my $document = eval { decode_json($body) } // die "undecodable: $@";
    my @places = ref $document eq 'HASH' ? ($document, values %$document) : ();
    ($document) = grep { ref eq 'HASH' && ref $_->{response} eq 'HASH' } @places;
    die "undecodable: there is no member \"response\"\n" if !$document || !defined $document->{theRequestSerialNumber};
    my %answer = (%{ $document->{response} }, serial => $document->{theRequestSerialNumber});
    my $state = $answer{status} // '';
    return { kind => 'finished', %answer{qw(serial gates)} } if $state eq 'finished' && ref $answer{gates} eq 'ARRAY';
    return { kind => 'error', %answer{qw(serial errorMessage)}, errorCode => "$answer{errorCode}" }
        if $state eq 'error' && defined $answer{errorCode};
    die "undecodable: the status is \"$state\"\n";
}

sub process_recurring_payments {
    my ($self, $columns, $rows) = @_;
    my $quoted = sub { my $cell = shift // ''; $cell =~ s/"/""/g; qq("$cell") };
    my $csv = join '', map { join(';', map { $quoted->($_) } @$_) . "\n" } $columns, @$rows;
    my $payload = encode_base64(encode_utf8($csv), '');
    my ($status, $body) = $self->_post('/api/v4/process-recurring-payments/', payload => $payload);
    my @params;
    for my $pair (split /&/, $body) {
        my ($name, $value) = map { s/\+/ /gr } split /=/, $pair, 2;
        # Remove the line feed at the end of each value: it is not part of the value.
        push @params, [map { Encode::decode_utf8(uri_unescape($_)) =~ s/\n\z//r } $name, $value // ''];
    }
    return { kind => 'parameters', params => \@params } if 1 == grep { $_->[0] eq 'type' } @params;
    return { kind => 'refused', http_status => $status } if $status == 401 || $status == 403;
    return { kind => 'accepted' } if $status == 200 && $body eq '';
    die "undecodable: HTTP status $status with a body that is neither empty nor parameters\n";
}

sub _post {
    my ($self, $path, %form) = @_;
    my $url = URI->new($self->{base_url} . $path . $self->{endpoint_id});
    # Net::OAuth signs the URL unchanged. RFC 5849 section 3.4.1.2 needs the host in lower case and no default port.
    $url->host(lc $url->host);
    $url->port(undef) if $url->port == $url->default_port;
    my $request = Net::OAuth->request('consumer')->new(
        consumer_key     => $self->{consumer_key},
        consumer_secret  => $self->{secret} // '',
        request_url      => $url,
        request_method   => 'POST',
        signature_method => $self->{private_key} ? 'RSA-SHA256' : 'HMAC-SHA1',
        timestamp        => time,
        nonce            => unpack('H*', random_bytes(16)),
        extra_params     => \%form,
    );
    $request->sign($self->{private_key} // ());
    my $headers = [
        Authorization  => $request->to_authorization_header,
        'Content-Type' => 'application/x-www-form-urlencoded',
    ];
    # Do not use HTTP::Request::Common::POST: after signing, it would change a line feed in a value to CRLF.
    my $encode = \&Net::OAuth::Message::encode;
    my $body = join '&', map { $encode->($_) . '=' . $encode->($form{$_}) } sort keys %form;
    my $response = $self->{agent}->request(HTTP::Request->new(POST => $url, $headers, $body));
    # Without an answer, LWP makes its own answer with status 500. LWP also cuts a broken or too long answer.
    die 'transport: ' . $response->message . "\n" if ($response->header('Client-Warning') // '') eq 'Internal response';
    die "transport: the answer broke off\n" if $response->header('X-Died') || $response->header('Client-Aborted');
    # LWP accepts a body that ends too early.
    die "transport: the answer broke off\n" if length($response->content) < ($response->header('Content-Length') // 0);
    return ($response->code, $response->content);
}

# --- the adapter: JSON lines to calls of the client and back ---

package main;
use Crypt::OpenSSL::RSA;
use JSON;
use Time::HiRes;

my $json = JSON->new->utf8->canonical;    # utf8: reads and writes UTF-8 under any locale
my ($agent, %keys);
$| = 1;    # write each line at once: by default, Perl buffers what it writes to a pipe

sub say_line { print $json->encode({@_}), "\n" }

# Performs a call, and returns one of the five outcomes.
sub perform {
    my ($case) = @_;
    my $auth = $case->{auth};
    my $pem = $auth->{private_key_pem};
    my $client = Client->new(
        agent => $agent,
        (map { $_ => $case->{$_} } qw(base_url endpoint_id)),
        (map { $_ => $auth->{$_} } qw(consumer_key secret)),
        private_key => $pem && ($keys{$pem} //= Crypt::OpenSSL::RSA->new_private_key($pem)),
    );
    my $input = $case->{input};
    my %calls = (
        'close-day' => sub { typed($client->close_day($input)) },
        'process-recurring-payments' => sub { $client->process_recurring_payments(@$input{qw(columns rows)}) },
    );
    my $call = $calls{ $case->{op} };
    return (outcome => 'unsupported', reason => "cannot do $case->{op}") if !$call || !$auth->{method};
    my $decoded = eval {
        # LWP limits only each pause, so an alarm limits the whole call. It leaves time to answer within the limit.
        local $SIG{ALRM} = sub { die "transport: the answer does not end\n" };
        Time::HiRes::alarm(($case->{deadline_ms} // 10_000) * 0.0008);
        my $answer = $call->();
        Time::HiRes::alarm(0);
        $answer;
    };
    my $error = $@;
    Time::HiRes::alarm(0);
    return (outcome => 'completed', decoded => $decoded) if $decoded;
    chomp $error;
    return (outcome => 'transport_error', reason => $error) if $error =~ s/^transport: //;
    return (outcome => 'adapter_error', message => $error) if $error !~ s/^undecodable: //;
    return (outcome => 'completed', decoded => { kind => 'undecodable', reason => $error });
}

# Puts each value of a gate under the name of its type. 64-bit integers become text.
sub typed {
    my ($answer) = @_;
    my $shape = sub {
        my ($name, $value) = @_;
        return { bool => $value } if JSON::is_bool($value);
        return { ($name eq 'gateId' || $name eq 'epntId' ? 'long' : 'text') => "$value" };
    };
    for my $gate (@{ $answer->{gates} // [] }) {
        die "undecodable: a gate is not an object\n" if ref $gate ne 'HASH';
        $gate = { map { $_ => $shape->($_, $gate->{$_} // '') } keys %$gate };
    }
    return $answer;
}

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    my $t = $message->{t};
    if ($t eq 'hello') {
        $agent = LWP::UserAgent->new(keep_alive => 1, max_redirect => 0, max_size => 8 * 1024 * 1024);
        $agent->ssl_opts(SSL_ca_file => $message->{ca_file}) if $message->{ca_file};
        say_line(
            t => 'ready', protocol => 1,
            adapter => { name => 'countersign-perl', version => '1.0.0' },
            client => {
                name => 'Net::OAuth', version => $Net::OAuth::VERSION, language => 'perl', language_version => substr("$^V", 1),
            },
            offers => {
                ops => ['close-day', 'process-recurring-payments'], signature_methods => ['HMAC-SHA1', 'RSA-SHA256'],
                stages => [], inject => [], http => JSON::false, max_in_flight => 1, validates_locally => JSON::false,
                tls => JSON::true,
            },
        );
    }
    elsif ($t eq 'ping') { say_line(t => 'pong', n => $message->{n}) }
    elsif ($t eq 'case') { say_line(t => 'result', id => $message->{id}, perform($message)) }
    elsif ($t eq 'bye') { last }
}
