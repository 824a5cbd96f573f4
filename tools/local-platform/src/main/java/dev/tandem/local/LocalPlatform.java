package dev.tandem.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Kafka, an AMQP broker and Redis: existing ones where an address is given, local ones otherwise. The addresses are
 * known at once. The local brokers start at the same time, on their usual ports where these are free, and a caller
 * waits for those that it needs. Thread-safe.
 */
public final class LocalPlatform implements AutoCloseable {

    private static final int KAFKA_PORT = 9092;
    private static final int AMQP_PORT = 5672;
    private static final int REDIS_PORT = 6379;

    /** A broker. @param start completes when it is up; null if it is not started here */
    private record Member(String address, @Nullable CompletableFuture<LocalBroker> start) {

        void await() {
            if (start != null) {
                try {
                    start.join();
                } catch (CompletionException e) {
                    throw e.getCause() instanceof RuntimeException cause ? cause : e;
                }
            }
        }

        boolean hasStarted() {
            return start == null || start.isDone();
        }

        void close() {
            if (start != null) {
                start.thenAccept(LocalBroker::close)
                        .exceptionally(failed -> null)
                        .join();
            }
        }
    }

    private final Consumer<String> messages;
    private final List<Member> members = new ArrayList<>();
    private final Member kafka;
    private final Member amqp;
    private final Member redis;

    private LocalPlatform(BrokerAddresses existing, boolean withAmqp, Consumer<String> messages) {
        this.messages = messages;
        kafka = add(
                "Kafka",
                "--kafka",
                existing.kafka(),
                KAFKA_PORT,
                LocalKafka::address,
                port -> LocalKafka.builder().port(port).start());
        redis = add(
                "Redis",
                "--redis",
                existing.redis(),
                REDIS_PORT,
                LocalRedis::address,
                port -> LocalRedis.builder().port(port).start());
        amqp = withAmqp
                ? add(
                        "AMQP",
                        "--rabbit",
                        existing.rabbit(),
                        AMQP_PORT,
                        LocalAmqp::address,
                        port -> LocalAmqp.builder().port(port).start())
                : new Member("amqp://127.0.0.1", null);
    }

    /**
     * Begins to start the brokers, and returns without waiting for them.
     *
     * @param existing the addresses of the brokers that are used as they are
     * @param amqp whether an AMQP broker is needed. If not, {@link #amqp()} is an address where none may listen
     * @param messages gets a line for people about each broker, from several threads. An address in it may have a
     *     password
     */
    public static LocalPlatform start(BrokerAddresses existing, boolean amqp, Consumer<String> messages) {
        return new LocalPlatform(existing, amqp, messages);
    }

    /** @param option what names an existing broker, for messages */
    private Member add(
            String name,
            String option,
            @Nullable String existing,
            int usualPort,
            IntFunction<String> address,
            IntFunction<LocalBroker> starter) {
        Member member;
        if (existing != null) {
            messages.accept(name + " at " + existing + ", as given");
            member = new Member(existing, null);
        } else {
            int port = PortReservations.usualOrReserved(usualPort);
            if (port != usualPort) {
                messages.accept(PortReservations.otherPort(name, usualPort, port) + "; " + option
                        + " uses one that runs already");
            }
            member = new Member(
                    address.apply(port),
                    CompletableFuture.supplyAsync(() -> start(starter, port), task -> new Thread(task, name).start()));
        }
        members.add(member);
        return member;
    }

    private LocalBroker start(IntFunction<LocalBroker> starter, int port) {
        long startNanos = System.nanoTime();
        LocalBroker broker = starter.apply(port);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        messages.accept(String.format(Locale.ROOT, "%s, up in %.1f s", broker, seconds));
        return broker;
    }

    /** The bootstrap servers of Kafka. */
    public String kafka() {
        return kafka.address();
    }

    /** The URI of the AMQP broker. */
    public String amqp() {
        return amqp.address();
    }

    /** The URI of Redis. */
    public String redis() {
        return redis.address();
    }

    /** @throws RuntimeException if Kafka could not be started */
    public void awaitKafka() {
        kafka.await();
    }

    /** @throws RuntimeException if the AMQP broker could not be started */
    public void awaitAmqp() {
        amqp.await();
    }

    /** @throws RuntimeException if a broker could not be started */
    public void awaitAll() {
        members.forEach(Member::await);
    }

    /** Returns whether {@link #awaitAll} would not wait, since all brokers are up, or could not be started. */
    public boolean hasStarted() {
        return members.stream().allMatch(Member::hasStarted);
    }

    /** Waits for the brokers that are started here, and returns them. */
    List<LocalBroker> started() {
        return members.stream()
                .map(Member::start)
                .filter(Objects::nonNull)
                .map(CompletableFuture::join)
                .toList();
    }

    /** Ends the brokers that were started here. May be called twice. */
    @Override
    public void close() {
        members.parallelStream().forEach(Member::close);
    }
}
