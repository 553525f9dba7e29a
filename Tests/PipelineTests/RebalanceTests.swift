import Contracts
import Glibc
import Kafka
import Postgres
import Testing

extension PipelineTests {
    /// Goal: several aggregators share the work whatever happens to one of them, and nothing is lost or stored twice on the way.
    @Suite struct RebalanceTests {
        /// B59: a producer may fill a new partition before any consumer knows of it.
        @Test func partitionsAddedUnderLoadAreReadFromTheirBeginning() async throws {
            try await Stack.run([.ingest, .aggregator]) { stack in
                let ingest = try await stack.running(.ingest)
                _ = try await stack.start(.aggregator)
                let app = try await stack.createApp()
                let direct = try DirectEvents(stack, app)
                let record = LoadRecord()
                let end = ContinuousClock.now + .seconds(6)
                async let load: Void = onThread { [port = ingest.servicePort ?? 0, key = app.anyKey] in
                    var world = World(seed: 1, installs: 500)
                    let client = LoadClient(port: port, key: key, seed: 1, record: record)
                    while ContinuousClock.now < end {
                        client.deliver(world.batch(), until: end + .seconds(30))
                    }
                }
                let admin = try KafkaAdmin(settings: ["bootstrap.servers": stack.brokers])
                let total = 2 * Stack.partitions
                try await admin.addPartitions(to: stack.topic, total: total)
                let added = (Stack.partitions..<total).map { partition in
                    (Int32(partition), direct.message(install: UInt64(partition), events: 5))
                }
                try await direct.publish(added)
                try await load

                try await stack.closeDays()

                let stored = try await stack.database.texts(
                    "SELECT insert_id::text FROM events ORDER BY 1 LIMIT 1000000"
                )
                #expect(Set(stored).count == stored.count)
                let expected = added.flatMap { $0.1.events.map(\.insertID.description) }
                #expect(record.snapshot.acknowledged.union(expected).subtracting(stored) == [])
                let partitions = try await stack.database.count(
                    "SELECT count(*) FROM consumer_offsets WHERE topic = \(stack.topic)"
                )
                #expect(partitions == total)
            }
        }

        /// A second group stands for the instance that takes over: Kafka would give it the partitions, the development broker never does.
        @Test func anInstanceThatSleptIsFencedAndGoesOn() async throws {
            try await Stack.run([.aggregator]) { stack in
                let app = try await stack.createApp()
                let direct = try DirectEvents(stack, app)
                try await direct.publish(direct.message(install: 1))
                try await stack.closeDays()
                let sleeper = try await stack.running(.aggregator)
                sleeper.process.send(SIGSTOP)
                let other = try await stack.start(
                    .aggregator,
                    ["KAFKA_GROUP": stack.database.name + ".other"]
                )
                try await direct.publish([2, 3].map { (0, direct.message(install: $0)) })
                try await wait(until: "the other has stored it") { try await direct.stored() == 3 }

                sleeper.process.send(SIGCONT)
                try await wait(until: "the sleeper is fenced") {
                    try await sleeper.metric("foreground_aggregator_fenced_total") ?? 0 >= 1
                }
                #expect(try await other.process.terminate() == 0)
                try await direct.publish(direct.message(install: 4))
                try await wait(until: "the sleeper stores what comes now") { try await direct.stored() == 4 }
                #expect(
                    try await stack.database.count(
                        "SELECT next_offset FROM consumer_offsets WHERE topic = \(stack.topic) AND partition = 0"
                    ) == 4
                )
                #expect(sleeper.process.logged("offset_moved_back").isEmpty)
            }
        }

        /// It must answer the group while it waits, or everybody would wait with it.
        @Test(.enabled(if: TestSetting.python != nil, "set TEST_PYTHON"))
        func aMemberWithoutItsDatabaseLetsTheOthersWork() async throws {
            try await Stack.run { stack in
                let proxy = try await CuttableProxy.start(
                    to: try stack.database.port,
                    directory: stack.directory
                )
                let app = try await stack.createApp()
                let direct = try DirectEvents(stack, app)
                let lonely = try await stack.start(
                    .aggregator,
                    ["DATABASE_URL": try stack.database.url(of: .aggregator, port: proxy.port)]
                )
                try await direct.publish(direct.message(install: 1))
                try await stack.closeDays()
                proxy.cut()
                try await direct.publish(
                    (0..<Int32(Stack.partitions)).map { ($0, direct.message(install: 10 + UInt64($0))) }
                )
                try await lonely.process.line("standing_by")

                let other = try await stack.start(.aggregator)
                let line = try await other.process.line("partitions_assigned") {
                    $0["topic"].string == stack.topic && $0["count"].int ?? 0 > 0
                }
                let given = line["count"].int ?? 0
                try await wait(until: "the other stores what it was given") {
                    try await direct.stored() >= 1 + given
                }
                #expect(try await lonely.ops("/readyz").status == 503)

                proxy.mend()
                try await wait(until: "everything is stored") { try await direct.stored() == 4 }
                try await wait(until: "it is ready again") { try await lonely.ops("/readyz").status == 200 }
                #expect(try await lonely.process.terminate() == 0)
                try await proxy.stop()
            }
        }

