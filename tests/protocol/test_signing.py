"""protocol/signing.py: domains, keys, signatures."""

import hashlib

import pytest

from protocol.signing import NO_CONTEXT, Signer, fingerprint, signed_bytes, verify
from tests.protocol.races import secret

SIGNER = Signer(secret("signer"))
CONTEXT = secret("context")
SIGNATURE = SIGNER.sign("seal", CONTEXT, b"body")


def test_a_signature_covers_domain_kind_context_and_body():
    assert signed_bytes("seal", CONTEXT, b"body") == b"race2048/1/sig/seal\x00" + CONTEXT + b"body"


def test_a_key_is_that_of_rfc_8032():
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    assert Signer(seed).key.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"


def test_a_right_signature_is_verified():
    assert verify(SIGNER.key, "seal", CONTEXT, b"body", SIGNATURE)


@pytest.mark.parametrize(
    ("key", "kind", "context", "body", "signature"),
    [
        (Signer(secret("other")).key, "seal", CONTEXT, b"body", SIGNATURE),
        (SIGNER.key, "tick", CONTEXT, b"body", SIGNATURE),
        (SIGNER.key, "seal", NO_CONTEXT, b"body", SIGNATURE),
        (SIGNER.key, "seal", CONTEXT, b"bodY", SIGNATURE),
        (SIGNER.key, "seal", CONTEXT, b"body", bytes(64)),
        (SIGNER.key, "seal", CONTEXT, b"body", b""),
        (SIGNER.key[:31], "seal", CONTEXT, b"body", SIGNATURE),
        (bytes(32), "seal", CONTEXT, b"body", SIGNATURE),
    ],
)
def test_a_signature_is_worth_nothing_elsewhere(key, kind, context, body, signature):
    assert not verify(key, kind, context, body, signature)


def test_a_signature_cannot_be_changed_into_another_one_over_the_same_bytes():
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(SIGNATURE[32:], "little") + order
    assert not verify(SIGNER.key, "seal", CONTEXT, b"body", SIGNATURE[:32] + scalar.to_bytes(32, "little"))


def test_a_fingerprint_is_80_bits_in_crockford_base32():
    digits = "0123456789abcdefghjkmnpqrstvwxyz"
    number = 0
    for digit in fingerprint(SIGNER.key):
        number = number * 32 + digits.index(digit)
    assert number.to_bytes(10, "big") == hashlib.sha256(SIGNER.key).digest()[:10]
    assert len(fingerprint(SIGNER.key)) == 16
