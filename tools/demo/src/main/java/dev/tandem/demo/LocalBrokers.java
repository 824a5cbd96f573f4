package dev.tandem.demo;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.PortReservations;
import dev.tandem.server.settings.Secrets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Kafka, an AMQP broker and Redis: existing ones where an address is given, local ones otherwise. The addresses are
 * known at once. The local brokers start at the same time, and a caller waits for the one that it needs. Thread-safe.
 */
final class LocalBrokers implements AutoCloseable {

    /** The addresses of existing brokers; null for each one that must be started. */
    record ExistingBrokers(
            @Nullable String kafka,
            @Nullable String rabbit,
            @Nullable String redis) {}

    /** A broker. @param start completes when it is up; null for an existing one */
    private record BrokerHandle(String address, @Nullable CompletableFuture<LocalBroker> start) {

        void await() {
            if (start != null) {
                try {
                    start.join();
                } catch (CompletionException e) {
                    throw e.getCause() instanceof RuntimeException cause ? cause : e;
                }
            }
        }
    }

    private final Consumer<String> say;
    private final List<BrokerHandle> handles = new ArrayList<>();
    private final BrokerHandle kafka;
    private final BrokerHandle rabbit;
    private final BrokerHandle redis;

    /**
     * @param amqp whether an AMQP broker is needed
     * @param say receives a line for each broker that is up
     */
    LocalBrokers(ExistingBrokers existing, boolean amqp, Consumer<String> say) {
        this.say = say;
        kafka = useOrStart(
                "Kafka",
                existing.kafka(),
                9092,
                port -> "127.0.0.1:" + port,
                port -> () -> LocalKafka.builder().port(port).start());
        redis = useOrStart(
                "Redis",
                existing.redis(),
                6379,
                port -> "redis://127.0.0.1:" + port,
                port -> () -> LocalRedis.builder().port(port).start());
        rabbit = amqp
                ? useOrStart(
                        "AMQP",
                        existing.rabbit(),
                        5672,
                        port -> "amqp://guest:guest@127.0.0.1:" + port,
                        port -> () -> LocalAmqp.builder().port(port).start())
                : new BrokerHandle("amqp://127.0.0.1", null);
    }

    private BrokerHandle useOrStart(
            String name,
            @Nullable String existing,
            int defaultPort,
            IntFunction<String> address,
            IntFunction<Supplier<LocalBroker>> starter) {
        BrokerHandle handle;
        if (existing != null) {
            say.accept(name + " at " + Secrets.masked(existing) + ", as given");
            handle = new BrokerHandle(existing, null);
        } else {
            int port = freePort(defaultPort);
            handle = new BrokerHandle(
                    address.apply(port),
                    CompletableFuture.supplyAsync(
                            () -> start(starter.apply(port)), task -> new Thread(task, name).start()));
        }
        handles.add(handle);
        return handle;
    }

    private LocalBroker start(Supplier<LocalBroker> starter) {
        long startNanos = System.nanoTime();
        LocalBroker broker = starter.get();
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        say.accept(String.format(Locale.ROOT, "%s, up in %.1f s", broker, seconds));
        return broker;
    }

    /** Returns the default port if it is free, else another one. */
    static int freePort(int defaultPort) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), defaultPort));
            return defaultPort;
        } catch (IOException e) {
            return PortReservations.reserve();
        }
    }

    /** {@code host:port}. */
    String kafka() {
        return kafka.address();
    }

    /** {@code amqp://…}. */
    String rabbit() {
        return rabbit.address();
    }

    /** {@code redis://…}. */
    String redis() {
        return redis.address();
    }

    void awaitKafka() {
        kafka.await();
    }

    void awaitRabbit() {
        rabbit.await();
    }

    /** @throws RuntimeException if a broker could not be started */
    void awaitAll() {
        handles.forEach(BrokerHandle::await);
    }

    @Override
    public void close() {
        handles.parallelStream().forEach(handle -> {
            if (handle.start() != null) {
                handle.start()
                        .thenAccept(LocalBroker::close)
                        .exceptionally(failed -> null)
                        .join();
            }
        });
    }
}