        /// Method: a trigger refuses the first transactions, as Postgres does when two of them meet.
        @Test(arguments: ["40001", "40P01"])
        func aTransactionThatGivesWayIsRepeatedAndSaysNothingOfHealth(state: String) async throws {
            try await Stack.run([.aggregator]) { stack in
                let app = try await stack.createApp()
                let direct = try DirectEvents(stack, app)
                try await stack.database.use { connection in
                    try await connection.script(
                        """
                        CREATE SEQUENCE tries;
                        GRANT USAGE ON SEQUENCE tries TO foreground_aggregator;
                        CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF nextval('tries') <= 4 THEN RAISE EXCEPTION 'gives way' USING ERRCODE = '\(state)'; END IF;
                            RETURN NULL;
                        END $$;
                        CREATE TRIGGER give_way AFTER INSERT ON dirty_days
                            FOR EACH STATEMENT EXECUTE FUNCTION give_way();
                        """
                    )
                }
                try await direct.publish(direct.message(install: 1, events: 10))
                try await stack.closeDays()

                let aggregator = try await stack.running(.aggregator)
                #expect(try await direct.stored() == 10)
                #expect(try await aggregator.metric("foreground_aggregator_store_conflicts_total") == 4)
                // Only what is counted here makes an instance unready.
                #expect(try await aggregator.metric("foreground_aggregator_store_failures_total") == 0)
                #expect(aggregator.process.logged("store_failed").isEmpty)
            }
        }

        /// B60, over the topic: one person on many installs in every partition, in opposite order.
        @Test func onePersonOnManyInstallsOverTwoAggregators() async throws {
            try await Stack.run { stack in
                let app = try await stack.createApp()
                let direct = try DirectEvents(stack, app)
                var messages: [(partition: Int32, message: EventMessage)] = []
                for partition in 0..<Int32(Stack.partitions) {
                    let installs = Array(0..<UInt64(200))
                    for install in partition == 0 ? installs : installs.reversed() {
                        messages.append(
                            (
                                partition,
                                direct.message(
                                    install: install + UInt64(partition) * 1_000,
                                    user: "42",
                                    atMs: direct.atMs - Int64(install) * 1_000
                                )
                            )
                        )
                    }
                }
                let settings = ["AGGREGATOR_POLL_MESSAGES_MAX": "10"]
                let first = try await stack.start(.aggregator, settings)
                let second = try await stack.start(.aggregator, settings)
                for one in [first, second] {
                    try await one.process.line("partitions_assigned") {
                        $0["topic"].string == stack.topic
                            && (1..<Int(Stack.partitions)).contains($0["count"].int ?? 0)
                    }
                }
                try await direct.publish(messages)
                try await stack.closeDays()

                #expect(try await direct.stored() == 600)
                #expect(try await stack.database.count("SELECT count(*) FROM users") == 1)
                #expect(try await stack.database.count("SELECT count(*) FROM user_installs") == 600)
                #expect(try await stack.database.count("SELECT count(*) FROM set_aside_messages") == 0)
                let firstSeen = try await stack.database.count(
                    "SELECT (extract(epoch FROM first_at) * 1000)::bigint FROM users"
                )
                #expect(firstSeen == Int(direct.atMs - 199_000))
                for one in [first, second] {
                    #expect(try await one.metric("foreground_aggregator_new_events_total") ?? 0 > 0)
                }
            }
        }

        /// B61: a backlog, and a session that ends in the middle of it.
        @Test func aHundredThousandEventsThatWaited() async throws {
            try await Stack.run { stack in
                let app = try await stack.createApp()
                let direct = try DirectEvents(stack, app)
                try await direct.publish(
                    (0..<UInt64(2_000)).lazy.map {
                        (Int32($0 % UInt64(Stack.partitions)), direct.message(install: $0, events: 50))
                    }
                )
                let aggregator = try await stack.start(.aggregator, ["AGGREGATOR_POLL_MESSAGES_MAX": "400"])
                try await wait(until: "some of it is stored") { try await direct.stored() > 0 }
                _ = try await stack.database.use { connection in
                    try await connection.execute(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = \(stack.database.name) AND application_name = 'foreground-aggregator store'
                        """
                    )
                }
                try await stack.closeDays()

                #expect(try await direct.stored() == 100_000)
                #expect(try await stack.database.count("SELECT count(*) FROM installs") == 2_000)
                #expect(try await aggregator.metric("foreground_aggregator_new_events_total") == 100_000)
            }
        }
    }
}
