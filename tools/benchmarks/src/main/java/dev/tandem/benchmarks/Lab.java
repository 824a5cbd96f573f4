package dev.tandem.benchmarks;

import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalRedis;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What scenarios run on: brokers, started when first asked for, and a voice. Kafka and RabbitMQ are shared, a Redis of
 * its own is there for each scenario, so that none measures what another left. Used by one thread.
 */
final class Lab implements AutoCloseable {

    private static final long PROGRESS_NANOS = Duration.ofSeconds(3).toNanos();

    /** Brokers that are there already; null has one started. */
    record Addresses(
            @Nullable String kafka,
            @Nullable String rabbit,
            @Nullable String redis) {}

    private final Sizes sizes;
    private final Addresses given;
    private final PrintWriter voice;
    private final List<LocalBroker> started = new ArrayList<>();
    private final Set<String> products = new LinkedHashSet<>();
    private @Nullable LocalKafka kafka;
    private @Nullable LocalAmqp rabbit;
    private @Nullable LocalRedis redis;
    private long toldAt;
    private int names;

    /** @param voice gets lines for people who wait */
    Lab(Sizes sizes, Addresses given, PrintWriter voice) {
        this.sizes = sizes;
        this.given = given;
        this.voice = voice;
    }

    Sizes sizes() {
        return sizes;
    }

    String kafka() {
        String address = given.kafka();
        if (address != null) {
            return address;
        }
        LocalKafka found = kafka;
        if (found == null) {
            found = kafka = keep(LocalKafka.builder().fullSpeed().start());
        }
        return found.address();
    }

    /**
     * RabbitMQ, never its stand-in.
     *
     * @throws dev.tandem.local.UnavailableException if there is none
     */
    String rabbit() {
        String address = given.rabbit();
        if (address != null) {
            return address;
        }
        LocalAmqp found = rabbit;
        if (found == null) {
            found = rabbit = keep(LocalAmqp.builder().rabbitOnly().start());
        }
        return found.address();
    }

    /** The Redis of this scenario. */
    String redis() {
        String address = given.redis();
        if (address != null) {
            return address;
        }
        LocalRedis found = redis;
        if (found == null) {
            found = redis = keep(LocalRedis.builder().start());
        }
        return found.address();
    }

    /** The next scenario begins: with a new Redis. */
    void next() {
        LocalRedis used = redis;
        if (used != null) {
            used.close();
            started.remove(used);
            redis = null;
        }
        System.gc();
    }

    /** A name that this run has not used yet. */
    String name(String prefix) {
        return prefix + "-" + Long.toString(System.nanoTime(), 36) + "-" + ++names;
    }

    void say(String format, Object... values) {
        voice.println("  " + String.format(Locale.ROOT, format, values));
        voice.flush();
        toldAt = System.nanoTime();
    }

    /** Says it if nothing was said for some seconds. */
    void progress(String format, Object... values) {
        if (System.nanoTime() - toldAt > PROGRESS_NANOS) {
            say(format, values);
        }
    }

    /** The brokers that were used, with their versions. */
    List<String> products() {
        return List.copyOf(products);
    }

    private <B extends LocalBroker> B keep(B broker) {
        started.add(broker);
        if (products.add(broker.product() + " (" + broker.origin() + ")")) {
            say("%s (%s) at %s", broker.product(), broker.origin(), broker.address());
        }
        return broker;
    }

    @Override
    public void close() {
        started.forEach(LocalBroker::close);
        started.clear();
    }
}
