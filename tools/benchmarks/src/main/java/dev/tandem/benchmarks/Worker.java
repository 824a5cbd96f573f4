package dev.tandem.benchmarks;

import dev.tandem.executor.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.local.LocalProcess;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.QueuePolicy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * An executor in a process of its own, which can be killed for real. It notes in a file when its tasks start and end;
 * one whose payload says so does not end before the benchmark makes the file {@code release} in its folder.
 */
final class Worker implements AutoCloseable {

    static final String HELD = "held";

    private static final int CONCURRENCY = 256;
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final List<String> JVM =
            List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    /** The start or the end of a task. @param task partition and offset; @param micros since the epoch */
    record Event(boolean start, String task, long micros) {}

    private final LocalProcess process;
    private final Path notes;
    private final List<Event> events = new ArrayList<>();
    private long read;

    private Worker(LocalProcess process, Path notes) {
        this.process = process;
        this.notes = notes;
    }

    /** Starts a process for this queue and topic. @param folder for notes and logs */
    static Worker start(Lab lab, String queue, Path folder, String name) {
        Path notes = folder.resolve(name + ".notes");
        List<String> arguments = List.of(
                lab.kafka(),
                lab.redis(),
                queue,
                notes.toString(),
                Long.toString(lab.sizes().lease().toMillis()));
        List<String> options = new ArrayList<>(JVM);
        options.add("-Djava.io.tmpdir=" + folder);
        return new Worker(
                LocalProcess.java(
                                name, System.getProperty("java.class.path"), options, Worker.class.getName(), arguments)
                        .directory(folder)
                        .start(),
                notes);
    }

    /** All that it has noted so far. */
    List<Event> events() throws IOException {
        if (!process.isRunning() && process.exitStatus() == 1) {
            throw new IllegalStateException("A worker ended. " + process.logTail());
        }
        if (Files.exists(notes)) {
            try (BufferedReader lines = Files.newBufferedReader(notes)) {
                lines.skip(read);
                for (String line = lines.readLine(); line != null && line.endsWith("."); line = lines.readLine()) {
                    read += line.length() + 1;
                    String[] words = line.split(" ");
                    events.add(new Event(words[0].equals("S"), words[1], Long.parseLong(words[2])));
                }
            }
        }
        return events;
    }

    /** SIGKILL. */
    void kill() {
        process.kill();
    }

    /** SIGTERM, and its end. */
    @Override
    public void close() {
        process.close();
    }

    static long nowMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** The process. Arguments: Kafka, Redis, queue, the file for notes, the lease in milliseconds. */
    public static void main(String[] arguments) throws Exception {
        Path notes = Path.of(arguments[3]);
        Path release = notes.resolveSibling("release");
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[4]));
        OutputStream out = Files.newOutputStream(notes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        KafkaSource source =
                new KafkaSource(KafkaSettings.of(arguments[0], arguments[2]).withProperties(properties(lease)));
        Tandem tandem = Tandem.start(
                arguments[1],
                new Sizes(0, 1, CONCURRENCY, 1, Duration.ZERO, 1, lease),
                new Tandem.Queue(arguments[2], source, QueuePolicy.ordered(CONCURRENCY), task -> {
                    note(out, "S", task.id());
                    if (HELD.equals(new String(task.payload(), StandardCharsets.UTF_8))) {
                        while (!Files.exists(release)) {
                            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
                        }
                    }
                    note(out, "E", task.id());
                    return Result.done();
                }));
        Runtime.getRuntime().addShutdownHook(new Thread(tandem::close));
        Thread.currentThread().join();
    }

    /** The defaults; with a shorter lease, for a test, Kafka notices a death earlier too. */
    private static Map<String, String> properties(Duration lease) {
        long millis = lease.toMillis();
        return millis == CoreSettings.DEFAULTS.leaseMillis()
                ? Map.of()
                : Map.of(
                        "session.timeout.ms", Long.toString(millis * 4 / 5),
                        "heartbeat.interval.ms", Long.toString(millis / 5));
    }

    private static void note(OutputStream out, String what, String id) {
        // <topic>:<partition>:<offset>
        String task = id.substring(id.indexOf(':') + 1);
        try {
            synchronized (out) {
                out.write((what + ' ' + task + ' ' + nowMicros() + " .\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
