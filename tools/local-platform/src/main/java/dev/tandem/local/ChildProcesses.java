package dev.tandem.local;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** All children of this JVM. An orderly exit ends them and waits for their end. Thread-safe. */
final class ChildProcesses {

    private static final ChildProcesses INSTANCE = new ChildProcesses();

    private final Set<LocalProcess> running = ConcurrentHashMap.newKeySet();

    private ChildProcesses() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAll, "tandem-local-stop"));
    }

    static ChildProcesses instance() {
        return INSTANCE;
    }

    void add(LocalProcess process) {
        running.add(process);
    }

    void remove(LocalProcess process) {
        running.remove(process);
    }

    /** Stops all at the same time: a broker may wait for an answer of another one before it ends. */
    private void stopAll() {
        List<Thread> stoppers = running.stream()
                .map(process -> new Thread(process::close, "stop-" + process.name()))
                .toList();
        stoppers.forEach(Thread::start);
        for (Thread stopper : stoppers) {
            try {
                stopper.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return; // the reaper ends the rest
            }
        }
    }
}
