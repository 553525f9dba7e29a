// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A C library of the system: its module map and nothing else.
func system(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
    .systemLibrary(name: name, path: "Shared/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func shared(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Shared/\(name)",
        resources: resources,
        swiftSettings: strict
    )
}

/// The part of a service that decides, as a library that tests and other tools can use.
func core(_ service: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .target(
        name: "\(service)Core",
        dependencies: dependencies,
        path: "Services/\(service)/Core",
        resources: resources,
        swiftSettings: strict
    )
}

/// The part of a service that wires.
func executable(_ name: String, _ service: String, documents: [String] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["\(service)Core", "ServiceKit"].map { .init(stringLiteral: $0) },
        path: "Services/\(service)",
        exclude: ["Core"] + documents,
        sources: ["main.swift"],
        swiftSettings: strict
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: dependencies,
        path: "Tests/\(name)Tests",
        exclude: exclude,
        swiftSettings: strict
    )
}

/// The fuzz targets: tests over the stored corpus, or with `FOREGROUND_FUZZ` set the program that `deploy/dev fuzz` runs.
func fuzz(_ dependencies: [Target.Dependency]) -> Target {
    let (name, path, others) = ("FuzzTests", "Tests/Fuzz", ["corpus", "dictionaries"])
    guard Context.environment["FOREGROUND_FUZZ"] != nil else {
        return .testTarget(
            name: name,
            dependencies: dependencies,
            path: path,
            exclude: others + ["EntryPoint.swift"],
            swiftSettings: strict
        )
    }
    return .executableTarget(
        name: "foreground-fuzz",
        dependencies: dependencies,
        path: path,
        exclude: others + ["CorpusTests.swift"],
        swiftSettings: strict
    )
}

