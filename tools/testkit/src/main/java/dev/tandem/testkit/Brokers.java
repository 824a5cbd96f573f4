package dev.tandem.testkit;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalMode;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.LocalRedisSentinel;
import dev.tandem.local.UnavailableException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * Real brokers for integration tests.
 *
 * <p>Shared ones are started at their first use and end with the test JVM; a test keeps out of others' way by fresh
 * names. Ones of a test's own can be killed, frozen and restarted; they are closed by the test.
 *
 * <p>Where a broker cannot be had, the test is skipped and says why; with the environment variable {@code CI=true} it
 * fails. So call these from a test, or a method that runs before one, not from a static initialiser. Thread-safe.
 */
public final class Brokers {

    private static final Shared<SharedKafka> KAFKA = new Shared<>(SharedKafka::new);
    private static final Shared<SharedRedis> REDIS = new Shared<>(() -> new SharedRedis(LocalMode.configured()));
    private static final Shared<SharedRedis> OLDEST_REDIS = new Shared<>(() -> new SharedRedis(LocalMode.EMBEDDED));

    private static final Shared<SharedRabbit> RABBIT = new Shared<>(SharedRabbit::new);

    private Brokers() {}

    /** The Kafka that the tests of this JVM share. */
    public static SharedKafka kafka() {
        return orSkip(KAFKA);
    }

    /** The Redis that the tests of this JVM share. Never flush it: use fresh queue names. */
    public static SharedRedis redis() {
        return orSkip(REDIS);
    }

    /** A Redis 6.2, the oldest that is supported, for the tests of this JVM. */
    public static SharedRedis oldestRedis() {
        return orSkip(OLDEST_REDIS);
    }

    /** The RabbitMQ that the tests of this JVM share. */
    public static SharedRabbit rabbit() {
        return orSkip(RABBIT);
    }

    /** A Kafka of the test's own. Close it. */
    public static LocalKafka ownKafka() {
        return orSkip(() -> LocalKafka.builder().mode(process()).start());
    }

    /** A Redis of the test's own. Close it. */
    public static LocalRedis ownRedis() {
        return orSkip(() -> LocalRedis.builder().mode(process()).start());
    }

    /** A Redis Cluster of six nodes of the test's own. Close it. It takes about four seconds to start. */
    public static LocalRedisCluster ownRedisCluster() {
        return orSkip(LocalRedisCluster::start);
    }

    /** A Redis with two replicas and three Sentinels, of the test's own. Close it. */
    public static LocalRedisSentinel ownRedisSentinel() {
        return orSkip(LocalRedisSentinel::start);
    }

    /** A RabbitMQ of the test's own. Close it. It takes seven seconds to start. */
    public static LocalAmqp ownRabbit() {
        return orSkip(() -> {
            try {
                return LocalAmqp.builder().mode(process()).rabbitOnly().start();
            } catch (UnavailableException e) {
                return LocalAmqp.builder().rabbitOnly().start(); // in Docker, if that may be
            }
        });
    }

    /** A Qpid Broker-J of the test's own: what the demo runs on where there is no RabbitMQ. Close it. */
    public static LocalAmqp ownQpid() {
        return orSkip(() -> LocalAmqp.builder().mode(LocalMode.EMBEDDED).start());
    }

    // A process can be killed, frozen and looked into faster and further than a container.
    private static LocalMode process() {
        return LocalMode.configured().withoutDocker();
    }

    /**
     * Gets a broker, or skips the test that asks (fails it in CI).
     *
     * @param broker throws {@link UnavailableException} where there is none
     */
    public static <T> T orSkip(Supplier<T> broker) {
        try {
            return broker.get();
        } catch (UnavailableException e) {
            if (Boolean.parseBoolean(System.getenv("CI"))) {
                throw new AssertionError("Nothing may be skipped with CI=true, but: " + e.getMessage(), e);
            }
            throw new TestAbortedException(e.getMessage(), e);
        }
    }

    /** Starts at the first use; a failed start is tried again by the next test. */
    private static final class Shared<T> implements Supplier<T> {

        private final Supplier<T> starter;
        private volatile @Nullable T started;

        Shared(Supplier<T> starter) {
            this.starter = starter;
        }

        @Override
        public T get() {
            T found = started;
            return found != null ? found : start();
        }

        private synchronized T start() {
            T found = started;
            if (found == null) {
                found = starter.get();
                started = found;
            }
            return found;
        }
    }
}
