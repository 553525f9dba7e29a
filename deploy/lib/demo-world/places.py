"""Where the people of the demo world live: a place, its zone, its languages, and addresses that belong to its country."""

from typing import NamedTuple


class Place(NamedTuple):
    country: str
    city: str
    zone: str
    locales: tuple
    network: str  # the first two numbers of addresses that are looked up as this place
    weight: int


EUROPE = (
    Place("DE", "Berlin", "Europe/Berlin", ("de-DE", "de-DE", "en-GB"), "84.128", 16),
    Place("DE", "Munich", "Europe/Berlin", ("de-DE",), "84.129", 9),
    Place("DE", "Hamburg", "Europe/Berlin", ("de-DE",), "84.130", 7),
    Place("GB", "London", "Europe/London", ("en-GB",), "86.128", 14),
    Place("GB", "Manchester", "Europe/London", ("en-GB",), "86.129", 5),
    Place("FR", "Paris", "Europe/Paris", ("fr-FR",), "90.0", 10),
    Place("FR", "Lyon", "Europe/Paris", ("fr-FR",), "90.1", 4),
    Place("NL", "Amsterdam", "Europe/Amsterdam", ("nl-NL", "en-GB"), "77.160", 6),
    Place("ES", "Madrid", "Europe/Madrid", ("es-ES",), "80.24", 6),
    Place("IT", "Milan", "Europe/Rome", ("it-IT",), "79.0", 5),
    Place("PL", "Warsaw", "Europe/Warsaw", ("pl-PL",), "83.0", 5),
    Place("SE", "Stockholm", "Europe/Stockholm", ("sv-SE", "en-GB"), "78.64", 3),
)
AMERICA = (
    Place("US", "New York", "America/New_York", ("en-US",), "71.160", 16),
    Place("US", "Chicago", "America/Chicago", ("en-US",), "73.8", 10),
    Place("US", "San Francisco", "America/Los_Angeles", ("en-US", "en-US", "es-US"), "73.15", 11),
    Place("US", "Austin", "America/Chicago", ("en-US", "es-US"), "70.112", 6),
    Place("CA", "Toronto", "America/Toronto", ("en-CA", "fr-CA"), "99.224", 8),
    Place("BR", "São Paulo", "America/Sao_Paulo", ("pt-BR",), "177.32", 9),
    Place("MX", "Mexico City", "America/Mexico_City", ("es-MX",), "187.144", 5),
)
ASIA = (
    Place("JP", "Tokyo", "Asia/Tokyo", ("ja-JP",), "126.0", 9),
    Place("IN", "Bengaluru", "Asia/Kolkata", ("en-IN", "hi-IN"), "106.192", 10),
    Place("IN", "Mumbai", "Asia/Kolkata", ("en-IN", "hi-IN"), "106.200", 7),
    Place("KR", "Seoul", "Asia/Seoul", ("ko-KR",), "121.128", 4),
    Place("AU", "Sydney", "Australia/Sydney", ("en-AU",), "120.144", 5),
)
EVERYWHERE = EUROPE + AMERICA + ASIA
