package dev.tandem.client;

import dev.tandem.api.CloudEventMode;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient.Route;
import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.rabbit.RabbitAccess;
import dev.tandem.rabbit.RabbitPublisher;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.task.Publisher;
import dev.tandem.task.TaskHeaders.Binding;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Builds a {@link TandemClient}. Each queue is named once, with the settings that its executors have. Not thread-safe.
 *
 * <p>The defaults are those of the server: a Kafka topic is named like its queue and has an order by key; a RabbitMQ queue
 * gets its tasks from the exchange {@code tandem} with its name as routing key, and has no order.
 */
public final class TandemClientBuilder {

    /** The producer settings that submissions may share. */
    private record KafkaCluster(String servers, Map<String, String> properties) {}

    /** A broker and how it is logged in to. Queues that have both in common share a connection. */
    private record RabbitBroker(String uri, RabbitAccess access) {}

    private final Map<String, KafkaSettings> kafka = new LinkedHashMap<>();
    private final Map<String, RabbitSettings> rabbit = new LinkedHashMap<>();
    private final Map<String, Route> others = new LinkedHashMap<>();
    private final List<SubmitInterceptor> interceptors = new ArrayList<>();
    private JsonMapper json = JsonMapper.shared();
    private TransactionBoundary transactions = TransactionBoundary.NONE;
    /** The options that make all tasks CloudEvents; null if they need not be. */
    private @Nullable TaskOptions events;

    TandemClientBuilder() {}

    /**
     * Adds queues of a Kafka cluster with every default.
     *
     * @param servers {@code host:port}; several are separated by commas
     * @throws IllegalArgumentException naming what is wrong and what is allowed
     */
    public TandemClientBuilder kafka(String servers, String... queues) {
        requireQueues(queues);
        for (String each : queues) {
            queue(KafkaSettings.of(servers, each));
        }
        return this;
    }

    /**
     * Adds queues of a RabbitMQ with every default, which means without an order.
     *
     * @param uri {@code amqp://user:password@host:port/vhost}, or {@code amqps:}; several of one cluster are separated by
     *     commas
     * @throws IllegalArgumentException naming what is wrong and what is allowed
     */
    public TandemClientBuilder rabbit(String uri, String... queues) {
        requireQueues(queues);
        for (String each : queues) {
            queue(RabbitSettings.of(uri, each));
        }
        return this;
    }

    private static void requireQueues(String... queues) {
        if (queues.length == 0) {
            throw new IllegalArgumentException("The client has no queues at this broker: name one or more after its"
                    + " address, such as \"orders\"");
        }
    }

    /**
     * Adds a queue of Kafka.
     *
     * @throws IllegalArgumentException if the queue was added already
     */
    public TandemClientBuilder queue(KafkaSettings settings) {
        requireNew(settings.queue());
        kafka.put(settings.queue(), settings);
        return this;
    }

    /**
     * Adds a queue of RabbitMQ. What it needs at the broker is declared where it is missing, so the settings have to be
     * those of its executors.
     *
     * @throws IllegalArgumentException if the queue was added already
     */
    public TandemClientBuilder queue(RabbitSettings settings) {
        requireNew(settings.queue());
        rabbit.put(settings.queue(), settings);
        return this;
    }

    /**
     * Adds a queue with a publisher of its own, such as one of a test. The client closes it.
     *
     * @param ordered whether tasks of the queue may have a key
     * @throws IllegalArgumentException if the queue was added already
     */
    public TandemClientBuilder queue(String name, boolean ordered, Publisher publisher) {
        return queue(name, new Route(publisher, ordered));
    }

    /** Adds a queue with a publisher of a test. */
    TandemClientBuilder queue(String name, Route route) {
        requireNew(name);
        others.put(name, route);
        return this;
    }

    private void requireNew(String queue) {
        if (kafka.containsKey(queue) || rabbit.containsKey(queue) || others.containsKey(queue)) {
            throw new IllegalArgumentException("The queue '" + queue + "' is named twice: name each queue once");
        }
    }

    /** Sets what writes payloads that are neither bytes nor text. Default: Jackson's own settings. */
    public TandemClientBuilder json(JsonMapper mapper) {
        json = Objects.requireNonNull(mapper, "mapper");
        return this;
    }

    /** Adds an interceptor inside of those that were added before. */
    public TandemClientBuilder interceptor(SubmitInterceptor interceptor) {
        interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
        return this;
    }

    /**
     * Publishes all tasks as CloudEvents, as {@link TaskOptions#cloudEvent(String, CloudEventMode)} does. What a task's own options
     * say counts more.
     *
     * @param source a URI reference such as {@code /shop}
     */
    public TandemClientBuilder cloudEvents(String source, CloudEventMode mode) {
        events = TaskOptions.cloudEvent(source, mode);
        return this;
    }

    /** Sets the transactions in which the client takes part. Default: none. */
    public TandemClientBuilder transactions(TransactionBoundary boundary) {
        transactions = Objects.requireNonNull(boundary, "boundary");
        return this;
    }

    /**
     * Builds the client. It connects when the first task is submitted.
     *
     * @throws IllegalArgumentException if there is no queue
     */
    public TandemClient build() {
        return build(InstantSource.system());
    }

    /**
     * Builds the client with a clock of its own, for tests. It connects when the first task is submitted.
     *
     * @param clock from which delays count
     * @throws IllegalArgumentException if there is no queue
     */
    public TandemClient build(InstantSource clock) {
        Map<String, Route> routes = new LinkedHashMap<>(others);
        Map<KafkaCluster, List<KafkaSettings>> clusters = new LinkedHashMap<>();
        kafka.values()
                .forEach(each -> clusters.computeIfAbsent(
                                new KafkaCluster(each.bootstrapServers(), each.properties()), key -> new ArrayList<>())
                        .add(each));
        clusters.values().forEach(queues -> {
            Publisher publisher = KafkaPublisher.awaitingTopics(queues);
            queues.forEach(each -> routes.put(each.queue(), new Route(publisher, each.ordered())));
        });
        Map<RabbitBroker, List<RabbitSettings>> brokers = new LinkedHashMap<>();
        rabbit.values()
                .forEach(each -> brokers.computeIfAbsent(
                                new RabbitBroker(each.uri(), each.access()), key -> new ArrayList<>())
                        .add(each));
        brokers.values().forEach(queues -> {
            Publisher publisher = new RabbitPublisher(queues);
            queues.forEach(each -> routes.put(each.queue(), new Route(publisher, each.ordered(), Binding.AMQP)));
        });
        if (routes.isEmpty()) {
            throw new IllegalArgumentException(
                    "The client has no queues: add one or more, such as" + " kafka(\"localhost:9092\", \"orders\")");
        }
        return new TandemClient(
                Collections.unmodifiableMap(routes), new TaskEncoder(json, clock), allInterceptors(), transactions);
    }

    private List<SubmitInterceptor> allInterceptors() {
        TaskOptions all = events;
        if (all == null) {
            return interceptors;
        }
        List<SubmitInterceptor> more = new ArrayList<>(interceptors);
        more.add((task, next) -> next.submit(
                new TaskRequest<>(task.queue(), task.type(), task.key(), task.payload(), all.and(task.options()))));
        return more;
    }
}
