"""The questions of bench read, and the two engines that answer them beside the reader."""

import datetime
import json
from dataclasses import dataclass
from typing import Callable

COLUMNS = ["platform", "os_name", "os_version", "app_version", "device_model", "device_type", "country"]
BACK_WEEKS = 4


@dataclass
class Question:
    name: str
    path: str
    # What is compared, taken from the reader's answer.
    read: Callable
    # The same from SQL, in both dialects; {median} and the like are filled in by the engine.
    sql: str
    # From the rows of the SQL.
    rows: Callable = lambda rows: [list(row) for row in rows]


def questions(first, days):
    last = (datetime.date.fromisoformat(first) + datetime.timedelta(days=days - 1)).isoformat()
    week = (datetime.date.fromisoformat(last) - datetime.timedelta(days=6)).isoformat()
    month = (datetime.date.fromisoformat(week) - datetime.timedelta(days=29)).isoformat()
    span = f"from={first}&to={last}"
    within = f"day BETWEEN '{first}' AND '{last}'"
    born = f"first_day BETWEEN '{first}' AND '{last}'"
    return [
        Question(
            "summary", f"audience/summary?{span}&compare=none", read_summary,
            f"SELECT {{distinct}}, (SELECT count(*) FROM people WHERE {born}), count(*), {{average}}, {{median}} FROM sessions WHERE {within}",
        ),
        Question(
            "summary of one system", f"audience/summary?{span}&compare=none&os_name=Android", read_summary,
            f"SELECT {{distinct}}, (SELECT count(*) FROM people WHERE {born} AND os_name = 'Android'), count(*), {{average}}, {{median}} "
            f"FROM sessions WHERE {within} AND os_name = 'Android'",
        ),
        Question(
            "active by day", f"audience/timeseries?{span}&compare=none&metric=active",
            lambda body: [[point["ts"][:10], point["value"]] for point in body["points"]],
            f"SELECT {{text}}, {{distinct}} FROM sessions WHERE {within} GROUP BY day ORDER BY day",
        ),
        Question(
            "by device model", f"audience/breakdown?{span}&compare=none&dimension=device_model",
            lambda body: sorted(
                [item["value"], item["active"], item["sessions"], item["avg_duration_ms"], item["new"]] for item in body["items"]
            ),
            f"SELECT s.device_model, active, sessions, average, coalesce(born, 0) FROM (SELECT device_model, {{distinct}} AS active, "
            f"count(*) AS sessions, {{average}} AS average FROM sessions WHERE {within} GROUP BY device_model) s LEFT JOIN (SELECT "
            f"device_model, count(*) AS born FROM people WHERE {born} GROUP BY device_model) p ON p.device_model = s.device_model",
            lambda rows: sorted(list(row) for row in rows),
        ),
        Question(
            "rolling active of a week", f"audience/rolling-active?from={week}&to={last}",
            lambda body: [[point["ts"][:10], point["dau"], point["wau"], point["mau"]] for point in body["points"]],
            "SELECT {window} AS on_day, {dau}, {wau}, {mau} FROM (SELECT DISTINCT day, person FROM sessions WHERE day BETWEEN "
            f"'{month}' AND '{last}') {{days}} WHERE on_day BETWEEN '{week}' AND '{last}' GROUP BY on_day ORDER BY on_day",
        ),
        Question(
            "retention by week", f"retention?{span}&cohort=week&periods={BACK_WEEKS}", read_retention,
            "SELECT cohort, {weeks} AS back, {distinct_of_join} FROM (SELECT DISTINCT person, {monday} AS week FROM sessions) a JOIN "
            f"(SELECT person, {{first_monday}} AS cohort FROM people WHERE {born}) b ON a.person = b.person "
            f"WHERE {{weeks}} BETWEEN 0 AND {BACK_WEEKS} GROUP BY cohort, back ORDER BY cohort, back",
            retention_rows,
        ),
    ]


def read_summary(body):
    return [[body[name] for name in ("active", "new", "sessions", "avg_duration_ms", "median_duration_ms")]]


def read_retention(body):
    return [cohort["returned"] for cohort in body["cohorts"]]


def retention_rows(rows):
    cohorts = {}
    for cohort, back, count in rows:
        cohorts.setdefault(str(cohort), [0] * (BACK_WEEKS + 1))[back] = count
    return [cohorts[name] for name in sorted(cohorts)]


