#!/usr/bin/env python3
"""Adapter for a client in Python. requests sends, and requests-oauthlib signs."""
import base64
import csv
import functools
import io
import json
import platform
import re
import sys
import time
from urllib.parse import parse_qsl

import requests
import requests_oauthlib
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from oauthlib.oauth1 import SIGNATURE_HMAC_SHA1, SIGNATURE_RSA_SHA256
from requests_oauthlib import OAuth1

# --- the client: what an application would call ---


class Refused(Exception):
    """An input that the gateway would refuse. The client sends nothing."""

    def __init__(self, stage, reason):
        super().__init__(reason)
        self.stage = stage


class Undecodable(Exception):
    """An answer that the interface document does not define."""


class Client:
    """`verify` is a file of trusted authorities, as in requests. `limit` is in seconds."""

    def __init__(self, session, base_url, endpoint_id, oauth, verify=True, limit=30):
        self.session, self.base_url, self.endpoint_id = session, base_url, endpoint_id
        self.oauth, self.verify, self.limit = oauth, verify, limit

    def close_day(self, fields):
        if not re.fullmatch("[A-Za-z0-9]{8,32}", fields.get("day_close_request_id", "")):
            raise Refused("body", "day_close_request_id has to be 8 to 32 letters and digits")
        status, body = self._post("/api/v2/close-day/", fields)
        if status in (401, 403):
            return {"kind": "refused", "http_status": status}
        if status != 200:
            raise Undecodable(f"HTTP status {status}")
        return read_close_day(body)

    def process_recurring_payments(self, columns, rows):
        for row in rows:
            check_payment(dict(zip(columns, row)))
        table = io.StringIO()
        # Column names must have quotes. Quote cells too, because QUOTE_MINIMAL does not quote a carriage return.
        csv.writer(table, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([columns, *rows])
        payload = base64.b64encode(table.getvalue().encode()).decode()
        status, body = self._post("/api/v4/process-recurring-payments/", {"payload": payload})
        return read_recurring(status, body)

    def _post(self, path, form):
        """Returns the whole answer. requests limits only each pause, so this loop limits total time and size."""
        end = time.monotonic() + self.limit
        # Follow no redirect, because the signature is valid only for this URL.
        with self.session.post(self.base_url + path + self.endpoint_id, data=form, auth=self.oauth, stream=True,
                               verify=self.verify, timeout=self.limit, allow_redirects=False) as answer:
            body = b""
            for chunk in answer.iter_content(65536):
                body += chunk
                if time.monotonic() > end or len(body) > 8 * 1024 * 1024:
                    raise requests.exceptions.Timeout("the answer does not end")
            # urllib3 before 2.0 accepts a body that ends too early.
            if answer.raw.tell() < int(answer.headers.get("Content-Length", 0)):
                raise requests.exceptions.ConnectionError("the answer breaks off")
            return answer.status_code, body


def check_payment(payment):
    if not 1 <= len(payment.get("client-orderid") or "") <= 128:
        raise Refused("csv", "client-orderid has to be 1 to 128 characters")
    if not 1 <= len(payment.get("recurring-payment-id") or "") <= 10:
        raise Refused("csv", "recurring-payment-id has to be 1 to 10 characters")
    amount = payment.get("amount") or ""
    if not (amount or payment.get("amount-sequence") or payment.get("amount-from") and payment.get("amount-to")):
        raise Refused("csv", "amount is missing")
    if amount and not (len(amount) <= 10 and re.fullmatch(r"[0-9]+(\.[0-9]+)?", amount)):
        raise Refused("csv", "amount has to be a decimal of at most 10 characters")


def read_close_day(body):
    """Reads JSON under any content type. The answer may be inside an outer object."""
    try:
        document = json.loads(body)
        if "response" not in document:
            document = next(inner for inner in document.values() if isinstance(inner, dict) and "response" in inner)
        answer, serial = document["response"], document["theRequestSerialNumber"]
        if answer["status"] == "finished" and isinstance(answer["gates"], list):
            return {"kind": "finished", "serial": serial, "gates": [dict(gate.items()) for gate in answer["gates"]]}
        if answer["status"] == "error":
            return {"kind": "error", "errorCode": str(answer["errorCode"]), "errorMessage": answer["errorMessage"],
                    "serial": serial}
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration) as cause:
        raise Undecodable(f"{type(cause).__name__}: {cause}") from cause
    raise Undecodable(f"the status is {answer['status']!r}")


