"""Writes a city database: city_mmdb.py FILE NETWORK=COUNTRY/City…; a city may be left out."""

import sys

from mmdb_writer import MMDBWriter
from netaddr import IPSet

path, *records = sys.argv[1:]
writer = MMDBWriter(ip_version=6, ipv4_compatible=True, database_type="Test-City")
for record in records:
    network, _, place = record.rpartition("=")
    country, _, city = place.partition("/")
    names = {"city": {"names": {"en": city}}} if city else {}
    writer.insert_network(IPSet([network]), {"country": {"iso_code": country}, **names})
writer.to_db_file(path)
