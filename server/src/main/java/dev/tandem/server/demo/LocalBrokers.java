package dev.tandem.server.demo;

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
 * Kafka, an AMQP broker and Redis for this machine: those whose addresses are given, and local ones for the rest. Their
 * addresses are known at once; all start at the same time, and whoever needs one waits for it. Thread-safe.
 */
final class LocalBrokers implements AutoCloseable {

    /** Addresses of brokers that are there already; null for each that is to be started. */
    record Given(
            @Nullable String kafka,
            @Nullable String rabbit,
            @Nullable String redis) {}

    /** One of them. @param broker its start; null where the address was given */
    private record Place(String address, @Nullable CompletableFuture<LocalBroker> broker) {

        void await() {
            if (broker != null) {
                try {
                    broker.join();
                } catch (CompletionException e) {
                    throw e.getCause() instanceof RuntimeException cause ? cause : e;
                }
            }
        }
    }

    private final Consumer<String> say;
    private final List<Place> places = new ArrayList<>();
    private final Place kafka;
    private final Place rabbit;
    private final Place redis;

    /**
     * @param amqp whether an AMQP broker is wanted
     * @param say told of each one that is up
     */
    LocalBrokers(Given given, boolean amqp, Consumer<String> say) {
        this.say = say;
        kafka = place(
                "Kafka",
                given.kafka(),
                9092,
                port -> "127.0.0.1:" + port,
                port -> () -> LocalKafka.builder().port(port).start());
        redis = place(
                "Redis",
                given.redis(),
                6379,
                port -> "redis://127.0.0.1:" + port,
                port -> () -> LocalRedis.builder().port(port).start());
        rabbit = amqp
                ? place(
                        "AMQP",
                        given.rabbit(),
                        5672,
                        port -> "amqp://guest:guest@127.0.0.1:" + port,
                        port -> () -> LocalAmqp.builder().port(port).start())
                : new Place("amqp://127.0.0.1", null);
    }

    private Place place(
            String what,
            @Nullable String given,
            int usualPort,
            IntFunction<String> address,
            IntFunction<Supplier<LocalBroker>> starter) {
        Place place;
        if (given != null) {
            say.accept(what + " at " + Secrets.masked(given) + ", as given");
            place = new Place(given, null);
        } else {
            int port = free(usualPort);
            place = new Place(
                    address.apply(port),
                    CompletableFuture.supplyAsync(
                            () -> begin(starter.apply(port)), task -> new Thread(task, what).start()));
        }
        places.add(place);
        return place;
    }

    private LocalBroker begin(Supplier<LocalBroker> starter) {
        long begun = System.nanoTime();
        LocalBroker broker = starter.get();
        double seconds = (System.nanoTime() - begun) / 1e9;
        say.accept(String.format(Locale.ROOT, "%s, up in %.1f s", broker, seconds));
        return broker;
    }

    /** The port that clients try by themselves if it is free, else another one. */
    static int free(int usual) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), usual));
            return usual;
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

    /** @throws RuntimeException of the first one that could not be started */
    void awaitAll() {
        places.forEach(Place::await);
    }

    @Override
    public void close() {
        places.parallelStream().forEach(place -> {
            if (place.broker() != null) {
                place.broker()
                        .thenAccept(LocalBroker::close)
                        .exceptionally(failed -> null)
                        .join();
            }
        });
    }
}
