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

    private static final int KAFKA_TASKS = 1_000_000;
    private static final int RABBIT_TASKS = 60_000;
    private static final String BYTES = "Tandem's client, 200 bytes";
    private static final String OBJECTS = "Tandem's client, objects as JSON";
    private static final String BARE = "the broker's client, the same messages";
    private static final String PLAIN = "the broker's client, without headers";
    private static final double PERCENT_OF_BARE = 85;
    /** After one round the compiler is still at work on the code that takes turns with others. */
    private static final int WARM_UPS = 2;

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
                        servers, context.uniqueName("client"), context.sizes().partitions());
                TaskFlood bare = new BareKafkaPublisher(servers, topic.name(), payload, true);
                TaskFlood plain = new BareKafkaPublisher(servers, topic.name(), payload, false);
                TaskClient client =
                        TandemClient.builder().kafka(servers, topic.name()).build()) {
            Map<String, TaskFlood> floods = new LinkedHashMap<>();
            floods.put(BYTES, new ClientFlood(client, topic.name(), payload));
            floods.put(BARE, bare);
            floods.put(OBJECTS, new ClientFlood(client, topic.name(), Order.EXAMPLE));
            floods.put(PLAIN, plain);
            return measure(context, "Kafka", KAFKA_TASKS, floods);
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
            Map<String, TaskFlood> floods = new LinkedHashMap<>();
            // The first one declares what RabbitMQ needs.
            floods.put(BYTES, new ClientFlood(client, settings.queue(), payload));
            floods.put(BARE, bare);
            floods.put(OBJECTS, new ClientFlood(client, settings.queue(), Order.EXAMPLE));
            return measure(context, "RabbitMQ", RABBIT_TASKS, floods);
        }
    }

    private static List<Measurement> measure(
            ScenarioContext context, String broker, int usualTasks, Map<String, TaskFlood> floods) throws Exception {
        int tasks = context.sizes().tasksOr(usualTasks);
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        for (int round = 1 - WARM_UPS; round <= context.sizes().rounds(); round++) {
            for (Map.Entry<String, TaskFlood> each : floods.entrySet()) {
                double rate = each.getValue().perSecond(tasks);
                context.say("%s, %s: %,.0f/s%s", broker, each.getKey(), rate, round <= 0 ? " (warming up)" : "");
                if (round > 0) {
                    rates.computeIfAbsent(each.getKey(), key -> new ArrayList<>())
                            .add(rate);
                }
            }
        }
        List<Measurement> lines = new ArrayList<>();
        floods.keySet()
                .forEach(each -> lines.add(Measurement.withoutBudget(broker + ": " + each, median(rates, each), "/s")));
        lines.add(Measurement.of(
                broker + ": Tandem's client with bytes, of the same messages by the broker's",
                share(rates),
                "%",
                Budget.atLeast(PERCENT_OF_BARE)));
        return lines;
    }

    /** Returns the median of the shares of the rounds, since other work may slow a whole round down. */
    private static double share(Map<String, List<Double>> rates) {
        List<Double> client = Objects.requireNonNull(rates.get(BYTES));
        List<Double> bare = Objects.requireNonNull(rates.get(BARE));
        List<Double> shares = new ArrayList<>();
        for (int round = 0; round < client.size(); round++) {
            shares.add(100 * client.get(round) / bare.get(round));
        }
        return Median.of(shares);
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
