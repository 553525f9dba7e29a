import CRDKafka
import Dispatch

/// Drives librdkafka's callbacks on a thread of its own, since `rd_kafka_poll` blocks.
///
/// It ends with the client: flush, fail what is left, destroy, and only then say so.
func startProducerThread(_ handle: ClientHandle, _ state: ProducerState) {
    DispatchQueue(label: "kafka-producer").async {
        while !state.isAskedToClose { rd_kafka_poll(handle.pointer, 100) }
        rd_kafka_flush(handle.pointer, state.flushMs)
        while !state.isIdle {
            rd_kafka_purge(handle.pointer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT)
            rd_kafka_poll(handle.pointer, 10)
        }
        handle.destroy()
        state.finishClosing()
    }
}

extension KafkaConfiguration {
    /// All of these run on the producer's thread, inside `rd_kafka_poll`, except the log.
    borrowing func setProducerCallbacks() {
        onDelivery { _, message, opaque in
            guard let message, let state = ProducerState.from(opaque) else { return }
            if let delivery = message.pointee._private {
                Delivery.taking(delivery).completion(KafkaError.from(message.pointee.err))
            }
            state.leave()
        }
        onError { client, code, reason, opaque in
            guard let client, let state = ProducerState.from(opaque) else { return }
            if code == RD_KAFKA_RESP_ERR__FATAL.rawValue { state.recordFatal(.fatal(of: client)) }
            forward(level: 3, facility: rd_kafka_err2name(.init(code)), message: reason, to: state.log)
        }
        onLog { client, level, facility, message in
            guard let client else { return }
            let state = ProducerState.from(rd_kafka_opaque(client))
            forward(level: level, facility: facility, message: message, to: state?.log)
        }
    }
}

/// Carries one completion through C and back.
///
/// Exactly one `taking` for each `retained`.
final class Delivery: Sendable {
    let completion: @Sendable (KafkaError?) -> Void

    init(_ completion: @escaping @Sendable (KafkaError?) -> Void) { self.completion = completion }

    func retained() -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(self).toOpaque()
    }

    static func taking(_ opaque: UnsafeMutableRawPointer) -> Delivery {
        Unmanaged<Delivery>.fromOpaque(opaque).takeRetainedValue()
    }
}