let package = Package(
    name: "foreground",
    products: [
        .executable(name: "foreground-ingest", targets: ["foreground-ingest"]),
        .executable(name: "foreground-aggregator", targets: ["foreground-aggregator"]),
        .executable(name: "foreground-reader", targets: ["foreground-reader"]),
        .executable(name: "foreground-console", targets: ["foreground-console"]),
        .executable(name: "fgctl", targets: ["fgctl"]),
    ],
    targets: [
        system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        system("CRDKafka", pkgConfig: "rdkafka", apt: "librdkafka-dev"),
        system("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CMaxMindDB", pkgConfig: "libmaxminddb", apt: "libmaxminddb-dev"),
        system("CRoaring", apt: "libroaring-dev"),
        system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        .target(name: "CSimdJSON", path: "Shared/C/CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CCCTZ", path: "Shared/C/CCCTZ", linkerSettings: [.linkedLibrary("cctz")]),

        shared("HTTP", ["CMicroHTTPD"]),
        shared("HTTPClient", ["CCurl"]),
        shared("Kafka", ["CRDKafka"]),
        shared("Postgres", ["CPostgres"]),
        shared("JSON", ["CSimdJSON"]),
        shared("Gzip", ["CZlib"]),
        shared("Crypto", ["COpenSSL"]),
        shared("GeoIP", ["CMaxMindDB"]),
        shared("Bitmap", ["CRoaring"]),
        shared("Calendar", ["CCCTZ"]),
        shared("Contracts"),
        shared("Wire", ["Contracts", "JSON", "Crypto"]),
        shared("CSV", ["JSON"]),
        shared("ServiceKit", ["HTTP"]),
        shared("Forwarding", ["GeoIP", "HTTP", "ServiceKit"]),
        shared(
            "Schema",
            ["Contracts", "Calendar", "Crypto", "Postgres", "ServiceKit"],
            resources: [.embedInCode("Migrations")]
        ),

        shared("ControlPlane", ["Contracts", "Calendar", "Crypto", "Postgres", "Schema", "ServiceKit"]),

        core(
            "Ingest",
            [
                "Contracts", "Wire", "JSON", "Gzip", "GeoIP", "Forwarding", "Crypto", "Calendar", "HTTP",
                "Kafka",
                "Postgres", "Schema", "ServiceKit",
            ]
        ),
        core(
            "Aggregator",
            [
                "Contracts", "Wire", "JSON", "Crypto", "Calendar", "HTTPClient", "Kafka", "Postgres",
                "Schema",
                "ServiceKit",
            ]
        ),
        core(
            "Reader",
            [
                "Contracts", "Wire", "JSON", "CSV", "Gzip", "Crypto", "Calendar", "HTTP", "Postgres",
                "Schema",
                "ServiceKit",
            ],
            resources: [.embedInCode("OpenAPI/openapi.json")]
        ),
        core(
            "Console",
            [
                "ReaderCore", "ControlPlane", "Contracts", "Wire", "JSON", "Gzip", "GeoIP", "Forwarding",
                "Crypto", "Calendar", "HTTP",
                "Postgres", "Schema", "ServiceKit",
            ],
            resources: [.embedInCode("OpenAPI/openapi.json")]
        ),
        core(
            "Control",
            [
                "AggregatorCore", "IngestCore", "ControlPlane", "Contracts", "Wire", "JSON", "Crypto",
                "Calendar", "GeoIP", "Kafka",
                "Postgres", "Schema", "ServiceKit",
            ]
        ),
        executable("foreground-ingest", "Ingest", documents: ["API.md"]),
        executable("foreground-aggregator", "Aggregator"),
        executable("foreground-reader", "Reader", documents: ["API.md"]),
        executable("foreground-console", "Console", documents: ["API.md", "Pages"]),
        executable("fgctl", "Control"),

        tests("HTTP", ["HTTP"]),
        tests("HTTPClient", ["HTTPClient", "TestSupport"], exclude: ["Stub"]),
        tests("Kafka", ["Kafka", "CRDKafka"]),
        tests("Postgres", ["Postgres"]),
        tests("JSON", ["JSON"]),
        tests("Gzip", ["Gzip"]),
        tests("CSV", ["CSV"]),
        tests("Crypto", ["Crypto"]),
        tests("GeoIP", ["GeoIP"], exclude: ["Fixtures"]),
        tests("Bitmap", ["Bitmap"]),
        tests("Calendar", ["Calendar", "CCCTZ"]),
        .executableTarget(
            name: "ServiceKitProbe",
            dependencies: ["ServiceKit"],
            path: "Tests/ServiceKitProbe",
            swiftSettings: strict
        ),
        tests("ServiceKit", ["ServiceKit", "HTTP", "ServiceKitProbe"]),
        .executableTarget(
            name: "bench-server",
            dependencies: ["HTTP", "ServiceKit"],
            path: "Tests/BenchServer",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bench-days",
            dependencies: ["Calendar", "Contracts", "Postgres", "Schema", "ServiceKit", "Wire"],
            path: "Tests/BenchDays",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bench-store",
            dependencies: [
                "AggregatorCore", "Calendar", "Contracts", "JSON", "Kafka", "Postgres", "Schema",
                "ServiceKit",
                "Wire",
            ],
            path: "Tests/BenchStore",
            swiftSettings: strict
        ),
        tests("Contracts", ["Contracts"]),
        tests("Wire", ["Wire", "Contracts", "JSON", "ServiceKit"]),
        .target(
            name: "TestSupport",
            dependencies: ["Calendar", "Contracts", "Postgres", "Schema"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        tests("Schema", ["Schema", "Contracts", "Postgres", "TestSupport"]),
        tests(
            "Aggregator",
            [
                "AggregatorCore", "Calendar", "Contracts", "Kafka", "Postgres", "Schema", "ServiceKit",
                "TestSupport", "Wire",
            ]
        ),
        tests(
            "Reader",
            [
                "ReaderCore", "AggregatorCore", "Calendar", "Contracts", "Gzip", "HTTP", "JSON", "Postgres",
                "Schema", "ServiceKit", "TestSupport", "Wire",
            ]
        ),
        tests(
            "Console",
            [
                "AggregatorCore", "Calendar", "ConsoleCore", "Contracts", "ControlPlane", "Crypto",
                "Forwarding", "GeoIP", "Gzip", "HTTP", "Postgres", "ReaderCore", "Schema", "ServiceKit",
                "TestSupport",
            ]
        ),
        tests("Deploy", ["IngestCore", "AggregatorCore", "ReaderCore", "ConsoleCore", "ServiceKit"]),
        tests(
            "Ingest",
            [
                "IngestCore", "CRDKafka", "Contracts", "Forwarding", "GeoIP", "Gzip", "HTTP", "JSON",
                "Postgres",
                "ServiceKit", "TestSupport", "Wire",
            ]
        ),
        tests(
            "Control",
            [
                "ControlCore", "AggregatorCore", "Contracts", "Crypto", "JSON", "Kafka", "Postgres",
                "ServiceKit", "TestSupport", "Wire",
            ]
        ),
        tests(
            "Pipeline",
            ["Contracts", "Gzip", "Kafka", "Postgres", "ServiceKit", "TestSupport", "Wire"],
            exclude: ["Browser", "Console", "Geo", "OpenAPI", "Proxy"]
        ),
        fuzz(["IngestCore", "Calendar", "Contracts", "Crypto", "GeoIP", "Gzip", "HTTP", "JSON", "Wire"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
