"""The decoders under bytes that a fuzzer makes up to reach every branch of them (`./dev test --long`)."""
