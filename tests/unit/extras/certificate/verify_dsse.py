"""DSSE without any of our code: python3 verify_dsse.py ENVELOPE PUBLIC.pem ...; prints each payload, or `refused`."""
import base64
import json
import subprocess
import sys
import tempfile


def payload(path, key):
    envelope = json.load(open(path, encoding="utf-8"))
    kind = envelope["payloadType"].encode("utf-8")
    body = base64.b64decode(envelope["payload"], validate=True)
    signed = b" ".join([b"DSSEv1", b"%d" % len(kind), kind, b"%d" % len(body), body])
    (signature,) = envelope["signatures"]
    with tempfile.NamedTemporaryFile() as message, tempfile.NamedTemporaryFile() as sig:
        message.write(signed)
        message.flush()
        sig.write(base64.b64decode(signature["sig"], validate=True))
        sig.flush()
        check = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin"]
        result = subprocess.run(check + ["-in", message.name, "-sigfile", sig.name], capture_output=True, timeout=20)
    if result.returncode != 0 or kind != b"application/vnd.in-toto+json":
        return "refused"
    return body.decode("utf-8")


for path, key in zip(sys.argv[1::2], sys.argv[2::2]):
    print(payload(path, key))
