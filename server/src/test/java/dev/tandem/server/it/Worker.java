package dev.tandem.server.it;

import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.QueueStatus;
import dev.tandem.executor.RetryPolicy;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** One executor of one Kafka queue, in this process or as the main of its own. */
final class Worker implements AutoCloseable {

    /** How long a failed task waits. */
    static final Duration RETRY = Duration.ofSeconds(1);

    /** Starts of a task in all. */
    static final int MAX_ATTEMPTS = 4;

    /** Where a worker finds its work, in a form that fits on a command line. */
    record Place(String kafka, String redis, String queue, Path journal) {

        List<String> arguments() {
            return List.of(kafka, redis, queue, journal.toString());
        }

        static Place of(String[] arguments) {
            return new Place(arguments[0], arguments[1], arguments[2], Path.of(arguments[3]));
        }
    }

    private final RedisStore store;
    private final Journal journal;
    private final Behaviour behaviour;
    private final Executor executor;

    Worker(Place place) {
        this(place, CoreSettings.DEFAULTS);
    }

    Worker(Place place, CoreSettings settings) {
        store = RedisStore.open(RedisSettings.of(place.redis()));
        journal = new Journal(place.journal());
        behaviour = new Behaviour(journal);
        executor = Executor.builder()
                .id("it")
                .settings(settings)
                .drainTimeout(Duration.ofSeconds(10))
                .queue(QueueSpec.queue(place.queue())
                        .source(new KafkaSource(KafkaSettings.of(place.kafka(), place.queue())))
                        .store(store)
                        .policy(QueuePolicy.ordered(64))
                        .maxAttempts(MAX_ATTEMPTS)
                        .retry(RetryPolicy.fixed(RETRY))
                        .defaultType("it")
                        .handler("it", behaviour::handle)
                        .build())
                .build();
        executor.start();
    }

    QueueStatus status() {
        return executor.status().get(0);
    }

    void release() {
        behaviour.release();
    }

    @Override
    public void close() {
        executor.stop();
        store.close();
        journal.close();
    }

    /** A worker as a process of its own, to be killed. */
    public static void main(String[] arguments) {
        Worker worker = new Worker(Place.of(arguments));
        Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
    }
}
