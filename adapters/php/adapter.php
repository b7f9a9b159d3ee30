#!/usr/bin/env php
<?php
/** Adapter for a client in PHP. The OAuth extension of PECL and OpenSSL sign, and curl sends. */
declare(strict_types=1);

// Standard output may have only lines of the protocol. By default, PHP also prints warnings there.
ini_set('display_errors', 'stderr');

// --- the client: what an application would call ---

class TransportError extends RuntimeException
{
}

class Undecodable extends RuntimeException
{
}

class Client
{
    private CurlHandle $curl;

    public function __construct(?string $caFile)
    {
        $this->curl = curl_init();
        curl_setopt_array($this->curl, [
            CURLOPT_POST => true,
            CURLOPT_PATH_AS_IS => true,
            // If the server has closed a kept connection, curl sends the request again: the same nonce, and perhaps the
            // same payments. So use a new connection for each request.
            CURLOPT_FRESH_CONNECT => true,
            // Count the received bytes, because curl does not limit an answer without Content-Length.
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => fn ($curl, $total, $received) => $received > 8 * 1024 * 1024 ? 1 : 0,
            CURLOPT_RETURNTRANSFER => true,
        ] + ($caFile === null ? [] : [CURLOPT_CAINFO => $caFile]));
    }

    public function closeDay(string $url, array $credentials, array $fields, int $limitMs): array
    {
        [$status, $body] = $this->post($url, $credentials, $fields, $limitMs);
        if ($status === 401 || $status === 403) {
            return ['kind' => 'refused', 'http_status' => $status];
        }
        if ($status !== 200) {
            throw new Undecodable("HTTP status $status");
        }
        // Read JSON under any content type. Integers of more than 64 bits become text, not floats.
        $document = json_decode($body, false, 100, JSON_BIGINT_AS_STRING);
        $candidates = $document instanceof stdClass ? [$document, ...array_values((array) $document)] : [];
        foreach ($candidates as $candidate) {
            $answer = $candidate->response ?? null;
            $serial = $candidate->theRequestSerialNumber ?? null;
            if ($answer instanceof stdClass && is_string($serial)) {
                return self::closeDayAnswer($answer, $serial);
            }
        }
        throw new Undecodable('the body is not the JSON of a close-day response: ' . json_last_error_msg());
    }

    private static function closeDayAnswer(stdClass $answer, string $serial): array
    {
        $status = $answer->status ?? null;
        $gates = is_array($answer->gates ?? null) ? $answer->gates : [null];
        if ($status === 'finished' && $gates === array_filter($gates, 'is_object')) {
            return ['kind' => 'finished', 'serial' => $serial, 'gates' => array_map('get_object_vars', $gates)];
        }
        $code = $answer->errorCode ?? null;
        $message = $answer->errorMessage ?? null;
        if ($status === 'error' && is_scalar($code) && is_string($message)) {
            return ['kind' => 'error', 'errorCode' => (string) $code, 'errorMessage' => $message, 'serial' => $serial];
        }
        throw new Undecodable('the status is ' . json_encode($status));
    }

    public function processRecurringPayments(string $url, array $credentials, object $table, int $limitMs): array
    {
        $file = fopen('php://memory', 'r+');
        // Column names must have quotes. fputcsv puts quotes only around cells that need quotes.
        $quoted = array_map(fn ($name) => '"' . str_replace('"', '""', $name) . '"', $table->columns);
        fwrite($file, implode(';', $quoted) . "\n");
        foreach ($table->rows as $row) {
            fputcsv($file, $row, ';', '"', '', "\n");
        }
        $payload = base64_encode(stream_get_contents($file, null, 0));
        [$status, $body] = $this->post($url, $credentials, ['payload' => $payload], $limitMs);
        // Do not use parse_str, which changes names. Remove the line feed at the end of each value.
        $params = [];
        foreach (explode('&', $body) as $pair) {
            [$name, $value] = array_map('urldecode', explode('=', $pair, 2) + [1 => '']);
            $params[] = [$name, preg_replace('/\n\z/', '', $value)];
        }
        if (array_count_values(array_column($params, 0))['type'] ?? 0) {
            return ['kind' => 'parameters', 'params' => $params];
        }
        if ($status === 401 || $status === 403) {
            return ['kind' => 'refused', 'http_status' => $status];
        }
        if ($status !== 200 || $body !== '') {
            throw new Undecodable("HTTP status $status with a body that is neither empty nor parameters");
        }
        return ['kind' => 'accepted'];
    }

