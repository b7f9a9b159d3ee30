"""A complete, short adapter. Replace post, close_day, payload and recurring by your client."""
import base64, csv, io, json, sys
from urllib.parse import parse_qsl

import requests
from oauthlib.oauth1 import SIGNATURE_RSA_SHA256
from requests_oauthlib import OAuth1


def post(case, path, form, ca_file):
    auth = case["auth"]
    if auth["method"] == "HMAC-SHA1":
        oauth = OAuth1(auth["consumer_key"], client_secret=auth["secret"])
    else:
        oauth = OAuth1(auth["consumer_key"], rsa_key=auth["private_key_pem"], signature_method=SIGNATURE_RSA_SHA256)
    url = case["base_url"] + path + case["endpoint_id"]
    return requests.post(url, data=form, auth=oauth, verify=ca_file, timeout=case["deadline_ms"] / 1000, allow_redirects=False)


def close_day(answer):
    body = answer.json()
    if "response" not in body:
        body = next(inner for inner in body.values() if "response" in inner)
    response, serial = body["response"], body["theRequestSerialNumber"]
    if response["status"] == "finished":
        gates = [{name: typed(value) for name, value in gate.items()} for gate in response["gates"]]
        return {"kind": "finished", "serial": serial, "gates": gates}
    return {"kind": "error", "errorCode": response["errorCode"], "errorMessage": response["errorMessage"], "serial": serial}


def typed(value):
    if isinstance(value, bool):
        return {"bool": value}
    return {"long": str(value)} if isinstance(value, int) else {"text": str(value)}


def payload(table):
    text = io.StringIO()
    csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([table["columns"], *table["rows"]])
    return {"payload": base64.b64encode(text.getvalue().encode())}


def recurring(answer):
    params = [[name, value.removesuffix("\n")] for name, value in parse_qsl(answer.text, keep_blank_values=True)]
    if [name for name, _ in params].count("type") == 1:
        return {"kind": "parameters", "params": params}
    if answer.status_code == 200 and not answer.content:
        return {"kind": "accepted"}


def perform(case, ca_file):
    is_close_day = case["op"] == "close-day"
    if not is_close_day and case["op"] != "process-recurring-payments":
        return {"outcome": "unsupported", "reason": "no such operation"}
    try:
        if is_close_day:
            answer = post(case, "/api/v2/close-day/", case["input"], ca_file)
        else:
            answer = post(case, "/api/v4/process-recurring-payments/", payload(case["input"]), ca_file)
    except requests.exceptions.RequestException as cause:
        return {"outcome": "transport_error", "reason": str(cause)}
    except Exception as cause:
        return {"outcome": "adapter_error", "message": repr(cause)}
    decoded, reason = None, f"HTTP {answer.status_code}"
    try:
        if not is_close_day:
            decoded = recurring(answer)
        elif answer.status_code == 200:
            decoded = close_day(answer)
    except Exception as cause:
        reason = repr(cause)
    if decoded is None and answer.status_code in (401, 403):
        decoded = {"kind": "refused", "http_status": answer.status_code}
    return {"outcome": "completed", "decoded": decoded or {"kind": "undecodable", "reason": reason}}


def say(message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["t"] == "hello":
        ca_file = message.get("ca_file")
        say({"t": "ready", "protocol": 1, "client": {"name": "my client", "language": "python"}})
    elif message["t"] == "case":
        say({"t": "result", "id": message["id"], **perform(message, ca_file)})
    elif message["t"] == "ping":
        say({"t": "pong", "n": message["n"]})
    elif message["t"] == "bye":
        break
