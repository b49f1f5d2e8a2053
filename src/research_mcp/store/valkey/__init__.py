"""State on a Valkey or Redis server, shared by any number of processes on any number of machines.

The parts follow the protocols of `core.ports` exactly as their neighbours on SQLite do. One primary
server, no cluster mode: the scripts reach several keys at once.
"""
