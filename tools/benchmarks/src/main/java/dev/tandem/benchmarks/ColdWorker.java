package dev.tandem.benchmarks;

import dev.tandem.api.Result;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.kit.EpochMicros;
import dev.tandem.task.QueuePolicy;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fresh process that handles the records of a filled topic with a handler that does nothing. It writes to a file when
 * the first and the last of them were handled, without a library, since loading one would be measured too.
 */
final class ColdWorker {

    /** The consumers that are compared. */
    enum Consumer {
        TANDEM,
        PARALLEL_CONSUMER
    }

    /**
     * The tasks of the process, and who consumes them.
     *
     * @param group the name of the queue, or the consumer group of the parallel consumer
     * @param concurrency of Tandem, or the threads of the parallel consumer
     */
    record Work(Consumer consumer, String kafka, String redis, String topic, String group, int tasks, int concurrency) {

        List<String> arguments(Path events) {
            return List.of(
                    consumer.name(),
                    kafka,
                    redis,
                    topic,
                    group,
                    Integer.toString(tasks),
                    Integer.toString(concurrency),
                    events.toString());
        }

        private static Work parse(String[] arguments) {
            return new Work(
                    Consumer.valueOf(arguments[0]),
                    arguments[1],
                    arguments[2],
                    arguments[3],
                    arguments[4],
                    Integer.parseInt(arguments[5]),
                    Integer.parseInt(arguments[6]));
        }
    }

    private final Work work;
    private final Path events;
    private final AtomicInteger handled = new AtomicInteger();

    private ColdWorker(Work work, Path events) {
        this.work = work;
        this.events = events;
    }

    /** Runs the process until it gets SIGTERM. The arguments are those of {@link Work#arguments}. */
    public static void main(String[] arguments) throws Exception {
        Work work = Work.parse(arguments);
        ColdWorker worker = new ColdWorker(work, Path.of(arguments[arguments.length - 1]));
        AutoCloseable consumer = switch (work.consumer()) {
            case TANDEM -> worker.tandem();
            case PARALLEL_CONSUMER -> worker.parallelConsumer();
        };
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(consumer)));
        Thread.currentThread().join();
    }

    private AutoCloseable tandem() {
        KafkaSource source =
                new KafkaSource(KafkaSettings.of(work.kafka(), work.group()).withTopic(work.topic()));
        BenchSizes sizes = new BenchSizes(0, 1, work.concurrency(), 1, Duration.ZERO, 1, Duration.ofSeconds(10), 0, 0);
        QueuePolicy policy = QueuePolicy.ordered(work.concurrency());
        return TandemExecutor.start(
                work.redis(), sizes, new TandemExecutor.Queue(work.group(), work.topic(), source, policy, task -> {
                    handled();
                    return Result.done();
                }));
    }

    private AutoCloseable parallelConsumer() {
        ParallelStreamProcessor<byte[], byte[]> processor =
                KafkaBaselines.parallelConsumer(work.kafka(), work.topic(), work.group(), work.concurrency());
        processor.poll(record -> handled());
        return processor;
    }

    private void handled() {
        int count = handled.incrementAndGet();
        if (count == 1 || count == work.tasks()) {
            long now = EpochMicros.now();
            try (FileOutputStream file = new FileOutputStream(events.toFile(), true)) {
                file.write((now + "\n").getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns when the first and the last task were handled, as far as that has happened. */
    static List<Long> handledAt(Path events) throws IOException {
        return Files.readAllLines(events).stream().map(Long::valueOf).toList();
    }

    private static void close(AutoCloseable consumer) {
        try {
            consumer.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
