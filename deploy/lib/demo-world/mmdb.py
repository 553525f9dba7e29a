"""Writes a small city database in MaxMind's format, so that the addresses of the demo world have places."""

import ipaddress
import struct
import time

MARKER = b"\xab\xcd\xefMaxMind.com"


def text(value):
    raw = value.encode()
    assert len(raw) < 29
    return bytes([2 << 5 | len(raw)]) + raw


def number(value, kind, size):
    """An unsigned integer of a type of the format: 5 and 6 are 16 and 32 bits wide, 9 is 64 bits wide and an extended type."""
    raw = value.to_bytes(size, "big").lstrip(b"\0")
    return bytes([kind << 5 | len(raw)] if kind < 8 else [len(raw), kind - 7]) + raw


def mapping(entries):
    assert len(entries) < 29
    return bytes([7 << 5 | len(entries)]) + b"".join(text(name) + value for name, value in entries.items())


def record(place):
    return mapping({
        "country": mapping({"iso_code": text(place.country)}),
        "city": mapping({"names": mapping({"en": text(place.city)})}),
    })


def tree(networks):
    """The nodes of the binary tree over IPv4 addresses, as [left, right]: a node's number, None, or (offset of the data,)."""
    nodes = [[None, None]]
    for network, offset in networks:
        bits = [int(network.network_address) >> (31 - depth) & 1 for depth in range(network.prefixlen)]
        at = 0
        for bit in bits[:-1]:
            if nodes[at][bit] is None:
                nodes.append([None, None])
                nodes[at][bit] = len(nodes) - 1
            at = nodes[at][bit]
        nodes[at][bits[-1]] = (offset,)
    return nodes


def write(path, places):
    """A database that knows the networks of these places and nothing else."""
    data, networks = b"", []
    for place in places:
        networks.append((ipaddress.ip_network(f"{place.network}.0.0/16"), len(data)))
        data += record(place)
    nodes = tree(networks)

    def pointer(side):
        if side is None:
            return len(nodes)
        return len(nodes) + 16 + side[0] if isinstance(side, tuple) else side

    metadata = mapping({
        "node_count": number(len(nodes), 6, 4), "record_size": number(32, 5, 2), "ip_version": number(4, 5, 2),
        "database_type": text("Demo-City"), "languages": bytes([1, 11 - 7]) + text("en"),
        "binary_format_major_version": number(2, 5, 2), "binary_format_minor_version": number(0, 5, 2),
        "build_epoch": number(int(time.time()), 9, 8), "description": mapping({"en": text("Places of the demo world")}),
    })
    packed = b"".join(struct.pack(">II", pointer(left), pointer(right)) for left, right in nodes)
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(packed + bytes(16) + data + MARKER + metadata)
    unfinished.rename(path)  # a running ingest has the old one mapped
