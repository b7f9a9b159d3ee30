#!/bin/sh
# Calls the mock at the base URL in $1 with openssl and curl alone: a close-day, a batch of one payment, and the same batch unsigned.
# Run it in the root of a clone: it signs with the published test key.

enc() { local s=$1 c; while [ -n "$s" ]; do c=${s%"${s#?}"}; s=${s#?}
  case $c in [A-Za-z0-9._~-]) printf '%s' "$c";; *) printf '%%%02X' "'$c";; esac; done; }

# close-day, HMAC-SHA1: the key is the encoded consumer secret and an ampersand
url=$1/api/v2/close-day/1111
id=$(openssl rand -hex 8) nonce=$(openssl rand -hex 16) time=$(date +%s)
params="day_close_request_id=$id&oauth_consumer_key=countersign-test&oauth_nonce=$nonce"
params="$params&oauth_signature_method=HMAC-SHA1&oauth_timestamp=$time&oauth_version=1.0"
signature=$(printf '%s' "POST&$(enc "$url")&$(enc "$params")" |
  openssl dgst -sha1 -hmac 'published-secret-for-tests-only&' -binary | openssl base64 -A)
curl -sS "$url" --data-urlencode "day_close_request_id=$id" -H "Authorization: OAuth \
oauth_consumer_key=\"countersign-test\", oauth_signature_method=\"HMAC-SHA1\", oauth_timestamp=\"$time\", \
oauth_nonce=\"$nonce\", oauth_version=\"1.0\", oauth_signature=\"$(enc "$signature")\""
echo

# process-recurring-payments, RSA-SHA256: the payload is a CSV in base64
url=$1/api/v4/process-recurring-payments/1111
payload=$(printf '"client-orderid";"recurring-payment-id";"amount"\norder-1;1234567890;10.42\n' | openssl base64 -A)
nonce=$(openssl rand -hex 16) time=$(date +%s)
params="oauth_consumer_key=countersign-test&oauth_nonce=$nonce&oauth_signature_method=RSA-SHA256"
params="$params&oauth_timestamp=$time&oauth_version=1.0&payload=$(enc "$payload")"
signature=$(printf '%s' "POST&$(enc "$url")&$(enc "$params")" |
  openssl dgst -sha256 -sign contracts/vectors/keys/rsa-test-private.pem | openssl base64 -A)
curl -sS -w 'HTTP %{http_code}, %{size_download} bytes\n' "$url" --data-urlencode "payload=$payload" \
  -H "Authorization: OAuth oauth_consumer_key=\"countersign-test\", oauth_signature_method=\"RSA-SHA256\", \
oauth_timestamp=\"$time\", oauth_nonce=\"$nonce\", oauth_version=\"1.0\", oauth_signature=\"$(enc "$signature")\""

# the same without a signature
curl -sS -w 'HTTP %{http_code}, %{size_download} bytes\n' "$url" --data-urlencode "payload=$payload"
