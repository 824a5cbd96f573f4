package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.RetryPolicy;
import dev.tandem.executor.Executor;
import dev.tandem.executor.QueueSpec;
import dev.tandem.executor.QueueStatus;
import dev.tandem.executor.UnhandledPolicy;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kafka.KafkaSource;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.rabbit.RabbitSource;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** One executor of one queue, in this process or in its own ({@link WorkerProcess}). */
final class TestWorker implements AutoCloseable {

    /** Small, so that a larger payload still fits through the broker. */
    static final int MAX_PAYLOAD = 10_000;

    /** For how long producers may not know that a topic has more partitions. */
    private static final Duration GROWTH_WINDOW = Duration.ofSeconds(4);

    /** Longer than a test holds a task. */
    private static final Duration HANDLER_TIMEOUT = Duration.ofMinutes(10);

    /** The horizon of executors that set no other. */
    static final int HORIZON_MILLIS = (int) CoreSettings.DEFAULTS.horizonMillis();

    /** The number of partitions of a RabbitMQ queue. */
    static final int RABBIT_PARTITIONS = 4;

    /**
     * The options of a worker, in a form that fits on a command line.
     *
     * @param broker Kafka's bootstrap servers, or RabbitMQ's address
     * @param redis the address of Redis; or those of the nodes of a cluster, separated by commas
     * @param ordered whether tasks are ordered by key
     * @param retryMillis the delay before a failed task's next attempt
     * @param maxAttempts the limit of attempts of every task
     * @param leaseMillis the lease of claims and partitions, and the longest session timeout at Kafka
     * @param horizonMillis after it a hand-over counts as durable, and a run that holds others back is adopted
     */
    record Options(
            String broker,
            String redis,
            String queue,
            boolean ordered,
            Path journal,
            long retryMillis,
            int maxAttempts,
            int leaseMillis,
            int horizonMillis) {

        /** Connects to the same broker through another address. */
        Options via(String otherBroker) {
            return new Options(
                    otherBroker, redis, queue, ordered, journal, retryMillis, maxAttempts, leaseMillis, horizonMillis);
        }

        /** Connects to the same Redis through another address. */
        Options viaRedis(String otherRedis) {
            return new Options(
                    broker, otherRedis, queue, ordered, journal, retryMillis, maxAttempts, leaseMillis, horizonMillis);
        }

        Options retrying(long millis, int attempts) {
            return new Options(broker, redis, queue, ordered, journal, millis, attempts, leaseMillis, horizonMillis);
        }

        /** Shortens the lease for tests with many deaths. */
        Options leasedFor(int millis) {
            return new Options(broker, redis, queue, ordered, journal, retryMillis, maxAttempts, millis, horizonMillis);
        }

        /** Lets runs that hold others back go on for longer before they are adopted. */
        Options adoptingAfter(int millis) {
            return new Options(broker, redis, queue, ordered, journal, retryMillis, maxAttempts, leaseMillis, millis);
        }

        CoreSettings core() {
            return CoreSettings.builder()
                    .leaseMillis(leaseMillis)
                    .horizonMillis(horizonMillis)
                    .build();
        }

        Map<String, String> consumer() {
            return leaseMillis >= CoreSettings.DEFAULTS.leaseMillis()
                    ? Map.of()
                    : Map.of(
                            "session.timeout.ms",
                            Integer.toString(leaseMillis),
                            "heartbeat.interval.ms",
                            Integer.toString(leaseMillis / 5),
                            "metadata.max.age.ms",
                            Integer.toString(leaseMillis / 4));
        }

        List<String> arguments() {
            return List.of(
                    broker,
                    redis,
                    queue,
                    Boolean.toString(ordered),
                    journal.toString(),
                    Long.toString(retryMillis),
                    Integer.toString(maxAttempts),
                    Integer.toString(leaseMillis),
                    Integer.toString(horizonMillis));
        }

        static Options of(String[] arguments) {
            return new Options(
                    arguments[0],
                    arguments[1],
                    arguments[2],
                    Boolean.parseBoolean(arguments[3]),
                    Path.of(arguments[4]),
                    Long.parseLong(arguments[5]),
                    Integer.parseInt(arguments[6]),
                    Integer.parseInt(arguments[7]),
                    Integer.parseInt(arguments[8]));
        }

        Source source() {
            if (!broker.startsWith("amqp")) {
                return new KafkaSource(KafkaSettings.of(broker, queue)
                        .withMaxPayload(MAX_PAYLOAD)
                        .withGrowthWindow(GROWTH_WINDOW)
                        .withProperties(consumer()));
            }
            RabbitSettings settings =
                    RabbitSettings.of(broker, queue).withMaxPayload(MAX_PAYLOAD).withPartitions(RABBIT_PARTITIONS);
            return new RabbitSource(ordered ? settings.orderedByHeader() : settings);
        }

        RedisSettings redisSettings() {
            return redis.contains(",") ? RedisSettings.cluster(List.of(redis.split(",", -1))) : RedisSettings.of(redis);
        }

        QueuePolicy policy() {
            return ordered ? QueuePolicy.ordered(64) : QueuePolicy.unordered(64);
        }
    }

