"""protocol/refusals.py: codes are fixed for a protocol version."""

from protocol.codec import decode_from_lobby, encode
from protocol.messages import Refused
from protocol.refusals import Refusal


def test_every_code_fits_a_refusal():
    for code in Refusal:
        assert decode_from_lobby(encode(Refused(code))) == Refused(code.value)


def test_codes_are_words_in_lower_case():
    for code in Refusal:
        assert code.value.replace("-", "").isalpha()
        assert code.value == code.value.lower()
