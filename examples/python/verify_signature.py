"""Checks the signature of a task that Tandem has posted. Needs only Python's standard library.

WEBHOOK_KEY=whsec_... python3 verify_signature.py ID TIMESTAMP SIGNATURE < BODY
"""
import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def is_valid(key, webhook_id, timestamp, signatures, body):
    """Takes the key, the three headers and the bytes of the body, before anything has parsed them."""
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False  # A copy of an old request.
    secret = base64.b64decode(key[len("whsec_"):])
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    # While keys are changed there are two signatures. One of them has to fit.
    return any([hmac.compare_digest(expected.encode(), each.encode()) for each in signatures.split(" ")])


if __name__ == "__main__":
    valid = is_valid(os.environ["WEBHOOK_KEY"], *sys.argv[1:4], sys.stdin.buffer.read())
    print("valid" if valid else "invalid")