    private final RedisStore store;
    private final RunJournal journal;
    private final ScriptedHandler handler;
    private final Executor executor;
    private final String queue;

    TestWorker(Options options) {
        this(options, Set::of);
    }

    /** Creates a worker that parks so many tasks of a key. Those behind them stay in the log. */
    TestWorker(Options options, int maxParkedPerKey) {
        this(
                options,
                options.policy().withParked(maxParkedPerKey, options.policy().maxParkedPerPartition()),
                Set::of);
    }

    /** Creates a worker that shares a RabbitMQ queue with other executors. It always counts itself. */
    TestWorker(Options options, Supplier<Set<String>> members) {
        this(options, options.policy(), members);
    }

    private TestWorker(Options options, QueuePolicy policy, Supplier<Set<String>> members) {
        queue = options.queue();
        store = RedisStore.open(options.redisSettings());
        journal = new RunJournal(options.journal());
        handler = new ScriptedHandler(journal);
        executor = Executor.builder()
                .id("it")
                .settings(options.core())
                .drainTimeout(Duration.ofSeconds(10))
                .queue(QueueSpec.queue(options.queue())
                        .source(options.source())
                        .store(store)
                        .policy(policy)
                        .members(members)
                        .maxAttempts(options.maxAttempts())
                        .unhandledPolicy(new UnhandledPolicy(Duration.ofSeconds(2), true))
                        .timeout(HANDLER_TIMEOUT)
                        .retry(RetryPolicy.fixed(Duration.ofMillis(options.retryMillis())))
                        .defaultType("it")
                        .handler("it", handler::handle)
                        .build())
                .build();
        executor.start();
    }

    String id() {
        return executor.id();
    }

    /** Waits until every delivery to this worker is settled. */
    void awaitNothingUnsettled() {
        await("nothing unsettled in " + queue)
                .atMost(TestQueue.PATIENCE)
                .pollInterval(TestQueue.POLL_INTERVAL)
                .untilAsserted(() -> assertThat(unsettled()).isZero());
    }

    /** Whether the worker is asking the broker if it still owns a partition. */
    boolean isConfirming() throws Exception {
        return describeCore(executor, queue).contains(" CONFIRMING ");
    }

    private static String describeCore(Executor executor, String queue) throws Exception {
        return executor.describe(queue).get(60, TimeUnit.SECONDS);
    }

    /** Returns how many deliveries to this worker are unsettled. */
    int unsettled() throws Exception {
        return unsettled(executor, queue);
    }

    /** Returns how many deliveries of a queue to an executor are unsettled. */
    static int unsettled(Executor executor, String queue) throws Exception {
        return Pattern.compile("tracked=(\\d+)")
                .matcher(describeCore(executor, queue))
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum();
    }

    QueueStatus status() {
        return executor.status().get(0);
    }

    /** Ends all runs that hold. */
    void release() {
        handler.release();
    }

    @Override
    public void close() {
        handler.release();
        executor.stop();
        store.close();
        journal.close();
    }

    /** Runs a worker as a process. */
    public static void main(String[] arguments) throws InterruptedException {
        Options options = Options.of(arguments);
        TestWorker worker = new TestWorker(options);
        Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
        while (true) {
            // Logs the state, for the investigation of failures.
            TimeUnit.SECONDS.sleep(5);
            System.out.println(worker.status());
            worker.executor.describe(options.queue()).thenAccept(System.out::println);
        }
    }
}
