package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.kit.EpochMicros;
import dev.tandem.kit.JsonLinesLog;
import dev.tandem.kit.JsonLinesTail;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.QueuePolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An executor in a process of its own, which can be killed. It logs the start and the end of its tasks. A task whose
 * payload is {@link #HELD} ends only after the benchmark has created the file {@link #RELEASE} in its folder. Used by
 * one thread.
 */
final class BenchWorker implements AutoCloseable {

    static final String HELD = "held";
    static final String RELEASE = "release";

    private static final int CONCURRENCY = 256;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    /**
     * The start or the end of a task.
     *
     * @param task partition and offset
     */
    record Event(boolean start, String task, long micros) {

        private static Event of(boolean start, TaskContext task) {
            // The id is <topic>:<partition>:<offset>.
            String place = task.id().substring(task.id().indexOf(':') + 1);
            return new Event(start, place, EpochMicros.now());
        }
    }

    private final LocalProcess process;
    private final JsonLinesTail<Event> tail;
    private final List<Event> events = new ArrayList<>();

    private BenchWorker(LocalProcess process, Path log) {
        this.process = process;
        this.tail = new JsonLinesTail<>(log, Event.class);
    }

    /**
     * Starts a process for this queue and topic.
     *
     * @param folder for its logs
     */
    static BenchWorker start(ScenarioContext context, String queue, Path folder, String name) {
        Path log = folder.resolve(name + ".events");
        List<String> arguments = List.of(
                context.brokers().kafka(),
                context.brokers().redis(),
                queue,
                log.toString(),
                Long.toString(context.sizes().lease().toMillis()));
        LocalProcess process = LocalProcess.java(
                        name,
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("512m", "-Djava.io.tmpdir=" + folder),
                        BenchWorker.class.getName(),
                        arguments)
                .directory(folder)
                .start();
        return new BenchWorker(process, log);
    }

    /**
     * Returns all events so far.
     *
     * @throws IllegalStateException if the process has failed
     */
    List<Event> events() {
        if (!process.isRunning() && process.exitStatus() == 1) {
            throw new IllegalStateException("A worker process failed. " + process.logTail());
        }
        events.addAll(tail.next());
        return events;
    }

    /** Sends SIGKILL. */
    void kill() {
        process.kill();
    }

    /** Sends SIGTERM, and waits for the end. */
    @Override
    public void close() {
        process.close();
    }

    /** Runs the process. Arguments: Kafka, Redis, queue, the file for events, the lease in milliseconds. */
    public static void main(String[] arguments) throws Exception {
        String queue = arguments[2];
        Path events = Path.of(arguments[3]);
        Path release = events.resolveSibling(RELEASE);
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[4]));
        JsonLinesLog<Event> log = new JsonLinesLog<>(events);
        // What the benchmark itself does in a handler must not count as lateness of the first task.
        EpochMicros.now();
        KafkaSource source =
                new KafkaSource(KafkaSettings.of(arguments[0], queue).withProperties(properties(lease)));
        TandemExecutor executor = TandemExecutor.start(
                arguments[1],
                new BenchSizes(0, 1, CONCURRENCY, 1, Duration.ZERO, 1, lease, 0, 0),
                new TandemExecutor.Queue(queue, source, QueuePolicy.ordered(CONCURRENCY), task -> {
                    log.write(Event.of(true, task));
                    if (HELD.equals(new String(task.payload(), StandardCharsets.UTF_8))) {
                        while (!Files.exists(release)) {
                            TimeUnit.MILLISECONDS.sleep(POLL_INTERVAL.toMillis());
                        }
                    }
                    log.write(Event.of(false, task));
                    return Result.done();
                }));
        Runtime.getRuntime().addShutdownHook(new Thread(executor::close));
        Thread.currentThread().join();
    }

    /** Returns the defaults. With a shorter lease, which is for tests, Kafka notices a dead process earlier too. */
    private static Map<String, String> properties(Duration lease) {
        long millis = lease.toMillis();
        return millis == CoreSettings.DEFAULTS.leaseMillis()
                ? Map.of()
                : Map.of(
                        "session.timeout.ms", Long.toString(millis * 4 / 5),
                        "heartbeat.interval.ms", Long.toString(millis / 5));
    }
}
