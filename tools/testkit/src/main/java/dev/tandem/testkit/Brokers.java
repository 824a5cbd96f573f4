package dev.tandem.testkit;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalMariaDb;
import dev.tandem.local.LocalMode;
import dev.tandem.local.LocalMySql;
import dev.tandem.local.LocalPostgres;
import dev.tandem.local.LocalRabbitCluster;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.local.LocalRedisSentinel;
import dev.tandem.local.MissingBrokerException;
import java.time.Duration;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * Real brokers for integration tests.
 *
 * <p>Shared brokers are started at their first use and end with the test JVM. Tests that share a broker use unique
 * names. A broker of a test's own can be killed, frozen and restarted, and the test must close it.
 *
 * <p>Where a broker is not available, the test is skipped with the reason. With the environment variable {@code
 * CI=true} it fails. So call these methods from a test or from a method that runs before one, not from a static
 * initialiser. Thread-safe.
 */
public final class Brokers {

    /** Time that a test waits for what must happen, long enough where several modules are tested at once. */
    public static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 300));

    private static final Shared<SharedKafka> KAFKA = new Shared<>(SharedKafka::new);
    private static final Shared<SharedRedis> REDIS = new Shared<>(() -> new SharedRedis(LocalMode.configured()));
    private static final Shared<SharedRedis> OLDEST_REDIS = new Shared<>(() -> new SharedRedis(LocalMode.EMBEDDED));

    private static final Shared<LocalRedisCluster> REDIS_CLUSTER =
            new Shared<>(LocalRedisCluster::startWithoutReplicas);

    private static final Shared<SharedRabbit> RABBIT = new Shared<>(SharedRabbit::new);
    private static final Shared<LocalPostgres> POSTGRES = new Shared<>(LocalPostgres::create);
    private static final Shared<LocalMariaDb> MARIA_DB = new Shared<>(LocalMariaDb::create);
    private static final Shared<LocalMySql> MY_SQL = new Shared<>(LocalMySql::create);

    static {
        // A condition that a test gives no limit.
        Awaitility.setDefaultTimeout(PATIENCE);
    }

    private Brokers() {}

    /** Returns the Kafka that the tests of this JVM share. */
    public static SharedKafka kafka() {
        return orSkip(KAFKA);
    }

    /** Returns the Redis that the tests of this JVM share. Never flush it. */
    public static SharedRedis redis() {
        return orSkip(REDIS);
    }

    /** Returns a Redis 6.2, the oldest supported one, that the tests of this JVM share. */
    public static SharedRedis oldestRedis() {
        return orSkip(OLDEST_REDIS);
    }

    /** Returns the Redis Cluster of three primaries that the tests of this JVM share. Never flush it. */
    public static LocalRedisCluster redisCluster() {
        return orSkip(REDIS_CLUSTER);
    }

    /** Returns the RabbitMQ that the tests of this JVM share. */
    public static SharedRabbit rabbit() {
        return orSkip(RABBIT);
    }

    /** Returns the PostgreSQL that the tests of this JVM share. */
    public static LocalPostgres postgres() {
        return orSkip(POSTGRES);
    }

    /** Returns the MariaDB that the tests of this JVM share. */
    public static LocalMariaDb mariaDb() {
        return orSkip(MARIA_DB);
    }

    /** Starts a MariaDB for one test. Close it. */
    public static LocalMariaDb ownMariaDb() {
        return orSkip(LocalMariaDb::create);
    }

    /** Returns the MySQL that the tests of this JVM share. */
    public static LocalMySql mySql() {
        return orSkip(MY_SQL);
    }

    /** Starts a MySQL for one test. Close it. */
    public static LocalMySql ownMySql() {
        return orSkip(LocalMySql::create);
    }

    /** Starts a PostgreSQL for one test class, which takes about a second. Close it. */
    public static LocalPostgres ownPostgres(String... settings) {
        return orSkip(() -> LocalPostgres.create(settings));
    }

    /** Starts a Kafka for one test. Close it. */
    public static LocalKafka ownKafka() {
        return orSkip(() -> LocalKafka.builder().mode(process()).start());
    }

    /** Starts a Kafka for one test, whose clients come through a proxy. @param listener as for its builder */
    public static LocalKafka ownKafkaBehind(int listener, int advertised) {
        return orSkip(() -> LocalKafka.builder()
                .mode(process())
                .proxiedListener(listener, advertised)
                .start());
    }

    /** Starts a Redis for one test. Close it. */
    public static LocalRedis ownRedis() {
        return orSkip(() -> LocalRedis.builder().mode(process()).start());
    }

    /** Starts a Redis Cluster of six nodes for one test, which takes about four seconds. Close it. */
    public static LocalRedisCluster ownRedisCluster() {
        return orSkip(LocalRedisCluster::start);
    }

    /** Starts a Redis with two replicas and three Sentinels for one test. Close it. */
    public static LocalRedisSentinel ownRedisSentinel() {
        return orSkip(LocalRedisSentinel::start);
    }

    /** Starts a RabbitMQ cluster of three nodes for one test, which takes about 20 seconds. Close it. */
    public static LocalRabbitCluster ownRabbitCluster() {
        return orSkip(LocalRabbitCluster::start);
    }

    /** Starts a Qpid Broker-J, on which the demo runs where there is no RabbitMQ, for one test. Close it. */
    public static LocalAmqp ownQpid() {
        return orSkip(() -> LocalAmqp.builder().mode(LocalMode.EMBEDDED).start());
    }

    // A process can be killed and frozen faster than a container, and its files can be read.
    private static LocalMode process() {
        return LocalMode.configured().withoutDocker();
    }

    /**
     * Returns a broker, or skips the test if there is none, or fails it in CI.
     *
     * @param broker throws {@link MissingBrokerException} where there is none
     */
    public static <T> T orSkip(Supplier<T> broker) {
        try {
            return broker.get();
        } catch (MissingBrokerException e) {
            if (Boolean.parseBoolean(System.getenv("CI"))) {
                throw new AssertionError("With CI=true no test may be skipped, but: " + e.getMessage(), e);
            }
            throw new TestAbortedException(e.getMessage(), e);
        }
    }

    /** A broker that is started at its first use. The next test retries a failed start. */
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