    private function post(string $url, array $credentials, array $fields, int $limitMs): array
    {
        $authorization = isset($credentials['secret'])
            ? self::hmacHeader($url, $credentials, $fields)
            : self::rsaHeader($url, $credentials, $fields);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $url,
            CURLOPT_POSTFIELDS => http_build_query($fields),
            CURLOPT_HTTPHEADER => ["Authorization: $authorization", 'Expect:'],
            CURLOPT_TIMEOUT_MS => $limitMs,
        ]);
        $body = curl_exec($this->curl);
        if ($body === false) {
            throw new TransportError(curl_error($this->curl));
        }
        return [curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $body];
    }

    private static function hmacHeader(string $url, array $credentials, array $fields): string
    {
        $oauth = new OAuth($credentials['consumer_key'], $credentials['secret'], OAUTH_SIG_METHOD_HMACSHA1);
        $oauth->setNonce(bin2hex(random_bytes(16)));
        return $oauth->getRequestHeader('POST', $url, $fields);
    }

    /** The extension has no RSA-SHA256, so OpenSSL signs the base string of the extension. */
    private static function rsaHeader(string $url, array $credentials, array $fields): string
    {
        $parameters = [
            'oauth_consumer_key' => $credentials['consumer_key'],
            'oauth_nonce' => bin2hex(random_bytes(16)),
            'oauth_signature_method' => 'RSA-SHA256',
            'oauth_timestamp' => (string) time(),
            'oauth_version' => '1.0',
        ];
        $base = oauth_get_sbs('POST', $url, $parameters + $fields);
        openssl_sign($base, $signature, $credentials['private_key_pem'], 'sha256');
        $parameters['oauth_signature'] = base64_encode($signature);
        $pair = fn ($name, $value) => $name . '="' . oauth_urlencode($value) . '"';
        return 'OAuth ' . implode(', ', array_map($pair, array_keys($parameters), $parameters));
    }
}

// --- the adapter: JSON lines to calls of the client and back ---

function say(array $message): void
{
    // Without these flags, json_encode returns false for text that is not UTF-8, and an empty line is printed.
    $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;
    fwrite(STDOUT, json_encode($message, $flags) . "\n");
}

/** Performs a call, and returns one of the five outcomes. */
function perform(Client $client, stdClass $case): array
{
    $auth = (array) $case->auth;
    // Less than the limit of the case, so that the adapter can still answer in time.
    $limitMs = (int) (($case->deadline_ms ?? 10000) * 0.8);
    if (!isset($auth['secret']) && !isset($auth['private_key_pem'])) {
        return ['outcome' => 'unsupported', 'reason' => 'no such signature method'];
    }
    try {
        switch ($case->op) {
            case 'close-day':
                $url = "$case->base_url/api/v2/close-day/$case->endpoint_id";
                return completed(typed($client->closeDay($url, $auth, (array) $case->input, $limitMs)));
            case 'process-recurring-payments':
                $url = "$case->base_url/api/v4/process-recurring-payments/$case->endpoint_id";
                return completed($client->processRecurringPayments($url, $auth, $case->input, $limitMs));
            default:
                return ['outcome' => 'unsupported', 'reason' => "no such operation: $case->op"];
        }
    } catch (Undecodable $cause) {
        return completed(['kind' => 'undecodable', 'reason' => $cause->getMessage()]);
    } catch (TransportError $cause) {
        return ['outcome' => 'transport_error', 'reason' => $cause->getMessage()];
    } catch (Throwable $cause) {
        return ['outcome' => 'adapter_error', 'message' => $cause->getMessage(), 'trace' => $cause->getTraceAsString()];
    }
}

function completed(array $decoded): array
{
    return ['outcome' => 'completed', 'decoded' => $decoded];
}

/** Puts each value of a gate under the name of its type. 64-bit integers become text. */
function typed(array $answer): array
{
    $shape = fn ($value) => match (true) {
        is_bool($value) => ['bool' => $value],
        is_int($value) => ['long' => (string) $value],
        default => ['text' => is_string($value) ? $value : json_encode($value)],
    };
    foreach ($answer['gates'] ?? [] as $at => $gate) {
        $answer['gates'][$at] = array_map($shape, $gate);
    }
    return $answer;
}

$client = null;
while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line);
    switch ($message->t) {
        case 'hello':
            $client = new Client($message->ca_file ?? null);
            say(['t' => 'ready', 'protocol' => 1,
                'adapter' => ['name' => 'countersign-php', 'version' => '1.0.0'],
                'client' => ['name' => 'pecl/oauth', 'version' => phpversion('oauth'),
                    'language' => 'php', 'language_version' => PHP_VERSION],
                'offers' => ['ops' => ['close-day', 'process-recurring-payments'],
                    'signature_methods' => ['HMAC-SHA1', 'RSA-SHA256'], 'stages' => [], 'inject' => [], 'http' => false,
                    'max_in_flight' => 1, 'validates_locally' => false, 'tls' => true]]);
            break;
        case 'ping':
            say(['t' => 'pong', 'n' => $message->n]);
            break;
        case 'case':
            say(['t' => 'result', 'id' => $message->id] + perform($client, $message));
            break;
        case 'bye':
            exit(0);
    }
}
