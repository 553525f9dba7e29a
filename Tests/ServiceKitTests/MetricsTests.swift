import ServiceKit
import Testing

@Suite struct MetricsTests {
    enum Reason: String, CaseIterable { case nameTooLong = "name_too_long", tooOld = "too_old" }

    let registry = MetricRegistry()

    @Test func theExpositionIsStable() {
        let open = registry.gauge("z_open", help: "Open \\ things.\nNow.")
        let events = registry.counters("events_total", help: "Events.", label: "reason", of: Reason.self)
        let seconds = registry.histogram("request_seconds", help: "Requests.", bounds: [0.1, 0.5, 1])
        open.set(2.5)
        open.add(-1)
        events[.tooOld].add(3)
        for value in [0.05, 0.1, 0.4, 7] { seconds.observe(value) }

        #expect(
            exposition() == """
                # HELP events_total Events.
                # TYPE events_total counter
                events_total{reason="name_too_long"} 0
                events_total{reason="too_old"} 3
                # HELP request_seconds Requests.
                # TYPE request_seconds histogram
                request_seconds_bucket{le="0.1"} 2
                request_seconds_bucket{le="0.5"} 3
                request_seconds_bucket{le="1"} 3
                request_seconds_bucket{le="+Inf"} 4
                request_seconds_sum 7.55
                request_seconds_count 4
                # HELP z_open Open \\\\ things.\\nNow.
                # TYPE z_open gauge
                z_open 1.5

                """
        )
    }

    @Test func labelValuesAreEscaped() {
        let family = registry.counterFamily("x_total", help: "X.", labels: [.open("name")])

        family.with("a\"b\\c\nd").increment()

        #expect(exposition().hasSuffix(#"x_total{name="a\"b\\c\nd"} 1"# + "\n"))
    }

    @Test func histogramBucketsAreCumulative() {
        let histogram = Histogram(bounds: [1, 2, 4])

        for value in [0.5, 1, 1.5, 2, 3, 5, 100] { histogram.observe(value) }

        #expect(histogram.cumulative == [2, 4, 5, 7])
        #expect(histogram.sum == 113)
    }

    @Test func aHistogramLeavesOutWhatIsNoNumber() {
        let histogram = Histogram(bounds: [1])

        histogram.observe(.nan)
        histogram.observe(.infinity)

        #expect(histogram.cumulative == [0, 1])
        #expect(histogram.sum == .infinity)
    }

    @Test func labelledHistogramsKeepTheirLabels() {
        let family = registry.histogramFamily("h", help: "H.", bounds: [1], labels: [.closed("q", ["a"])])

        family.with("a").observe(1)

        #expect(
            exposition().contains("h_bucket{q=\"a\",le=\"+Inf\"} 1\nh_sum{q=\"a\"} 1\nh_count{q=\"a\"} 1\n")
        )
    }

    @Test func seriesBeyondTheBoundAreCountedTogether() {
        let family = registry.counterFamily(
            "x_total",
            help: "X.",
            labels: [.open("app"), .closed("code", ["ok", "bad"])],
            seriesMax: 3
        )

        for index in 0..<100 { family.with("app\(index)", index % 2 == 0 ? "ok" : "bad").increment() }

        let series = exposition().split(separator: "\n").dropFirst(2)
        #expect(
            series == [
                "x_total{app=\"app0\",code=\"ok\"} 1",
                "x_total{app=\"app1\",code=\"bad\"} 1",
                "x_total{app=\"app2\",code=\"ok\"} 1",
                "x_total{app=\"other\",code=\"bad\"} 49",
                "x_total{app=\"other\",code=\"ok\"} 48",
            ]
        )
    }

    @Test func aValueOutsideAClosedLabelIsOther() {
        let family = registry.counterFamily("x_total", help: "X.", labels: [.closed("code", ["ok"])])

        family.with("surprise").increment()
        family.with("another").increment()

        #expect(exposition().contains("x_total{code=\"other\"} 2\n"))
    }

    @Test func closedLabelsAreAllThereFromTheStart() {
        _ = registry.counterFamily(
            "x_total",
            help: "X.",
            labels: [.closed("a", ["1", "2"]), .closed("b", ["1", "2"])]
        )

        #expect(exposition().split(separator: "\n").count == 2 + 4)
    }

    @Test func registeringTwiceAnswersTheSameMetric() {
        registry.counter("x_total", help: "X.").increment()
        registry.counter("x_total", help: "X.").increment()

        #expect(registry.counter("x_total", help: "X.").value == 2)
    }

    @Test func callbacksAreReadWhenAsked() {
        let clock = ManualMonotonicClock()
        registry.gauge("now_ns", help: "Now.") { Double(clock.nowNs()) }
        registry.gaugeFamily("lag", help: "Lag.", labels: ["partition"]) {
            [MetricSample(["1"], 5), MetricSample(["0"], .infinity), MetricSample(["1"], 6)]
        }

        clock.advance(ns: 42)

        #expect(
            exposition() == """
                # HELP lag Lag.
                # TYPE lag gauge
                lag{partition="0"} +Inf
                lag{partition="1"} 6
                # HELP now_ns Now.
                # TYPE now_ns gauge
                now_ns 42

                """
        )
    }

    @Test func theLastCallbackWins() {
        registry.gauge("g", help: "G.") { 1 }
        registry.gauge("g", help: "G.") { 2 }

        #expect(exposition().hasSuffix("g 2\n"))
    }

    @Test func nothingIsLostBetweenThreads() async {
        let counter = registry.counter("x_total", help: "X.")
        let gauge = registry.gauge("g", help: "G.")
        let histogram = registry.histogram("h", help: "H.", bounds: [1])

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<10_000 {
                        counter.increment()
                        gauge.add(1)
                        histogram.observe(1)
                    }
                }
            }
        }

        #expect(counter.value == 40_000)
        #expect(gauge.value == 40_000)
        #expect(histogram.sum == 40_000)
        #expect(histogram.cumulative == [40_000, 40_000])
    }

    @Test func theProcessDescribesItself() throws {
        registry.registerProcessMetrics(service: "ingest", startedMs: 1_500)

        let text = exposition()
        #expect(text.contains("process_start_time_seconds 1.5\n"))
        #expect(text.contains("service=\"ingest\",version=\"\(BuildInfo.version)\""))
        for name in ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"] {
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") })
            let value = try #require(Double(line.dropFirst(name.count + 1)))
            #expect(value > 0)
        }
    }

    private func exposition() -> String { String(decoding: registry.exposition(), as: UTF8.self) }
}

/// An enum of a single case takes no bytes, which the family's table must survive.
@Suite struct EnumFamilyTests {
    enum Single: String, CaseIterable { case only }
    /// A case that `allCases` leaves out.
    enum Partial: String, CaseIterable {
        case shown, hidden
        static let allCases: [Partial] = [.shown]
    }

    let registry = MetricRegistry()

    @Test func anEnumOfOneCaseHasItsMetric() {
        let family = registry.counters("x_total", help: "X.", label: "a", of: Single.self)

        family[.only].increment()

        #expect(String(decoding: registry.exposition(), as: UTF8.self).hasSuffix("x_total{a=\"only\"} 1\n"))
    }

    @Test func aCaseLeftOutIsOther() {
        let family = registry.counters("x_total", help: "X.", label: "a", of: Partial.self)

        family[.hidden].increment()

        #expect(String(decoding: registry.exposition(), as: UTF8.self).contains("x_total{a=\"other\"} 1\n"))
    }
}
