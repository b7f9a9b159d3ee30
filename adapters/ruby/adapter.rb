#!/usr/bin/env ruby
# frozen_string_literal: true

# Adapter for a client in Ruby. The oauth gem signs, and sends with Net::HTTP.
require 'csv'
require 'json'
require 'oauth'
require 'oauth/request_proxy/net_http'
require 'oauth/signature/rsa/sha1'
require 'timeout'

# The gem has no RSA-SHA256. `implements` registers a further signature method.
class RsaSha256 < OAuth::Signature::Base
  implements 'rsa-sha256'

  private

  def digest
    consumer_secret.sign(OpenSSL::Digest.new('SHA256'), signature_base_string)
  end
end

# --- the client: what an application would call ---

class Undecodable < StandardError; end

class Client
  TRANSPORT_ERRORS = [SystemCallError, IOError, SocketError, Timeout::Error, OpenSSL::SSL::SSLError,
                      Net::ProtocolError, Net::HTTPBadResponse].freeze

  # `secret` is a text for HMAC-SHA1, or an OpenSSL::PKey::RSA for RSA-SHA256.
  def initialize(base_url, endpoint_id, key, secret, ca_file: nil, limit: 30)
    @url = URI.parse(base_url)
    # Ruby distinguishes capitals when it compares the host with the name in the certificate.
    site = "#{@url.scheme}://#{@url.host.downcase}:#{@url.port}"
    @endpoint_id = endpoint_id
    @limit = limit
    method = secret.is_a?(String) ? 'HMAC-SHA1' : 'RSA-SHA256'
    # Without ca_file, the gem uses the authorities of the system. If it finds no authorities, it verifies nothing.
    options = { site: site, signature_method: method, timeout: limit, ca_file: ca_file }
    @consumer = OAuth::Consumer.new(key, secret, options.compact)
  end

  def close_day(fields)
    status, body = post('/api/v2/close-day/', fields)
    return { kind: 'refused', http_status: status } if [401, 403].include?(status)
    raise Undecodable, "HTTP status #{status}" unless status == 200

    document = JSON.parse(body) # under any content type
    unless document.key?('response')
      document = document.values.find { |inner| inner.is_a?(Hash) && inner.key?('response') }
    end
    answer = document.fetch('response')
    serial = document.fetch('theRequestSerialNumber')
    case answer['status']
    when 'finished' then { kind: 'finished', serial: serial, gates: answer.fetch('gates').to_ary }
    when 'error'
      { kind: 'error', errorCode: answer['errorCode'].to_s, errorMessage: answer['errorMessage'], serial: serial }
    else raise Undecodable, "the status is #{answer['status'].inspect}"
    end
  rescue JSON::ParserError, KeyError, NoMethodError, TypeError => e
    raise Undecodable, "#{e.class}: #{e.message}"
  end

  def process_recurring_payments(columns, rows)
    table = CSV.generate_line(columns, col_sep: ';', force_quotes: true)
    rows.each { |row| table << CSV.generate_line(row.map(&:to_s), col_sep: ';', quote_empty: columns.one?) }
    status, body = post('/api/v4/process-recurring-payments/', { 'payload' => [table].pack('m0') })
    # Remove the line feed at the end of each value: it is not part of the value.
    params = URI.decode_www_form(body).map { |name, value| [name, value.delete_suffix("\n")] }
    return { kind: 'parameters', params: params } if params.assoc('type')
    return { kind: 'refused', http_status: status } if [401, 403].include?(status)
    raise Undecodable, "HTTP status #{status}, and the body is no parameters" unless status == 200 && body.empty?

    { kind: 'accepted' }
  rescue ArgumentError => e
    raise Undecodable, e.message
  end

  private

  # Net::HTTP limits only each pause, so Timeout limits the whole call.
  def post(path, form)
    response = Timeout.timeout(@limit) do
      @consumer.request(:post, @url.path + path + @endpoint_id, nil, {}, form)
    end
    body = response.body.to_s.dup.force_encoding(Encoding::UTF_8)
    # By default, Net::HTTP accepts a body that ends too early.
    raise EOFError, 'the answer breaks off' if body.bytesize < response['content-length'].to_i

    raise Undecodable, 'the answer is not UTF-8' unless body.valid_encoding?

    [response.code.to_i, body]
  end
end

# --- the adapter: JSON lines to calls of the client and back ---

READY = {
  t: 'ready', protocol: 1,
  adapter: { name: 'countersign-ruby', version: '1.0.0' },
  client: { name: 'oauth', version: OAuth::VERSION, language: 'ruby', language_version: RUBY_VERSION },
  offers: { ops: %w[close-day process-recurring-payments], signature_methods: %w[HMAC-SHA1 RSA-SHA256], stages: [],
            inject: [], http: false, max_in_flight: 1, validates_locally: false, tls: true }
}.freeze

# Performs a call, and returns one of the five outcomes.
def perform(message, ca_file)
  auth, input = message.values_at('auth', 'input')
  secret = auth['secret'] || (auth['private_key_pem'] && OpenSSL::PKey::RSA.new(auth['private_key_pem']))
  return { outcome: 'unsupported', reason: 'no such signature method' } unless secret

  # Less than the limit of the case, so that the adapter can still answer in time.
  limit = message.fetch('deadline_ms', 10_000) / 1000.0 * 0.8
  base_url, endpoint_id = message.values_at('base_url', 'endpoint_id')
  client = Client.new(base_url, endpoint_id, auth['consumer_key'], secret, ca_file: ca_file, limit: limit)
  case message['op']
  when 'close-day' then { outcome: 'completed', decoded: typed(client.close_day(input)) }
  when 'process-recurring-payments'
    { outcome: 'completed', decoded: client.process_recurring_payments(input['columns'], input['rows']) }
  else { outcome: 'unsupported', reason: "no such operation: #{message['op']}" }
  end
rescue Undecodable => e
  { outcome: 'completed', decoded: { kind: 'undecodable', reason: e.message.scrub } }
rescue *Client::TRANSPORT_ERRORS => e
  { outcome: 'transport_error', reason: "#{e.class}: #{e.message}" }
rescue StandardError => e
  { outcome: 'adapter_error', message: "#{e.class}: #{e.message}", trace: e.backtrace.join("\n") }
end

# Puts each value of a gate under the name of its type. 64-bit integers become text.
def typed(answer)
  shape = lambda do |value|
    case value
    when true, false then { bool: value }
    when Integer then { long: value.to_s }
    else { text: value.to_s }
    end
  end
  answer[:gates]&.map! { |gate| gate.transform_values(&shape) }
  answer
rescue NoMethodError => e
  raise Undecodable, e.message
end

def say(message)
  $stdout.puts(JSON.generate(message))
end

# By default, the encoding depends on the locale, and Ruby buffers what it writes to a pipe.
$stdin.set_encoding(Encoding::UTF_8)
$stdout.set_encoding(Encoding::UTF_8)
$stdout.sync = true
ca_file = nil
while (line = $stdin.gets)
  message = JSON.parse(line)
  case message['t']
  when 'hello'
    ca_file = message['ca_file']
    say(READY)
  when 'ping' then say(t: 'pong', n: message['n'])
  when 'case' then say({ t: 'result', id: message['id'] }.merge(perform(message, ca_file)))
  when 'bye' then break
  end
end
