package dev.tandem.local;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** All children of this JVM, so that an orderly exit ends them and waits for it. */
final class Children {

    private static final Children INSTANCE = new Children();

    private final Set<LocalProcess> running = ConcurrentHashMap.newKeySet();

    private Children() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAll, "tandem-local-stop"));
    }

    static Children instance() {
        return INSTANCE;
    }

    void add(LocalProcess process) {
        running.add(process);
    }

    void remove(LocalProcess process) {
        running.remove(process);
    }

    /** All at once: a broker that waits for another one's goodbye would hold up the exit. */
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
