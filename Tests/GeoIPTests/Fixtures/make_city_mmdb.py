"""Writes city.mmdb, the fixture of GeoDatabaseTests. Needs netaddr and mmdb_writer from PyPI.

Run it beside the fixture after changing a record; the output is a few kilobytes and is committed.
"""

from pathlib import Path

from mmdb_writer import MMDBWriter
from netaddr import IPSet

RECORDS = {
    "81.2.69.0/24": {"country": {"iso_code": "GB"}, "city": {"names": {"en": "London", "de": "London (de)"}}},
    "89.160.20.0/24": {"country": {"iso_code": "SE"}, "city": {"names": {"en": "Linköping"}}},
    "5.45.192.0/18": {"country": {"iso_code": "RU"}, "city": {"names": {"ru": "Москва"}}},
    "67.43.156.0/24": {"country": {"iso_code": "BT"}},
    "9.9.9.0/24": {"city": {"names": {"en": "Nowhere"}}},
    "8.8.4.0/24": {"country": {"iso_code": ""}, "city": {"names": {"en": ""}}},
    "8.8.8.0/24": {"country": "US", "city": ["Mountain View"]},
    "2a02:d280::/29": {"country": {"iso_code": "CZ"}, "city": {"names": {"en": "Prague"}}},
}

writer = MMDBWriter(ip_version=6, ipv4_compatible=True, database_type="Test-City")
for network, record in RECORDS.items():
    writer.insert_network(IPSet([network]), record)
writer.to_db_file(str(Path(__file__).with_name("city.mmdb")))
