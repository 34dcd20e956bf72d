"""The rules of the assistant as plain Python: values in, values out, no I/O, no clock of their own."""
