#!/usr/bin/env bash
# Adapter for a client in shell: jq builds and reads, openssl signs, curl sends. It fits --one-shot, where each case is
# one run of this script, and answers case after case as well.
set -euo pipefail
export LC_ALL=C # text is bytes: ${text//…} and printf %b leave UTF-8 as it is

# --- the client ---

# One jq for all of a run, since it takes longer to start than everything else. In: lines of JSON, a case or an answer.
# Out, ended by a zero byte: assignments for eval (RFC 5849: encoding 3.6, URI 3.4.1.2, normalisation 3.4.1.3.2, base
# string 3.4.1.1), or the result.
program='
  # @uri of jq 1.6 leaves ! * \u0027 ( ) bare.
  def enc: reduce (["!","%21"],["*","%2A"],["\u0027","%27"],["(","%28"],[")","%29"]) as [$from, $to]
    (@uri; split($from) | join($to));
  def form: map(map(enc) | join("=")) | join("&");
  def quoted: "\"" + ((. // "") | split("\"") | join("\"\"")) + "\"";
  def csv: ([.columns] + .rows | map(map(quoted) | join(";") + "\n")) | add;
  def base_uri: capture("^(?<scheme>https?)://(?<host>[^/:]+)(?<port>:[0-9]+)?(?<path>.*)$"; "i")
    | (.scheme + "://" + .host | ascii_downcase)
      + (if [.scheme, .port] | . == ["https", ":443"] or . == ["http", ":80"] then "" else .port // "" end) + .path;
  def prepare:
    {"close-day": "v2", "process-recurring-payments": "v4"}[.op] as $version
    | "\(.base_url)/api/\($version)/\(.op)/\(.endpoint_id)" as $url
    | (.input | if has("rows") then [["payload", (csv | @base64)]] else to_entries | map([.key, .value]) end) as $fields
    | [["oauth_consumer_key", .auth.consumer_key], ["oauth_nonce", .nonce], ["oauth_signature_method", .auth.method],
       ["oauth_timestamp", .timestamp], ["oauth_version", "1.0"]] as $oauth
    | ($oauth + $fields | map(map(enc)) | sort | map(join("=")) | join("&")) as $normalized
    | (["POST", ($url | base_uri), $normalized] | map(enc) | join("&")) as $base
    | ($oauth | map(.[0] + "=\"" + (.[1] | enc) + "\"") | join(", ")) as $header
    | (.auth.private_key_pem // ((.auth.secret | enc) + "&")) as $key
    | @sh "id=\(.id) op=\(if $version then .op else "" end) url=\($url) body=\($fields | form) base=\($base) "
      + @sh "header=\($header) method=\(.auth.method) key=\($key) limit=\((.deadline_ms // 10000) * 0.0008)";

  def wrong(reason): {kind: "undecodable", reason: reason};
  def gate: with_entries(.key as $name | .value |= if type == "boolean" then {bool: .}
    elif $name == "gateId" or $name == "epntId" then {long: tostring} else {text: tostring} end);
  def close_day: . as {response: $answer, theRequestSerialNumber: $serial}
    | if $answer.status == "finished" and ($answer.gates | type) == "array" then
        {kind: "finished", serial: $serial, gates: ($answer.gates | map(gate))}
      elif $answer.status == "error" then
        {kind: "error", serial: $serial, errorCode: ($answer.errorCode | tostring), errorMessage: $answer.errorMessage}
      else wrong("the status is \($answer.status)") end;
  # jq 1.6 rounds numbers beyond 2^53, so the ids become texts before it reads them.
  def lossless:
    gsub("\"(?<name>gateId|epntId)\"\\s*:\\s*(?<digits>-?[0-9]+)"; "\"\(.name)\":\"\(.digits)\"") | fromjson;
  def decoded:
    if .params | map(select(.[0] == "type")) | length == 1 then {kind: "parameters", params: .params}
    elif .status == 401 or .status == 403 then {kind: "refused", http_status: .status}
    elif .status != 200 then wrong("HTTP status \(.status)")
    elif .op == "close-day" then
      (.body | try lossless catch null) as $json
      | [$json, ($json | objects | .[])] | map(select(type == "object" and (.response | type) == "object"))
      | if length == 0 then wrong("the body is not the JSON of a close-day response") else .[0] | close_day end
    elif .body == "" then {kind: "accepted"}
    else wrong("the body is neither empty nor parameters") end;

  inputs | (if .op and .input then prepare
    else {t: "result", id: .id, outcome: "completed", decoded: (try decoded catch wrong(.))} | tojson end) + "\u0000"'
coproc JQ { jq -nj --unbuffered "$program"; }

ask_jq() { # the answer to one line of JSON, in REPLY
  printf '%s\n' "$1" >&"${JQ[1]}"
  IFS= read -r -d '' -u "${JQ[0]}"
}

# Base string on stdin, signature on stdout. openssl has the secret on its command line, for everybody on the machine to
# see: good enough for the published test secret, and for no other.
sign() {
  case $method in
    HMAC-SHA1) openssl dgst -sha1 -hmac "$key" -binary ;;
    RSA-SHA256) openssl dgst -sha256 -sign <(printf '%s\n' "$key") -binary ;;
  esac | base64 -w0
}

send() { # body, then a line feed and the status
  printf %s "$body" | curl -sS --globoff --path-as-is --max-time "$limit" ${ca_file:+--cacert "$ca_file"} \
    -H "Authorization: OAuth $header" -H 'Expect:' --data-binary @- -w '\n%{http_code}' "$url" 2>&1
}

text() { # a JSON text in REPLY; control characters without a short escape have no place in an answer
  REPLY=${1//\\/\\\\} REPLY=${REPLY//\"/\\\"}
  REPLY=${REPLY//$'\n'/\\n} REPLY=${REPLY//$'\r'/\\r} REPLY=${REPLY//$'\t'/\\t}
  REPLY="\"${REPLY//[[:cntrl:]]/?}\""
}

parameters() { # name=value&… as JSON pairs in REPLY; the line feed at the end of each value is not part of it
  local pair part pairs= names
  while IFS= read -r -d '&' pair || [[ $pair ]]; do
    names=
    for part in "${pair%%=*}" "${pair#*=}"; do
      part=${part//\\/\\\\} part=${part//+/ }
      printf -v part %b "${part//%/\\x}"
      text "${part%$'\n'}"
      names+=,$REPLY
    done
    pairs+=",[${names#,}]"
  done < <(printf %s "$1")
  REPLY="[${pairs#,}]"
}

# --- the adapter ---

say() { printf '%s\n' "$1"; }

perform() {
  local id op url body base header method key limit timestamp nonce signature answer params='[]' fresh
  printf -v fresh '{"timestamp":"%(%s)T","nonce":"%08x%08x%08x%08x",' -1 "$SRANDOM" "$SRANDOM" "$SRANDOM" "$SRANDOM"
  ask_jq "$fresh${1#\{}"
  eval "$REPLY"
  if [[ ! $op ]]; then
    say "{\"t\":\"result\",\"id\":\"$id\",\"outcome\":\"unsupported\",\"reason\":\"no such operation\"}"
    return
  fi
  signature=$(printf %s "$base" | sign)
  signature=${signature//+/%2B} signature=${signature//\//%2F}
  header+=", oauth_signature=\"${signature//=/%3D}\""
  if ! answer=$(send); then
    text "$answer"
    say "{\"t\":\"result\",\"id\":\"$id\",\"outcome\":\"transport_error\",\"reason\":$REPLY}"
    return
  fi
  body=${answer%$'\n'*}
  if [[ $op == process-recurring-payments ]]; then parameters "$body" && params=$REPLY; fi
  text "$body"
  ask_jq "{\"id\":\"$id\",\"op\":\"$op\",\"status\":${answer##*$'\n'},\"params\":$params,\"body\":$REPLY}"
  say "$REPLY"
}

ready='{"t":"ready","protocol":1,
"adapter":{"name":"countersign-shell","version":"1.0.0"},
"client":{"name":"curl and openssl","language":"bash","language_version":"'${BASH_VERSION%%(*}'"},
"offers":{"ops":["close-day","process-recurring-payments"],"signature_methods":["HMAC-SHA1","RSA-SHA256"],
"stages":[],"inject":[],"http":false,"max_in_flight":1,"validates_locally":false,"tls":true}}'
ca_file=
while IFS= read -r line; do
  [[ $line =~ ^\{\"t\":\"([a-z]+)\" ]] || continue
  case ${BASH_REMATCH[1]} in
    hello)
      if [[ $line =~ \"ca_file\":\"([^\"]*)\" ]]; then ca_file=${BASH_REMATCH[1]}; fi
      say "${ready//$'\n'/}" # one line
      ;;
    ping) say "${line/ping/pong}" ;;
    case) perform "$line" ;;
    bye) break ;;
  esac
done
