#!/usr/bin/env bash
# Adapter for a client in shell: jq builds requests and reads answers, openssl signs, curl sends. The script can be
# started for each case (--one-shot), or once for all cases.
set -euo pipefail
export LC_ALL=C # treat text as bytes, so that ${text//…} and printf %b do not change UTF-8

# --- the client ---

# Start jq only once, because its start takes longer than everything else. Each input line is JSON: a case or an answer.
# Each output ends with a zero byte. For a case, the output is assignments for eval (RFC 5849 sections 3.6, 3.4.1.2,
# 3.4.1.3.2 and 3.4.1.1). For an answer, the output is the result.
program='
  # @uri of jq 1.6 does not encode ! * \u0027 ( ).
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
  # jq 1.6 rounds numbers beyond 2^53, so change the ids to texts before jq reads the JSON.
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

ask_jq() { # sends a line of JSON to jq, and puts its output into REPLY
  printf '%s\n' "$1" >&"${JQ[1]}"
  IFS= read -r -d '' -u "${JQ[0]}"
}

# Reads the base string, and writes the signature. The secret is on the command line of openssl, where everybody on the
# machine can see it. So use this function only with the published test secret.
sign() {
  case $method in
    HMAC-SHA1) openssl dgst -sha1 -hmac "$key" -binary ;;
    RSA-SHA256) openssl dgst -sha256 -sign <(printf '%s\n' "$key") -binary ;;
  esac | base64 -w0
}

send() { # writes the body of the answer, then a line feed and the status
  printf %s "$body" | curl -sS --globoff --path-as-is --max-time "$limit" ${ca_file:+--cacert "$ca_file"} \
    -H "Authorization: OAuth $header" -H 'Expect:' --data-binary @- -w '\n%{http_code}' "$url" 2>&1
}

text() { # puts a JSON text into REPLY; changes control characters without a short escape to ?
  REPLY=${1//\\/\\\\} REPLY=${REPLY//\"/\\\"}
  REPLY=${REPLY//$'\n'/\\n} REPLY=${REPLY//$'\r'/\\r} REPLY=${REPLY//$'\t'/\\t}
  REPLY="\"${REPLY//[[:cntrl:]]/?}\""
}

parameters() { # puts name=value&… into REPLY as JSON pairs; removes the line feed at the end of each value
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
