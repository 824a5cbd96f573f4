package dev.tandem.benchmarks;

import dev.tandem.local.BrokerAddresses;
import dev.tandem.local.LocalAmqp;
import dev.tandem.local.LocalBroker;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.StartedBrokers;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The brokers that scenarios run on, started when they are first asked for. The scenarios share Kafka and RabbitMQ.
 * Each gets a new Redis, so that none measures what another one left there. Used by one thread.
 */
final class TestBrokers implements AutoCloseable {

    private final BrokerAddresses given;
    private final Consumer<String> progress;
    private final StartedBrokers started;
    private @Nullable LocalKafka kafka;
    private @Nullable LocalAmqp rabbit;
    private @Nullable LocalRedis redis;

    /**
     * @param given brokers that exist already
     * @param progress gets a line for people about each broker that was started
     */
    TestBrokers(BrokerAddresses given, Consumer<String> progress) {
        this.given = given;
        this.progress = progress;
        this.started = new StartedBrokers(progress);
    }

    /** Returns the bootstrap servers of Kafka. */
    String kafka() {
        String address = given.kafka();
        if (address != null) {
            return address;
        }
        LocalKafka found = kafka;
        if (found == null) {
            found = kafka = add(LocalKafka.builder().fullSpeed().start());
        }
        return found.address();
    }

    /**
     * Returns the URI of RabbitMQ. Qpid Broker-J is not worth measuring.
     *
     * @throws dev.tandem.local.MissingBrokerException if there is no RabbitMQ
     */
    String rabbit() {
        String address = given.rabbit();
        if (address != null) {
            return address;
        }
        LocalAmqp found = rabbit;
        if (found == null) {
            found = rabbit = add(LocalAmqp.builder().rabbitOnly().start());
        }
        return found.address();
    }

    /** Returns the URI of the Redis of this scenario. */
    String redis() {
        String address = given.redis();
        if (address != null) {
            return address;
        }
        LocalRedis found = redis;
        if (found == null) {
            found = redis = add(LocalRedis.builder().start());
        }
        return found.address();
    }

    /** Ends the Redis of this scenario, so that the next one gets a new one. */
    void closeRedis() {
        LocalRedis used = redis;
        if (used != null) {
            started.close(used);
            redis = null;
        }
    }

    /** Returns the products of the brokers that were started, with their versions. */
    List<String> products() {
        return started.products();
    }

    private <B extends LocalBroker> B add(B broker) {
        String product = broker.product() + " (" + broker.origin() + ")";
        if (started.add(broker, product)) {
            progress.accept(product + " at " + broker.address());
        }
        return broker;
    }

    @Override
    public void close() {
        started.close();
    }
}
