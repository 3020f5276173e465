"""What is said, signed and recorded: no sockets, no clock."""
