package dev.tandem.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Kafka, an AMQP broker and Redis. Those whose address is given are used as they are, the others are started on this
 * machine, all at the same time. Thread-safe.
 */
public final class LocalPlatform implements AutoCloseable {

    private static final int KAFKA_PORT = 9092;
    private static final int AMQP_PORT = 5672;
    private static final int REDIS_PORT = 6379;

    private final String kafka;
    private final String amqp;
    private final String redis;
    private final List<LocalBroker> started = new ArrayList<>();
    private final Consumer<String> progress;

    private LocalPlatform(Builder builder) {
        progress = builder.progress;
        if (builder.mayUseDocker()) {
            progress.accept("Docker answers: brokers run as its containers (their images are pulled the first time)");
        }
        ExecutorService starters = Executors.newFixedThreadPool(3, task -> {
            Thread thread = new Thread(task, "tandem-local-start");
            thread.setDaemon(true);
            return thread;
        });
        try {
            var kafkaStart = address(
                    starters, "Kafka", builder.kafka, () -> builder.kafka().start());
            var redisStart = address(
                    starters, "Redis", builder.redis, () -> builder.redis().start());
            var amqpStart =
                    address(starters, "AMQP", builder.amqp, () -> builder.amqp().start());
            CompletableFuture.allOf(kafkaStart, redisStart, amqpStart).join();
            kafka = kafkaStart.join();
            redis = redisStart.join();
            amqp = amqpStart.join();
        } catch (CompletionException e) {
            close();
            throw e.getCause() instanceof LocalException cause
                    ? cause
                    : new LocalException("The local platform did not start: " + e.getCause(), e);
        } finally {
            starters.shutdown();
        }
    }

    /** Builds a platform of three local brokers. */
    public static Builder builder() {
        return new Builder();
    }

    private CompletableFuture<String> address(
            ExecutorService starters, String what, @Nullable String given, Supplier<? extends LocalBroker> starter) {
        if (given != null) {
            progress.accept(what + ": " + given + ", as configured");
            return CompletableFuture.completedFuture(given);
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    long begin = System.nanoTime();
                    LocalBroker broker = starter.get();
                    synchronized (started) {
                        started.add(broker);
                    }
                    double seconds = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1_000.0;
                    progress.accept(String.format(
                            Locale.ROOT,
                            "%s: %s (%s) at %s, up in %.1f s",
                            what,
                            broker.product(),
                            broker.origin(),
                            broker.address(),
                            seconds));
                    return broker.address();
                },
                starters);
    }

    /** The bootstrap servers of Kafka. */
    public String kafka() {
        return kafka;
    }

    /** The URI of the AMQP broker. */
    public String amqp() {
        return amqp;
    }

    /** The URI of Redis. */
    public String redis() {
        return redis;
    }

    /** Returns the brokers that were started here, without those whose address was given. */
    public List<LocalBroker> started() {
        synchronized (started) {
            return List.copyOf(started);
        }
    }

    /** Ends the brokers that were started here. May be called twice. */
    @Override
    public void close() {
        List<CompletableFuture<Void>> closing = started().stream()
                .map(broker -> CompletableFuture.runAsync(broker::close))
                .toList();
        closing.forEach(CompletableFuture::join);
    }

    /** Settings of a {@link LocalPlatform}. Not thread-safe. */
    public static final class Builder {

        private @Nullable String kafka;
        private @Nullable String amqp;
        private @Nullable String redis;
        private @Nullable Path data;
        private boolean usualPorts;
        private boolean fullSpeed;
        private Consumer<String> progress = line -> {};

        private Builder() {}

        /** Sets the bootstrap servers of a Kafka to use. The default, null, has one started. */
        public Builder kafka(@Nullable String bootstrapServers) {
            this.kafka = bootstrapServers;
            return this;
        }

        /** Sets the URI of an AMQP broker to use. The default, null, has one started. */
        public Builder amqp(@Nullable String uri) {
            this.amqp = uri;
            return this;
        }

        /** Sets the URI of a Redis to use. The default, null, has one started. */
        public Builder redis(@Nullable String uri) {
            this.redis = uri;
            return this;
        }

        /** Sets a folder that keeps the brokers' data from run to run. The default is a temporary one. */
        public Builder data(Path folder) {
            this.data = folder;
            return this;
        }

        /** Uses the ports 9092, 5672 and 6379 where they are free, so that other tools find the brokers. */
        public Builder usualPorts() {
            this.usualPorts = true;
            return this;
        }

        /** Has embedded brokers run faster once they are warm, and start slower: for benchmarks and long use. */
        public Builder fullSpeed() {
            this.fullSpeed = true;
            return this;
        }

        /** Sets a receiver of a line about each broker that is up. Several threads call it. */
        public Builder progress(Consumer<String> lines) {
            this.progress = lines;
            return this;
        }

        /**
         * Starts the brokers and waits until all answer.
         *
         * @throws LocalException when one does not start; the others are ended
         */
        public LocalPlatform start() {
            return new LocalPlatform(this);
        }

        private boolean mayUseDocker() {
            LocalMode mode = LocalMode.configured();
            boolean any = kafka == null || amqp == null || redis == null;
            return any && data == null && mode != mode.withoutDocker() && DockerEngine.answers();
        }

        private LocalKafka.Builder kafka() {
            LocalKafka.Builder builder =
                    LocalKafka.builder().port(port(KAFKA_PORT)).data(data("kafka"));
            return fullSpeed ? builder.fullSpeed() : builder;
        }

        private LocalAmqp.Builder amqp() {
            LocalAmqp.Builder builder =
                    LocalAmqp.builder().port(port(AMQP_PORT)).data(data("amqp"));
            return fullSpeed ? builder.fullSpeed() : builder;
        }

        private LocalRedis.Builder redis() {
            return LocalRedis.builder().port(port(REDIS_PORT)).data(data("redis"));
        }

        private int port(int usual) {
            return usualPorts ? PortReservations.usualOrReserved(usual) : PortReservations.reserve();
        }

        private @Nullable Path data(String name) {
            Path folder = data;
            return folder == null ? null : folder.resolve(name);
        }
    }
}
