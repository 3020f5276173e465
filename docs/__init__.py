"""What users read, and the pictures in it."""
