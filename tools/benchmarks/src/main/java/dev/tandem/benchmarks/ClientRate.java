package dev.tandem.benchmarks;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient;
import dev.tandem.rabbit.RabbitSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures how many tasks a second one thread submits through Tandem's client until all are acknowledged, beside the
 * broker's own client with the same settings. All take turns.
 */
final class ClientRate implements Scenario {

    private static final int KAFKA_TASKS = 300_000;
    private static final int RABBIT_TASKS = 60_000;
    private static final double PERCENT_OF_BARE = 85;

    /** 200 bytes as JSON. */
    record Order(String order, String customer, int items, String address, String note) {
        static final Order EXAMPLE = new Order(
                "order-1234567", "customer-7654321", 3, "17 Some Street, 12345 Some Town, Somewhere", "x".repeat(70));
    }

    @Override
    public String name() {
        return "client";
    }

    @Override
    public String about() {
        return "tasks per second that one thread submits, beside the brokers' own clients";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        List<Measurement> lines = new ArrayList<>(kafka(context));
        lines.addAll(rabbit(context));
        return lines;
    }

    private static List<Measurement> kafka(ScenarioContext context) throws Exception {
        byte[] payload = JsonMapper.shared().writeValueAsBytes(Order.EXAMPLE);
        String servers = context.brokers().kafka();
        try (KafkaTopic topic = new KafkaTopic(
                        servers,
                        context.uniqueName("client"),
                        context.sizes().partitions());
                TaskFlood bare = new BareKafkaPublisher(servers, topic.name(), payload);
                TaskClient client =
                        TandemClient.builder().kafka(servers, topic.name()).build()) {
            return measure(context, "Kafka", KAFKA_TASKS, bare, client, topic.name(), payload);
        }
    }

    private static List<Measurement> rabbit(ScenarioContext context) throws Exception {
        byte[] payload = JsonMapper.shared().writeValueAsBytes(Order.EXAMPLE);
        RabbitSettings settings = RabbitSettings.of(context.brokers().rabbit(), context.uniqueName("client"))
                .orderedByHeader()
                .withPartitions(context.sizes().partitions());
        try (TaskClient client = TandemClient.builder().queue(settings).build();
                RabbitQueues queues = new RabbitQueues(settings, false);
                TaskFlood bare = new BareRabbitPublisher(settings, payload)) {
            return measure(context, "RabbitMQ", RABBIT_TASKS, bare, client, settings.queue(), payload);
        }
    }

    private static List<Measurement> measure(
            ScenarioContext context,
            String broker,
            int usualTasks,
            TaskFlood bare,
            TaskClient client,
            String queue,
            byte[] payload)
            throws Exception {
        int tasks = context.sizes().tasksOr(usualTasks);
        Map<String, TaskFlood> floods = new LinkedHashMap<>();
        // The first one declares what RabbitMQ needs.
        floods.put("bytes", new ClientFlood(client, queue, payload));
        floods.put("objects", new ClientFlood(client, queue, Order.EXAMPLE));
        floods.put("bare", bare);
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        for (int round = 0; round <= context.sizes().rounds(); round++) {
            for (Map.Entry<String, TaskFlood> each : floods.entrySet()) {
                double rate = each.getValue().perSecond(tasks);
                context.say("%s, %s: %,.0f/s%s", broker, each.getKey(), rate, round == 0 ? " (warming up)" : "");
                if (round > 0) {
                    rates.computeIfAbsent(each.getKey(), key -> new ArrayList<>())
                            .add(rate);
                }
            }
        }
        double ofBare = median(rates, "bare");
        double ofBytes = median(rates, "bytes");
        double ofObjects = median(rates, "objects");
        return List.of(
                Measurement.withoutBudget(broker + ": the broker's own client", ofBare, "/s"),
                Measurement.withoutBudget(broker + ": Tandem's client, 200 bytes", ofBytes, "/s"),
                Measurement.of(
                        broker + ": the same of the broker's client",
                        100 * ofBytes / ofBare,
                        "%",
                        Budget.atLeast(PERCENT_OF_BARE)),
                Measurement.withoutBudget(broker + ": Tandem's client, objects as JSON", ofObjects, "/s"));
    }

    private static double median(Map<String, List<Double>> rates, String flood) {
        return Median.of(Objects.requireNonNull(rates.get(flood)));
    }

    /** Submits through a client that stays open. */
    private record ClientFlood(TaskClient client, String queue, Object payload) implements TaskFlood {

        @Override
        public void publish(int tasks, Acknowledgements acknowledgements) {
            for (int i = 0; i < tasks; i++) {
                var unused = client.submit(
                                TaskRequest.of(queue, "ship", payload).withKey("k" + i))
                        .accepted()
                        .whenComplete((ref, problem) -> acknowledgements.one(problem));
            }
        }

        @Override
        public void close() {}
    }
}
