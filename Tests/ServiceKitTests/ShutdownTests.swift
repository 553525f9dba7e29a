import ServiceKit
import Testing

@Suite struct ShutdownTests {
    @Test func onlyTheFirstRequestCounts() {
        let shutdown = Shutdown()
        let diary = Diary()
        shutdown.onRequest { diary.write($0) }

        shutdown.request("first")
        shutdown.request("second")

        #expect(diary.entries == ["first"])
    }

    @Test func aLateListenerHearsAtOnce() {
        let shutdown = Shutdown()
        let diary = Diary()

        shutdown.request("first")
        shutdown.onRequest { diary.write($0) }

        #expect(diary.entries == ["first"])
    }
}