class ClickHouse:
    name = "chdb"
    words = {
        "distinct": "uniqExact(person)", "distinct_of_join": "uniqExact(a.person)", "average": "toInt64(floor(avg(duration_ms) + 0.5))", "text": "toString(day)",
        "median": "toInt64(floor(quantileExactInclusive(0.5)(duration_ms) + 0.5))", "monday": "toMonday(day)",
        "first_monday": "toMonday(first_day)", "weeks": "intDiv(toInt32(week) - toInt32(cohort), 7)",
        "window": "toString(day + age)", "days": "ARRAY JOIN range(30) AS age", "dau": "uniqExactIf(person, age = 0)",
        "wau": "uniqExactIf(person, age < 7)", "mau": "uniqExact(person)",
    }

    def __init__(self, folder):
        from chdb import session

        self.session = session.Session(folder + "/chdb")
        run = self.session.query
        run("CREATE DATABASE bench ENGINE = Atomic")
        run("USE bench")
        texts = ", ".join(f"{name} LowCardinality(String)" for name in COLUMNS)
        structure = ", ".join(f"{name} String" for name in COLUMNS)
        run(
            "CREATE TABLE contexts ENGINE = Memory AS SELECT * FROM "
            f"file('{folder}/contexts.tsv', 'TSV', 'context Int32, {structure}')"
        )
        run(
            f"CREATE TABLE sessions (day Date, started DateTime64(3, 'UTC'), install UInt32, person UInt32, {texts}, duration_ms Nullable(Int32)) "
            f"ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (day, {', '.join(COLUMNS)}, person)"
        )
        run(
            f"INSERT INTO sessions SELECT day, fromUnixTimestamp64Milli(ms, 'UTC'), install, person, {', '.join(COLUMNS)}, "
            "if(duration < 0, NULL, duration) "
            f"FROM file('{folder}/sessions.bin', 'RowBinary', 'day Date, ms Int64, install UInt32, person UInt32, context Int32, duration Int32') AS s "
            "JOIN contexts USING context"
        )
        run(f"CREATE TABLE people (person UInt32, first_day Date, {texts}) ENGINE = MergeTree ORDER BY first_day")
        run(
            f"INSERT INTO people SELECT person, toDate(fromUnixTimestamp64Milli(ms, 'UTC')), {', '.join(COLUMNS)} "
            f"FROM file('{folder}/people.bin', 'RowBinary', 'person UInt32, ms Int64, context Int32') AS p JOIN contexts USING context"
        )
        run("OPTIMIZE TABLE sessions FINAL")
        run("OPTIMIZE TABLE people FINAL")
        for table in ("sessions", "people"):
            casts = ", ".join(f"toString({name}) AS {name}" for name in COLUMNS)
            run(f"SELECT * REPLACE ({casts}) FROM {table} INTO OUTFILE '{folder}/{table}.parquet' FORMAT Parquet")

    def answer(self, question):
        text = str(self.session.query(question.sql.format(**self.words), "JSONCompact"))
        return question.rows([[whole(value) for value in row] for row in json.loads(text)["data"]])

    def close(self):
        self.session.close()


class DuckDB:
    name = "duckdb"
    words = {
        "distinct": "count(DISTINCT person)", "distinct_of_join": "count(DISTINCT a.person)", "average": "floor(avg(duration_ms) + 0.5)::bigint", "text": "day::text",
        "median": "floor(quantile_cont(duration_ms, 0.5) + 0.5)::bigint", "monday": "date_trunc('week', day)::date",
        "first_monday": "date_trunc('week', first_day)::date", "weeks": "((week - cohort) // 7)", "window": "(day + age)::date",
        "days": ", (SELECT unnest(range(30))::integer AS age)", "dau": "count(DISTINCT person) FILTER (age = 0)",
        "wau": "count(DISTINCT person) FILTER (age < 7)", "mau": "count(DISTINCT person)",
    }

    def __init__(self, folder):
        import duckdb

        self.connection = duckdb.connect(folder + "/duck.db")
        for table in ("sessions", "people"):
            day = "first_day" if table == "people" else "day"
            texts = ", ".join(f"{name}::text AS {name}" for name in COLUMNS)
            self.connection.execute(
                f"CREATE TABLE {table} AS SELECT * REPLACE ({texts}) FROM '{folder}/{table}.parquet' ORDER BY {day}"
            )

    def answer(self, question):
        rows = self.connection.execute(question.sql.format(**self.words)).fetchall()
        return question.rows([[str(value) if hasattr(value, "isoformat") else value for value in row] for row in rows])

    def close(self):
        self.connection.close()


def whole(value):
    """ClickHouse writes large integers as texts."""
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value


def load(folder):
    return [ClickHouse(folder), DuckDB(folder)]