def read_recurring(status, body):
    """Reads the parameters of section 2.4 under any status. Removes the line feed at the end of each value."""
    pairs = parse_qsl(body.decode(errors="replace"), keep_blank_values=True)
    params = [[name, value[:-1] if value.endswith("\n") else value] for name, value in pairs if name != "\n"]
    if [name for name, _ in params].count("type") == 1:
        return {"kind": "parameters", "params": params}
    if status in (401, 403):
        return {"kind": "refused", "http_status": status}
    if status != 200 or body:
        raise Undecodable(f"HTTP status {status} with {len(body)} bytes that are no parameters")
    return {"kind": "accepted"}


# --- the adapter: JSON lines to calls of the client and back ---

READY = {
    "t": "ready", "protocol": 1,
    "adapter": {"name": "countersign-python", "version": "1.0.0"},
    "client": {"name": "requests-oauthlib", "version": requests_oauthlib.__version__,
               "language": "python", "language_version": platform.python_version()},
    "offers": {"ops": ["close-day", "process-recurring-payments"],
               "signature_methods": ["HMAC-SHA1", "RSA-SHA256"], "stages": [], "inject": [], "http": False,
               "max_in_flight": 1, "validates_locally": True, "tls": True},
}


def say(message):
    # Write bytes, because text has the encoding of the locale. Flush, because Python buffers what it writes to a pipe.
    sys.stdout.buffer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


def perform(session, verify, case):
    """Performs a call, and returns one of the five outcomes."""
    auth, given = case["auth"], case["input"]
    if auth.get("method") == "HMAC-SHA1":
        oauth = OAuth1(auth["consumer_key"], client_secret=auth["secret"], signature_method=SIGNATURE_HMAC_SHA1)
    elif auth.get("method") == "RSA-SHA256":
        key = private_key(auth["private_key_pem"])
        oauth = OAuth1(auth["consumer_key"], rsa_key=key, signature_method=SIGNATURE_RSA_SHA256)
    else:
        return {"outcome": "unsupported", "reason": "no such signature method"}
    # Less than the limit of the case, so that the adapter can still answer in time.
    limit = case.get("deadline_ms", 10_000) / 1000 * 0.8
    client = Client(session, case["base_url"], case["endpoint_id"], oauth, verify, limit)
    try:
        if case["op"] == "close-day":
            return {"outcome": "completed", "decoded": shape(client.close_day(given))}
        if case["op"] == "process-recurring-payments":
            return {"outcome": "completed",
                    "decoded": client.process_recurring_payments(given["columns"], given["rows"])}
        return {"outcome": "unsupported", "reason": f"no such operation: {case['op']}"}
    except Refused as refused:
        return {"outcome": "refused_locally", "stage": refused.stage, "reason": str(refused)}
    except Undecodable as cause:
        return {"outcome": "completed", "decoded": {"kind": "undecodable", "reason": str(cause)}}
    except requests.exceptions.RequestException as cause:
        return {"outcome": "transport_error", "reason": f"{type(cause).__name__}: {cause}"}


@functools.lru_cache
def private_key(pem):
    """Parses each key only once. From a text, oauthlib would parse the key for each request."""
    return load_pem_private_key(pem.encode(), None)


def shape(answer):
    """Puts each value of a gate under the name of its type. 64-bit integers become text."""
    def typed(value):
        if isinstance(value, bool):
            return {"bool": value}
        return {"long": str(value)} if isinstance(value, int) else {"text": str(value)}
    if "gates" in answer:
        answer["gates"] = [{name: typed(value) for name, value in gate.items()} for gate in answer["gates"]]
    return answer


def main():
    session, verify = requests.Session(), True
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["t"] == "hello":
            verify = message.get("ca_file") or True
            say(READY)
        elif message["t"] == "ping":
            say({"t": "pong", "n": message["n"]})
        elif message["t"] == "case":
            try:
                result = perform(session, verify, message)
            except Exception as cause:  # A mistake of this adapter must not count as a mistake of the client.
                result = {"outcome": "adapter_error", "message": f"{type(cause).__name__}: {cause}"}
            say({"t": "result", "id": message["id"], **result})
        elif message["t"] == "bye":
            break


main()
