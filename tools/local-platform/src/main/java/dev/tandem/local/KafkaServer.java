package dev.tandem.local;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.BooleanSupplier;

/**
 * Kafka in KRaft mode, as a process or in a container.
 *
 * @param runner not started yet
 * @param version of Kafka
 * @param origin where it comes from, for people
 * @param prepared what to do before each start
 * @param probe whether it takes clients
 */
record KafkaServer(Runner runner, String version, String origin, Runnable prepared, BooleanSupplier probe)
        implements Server {

    private static final String MAIN = "dev.tandem.local.child.KafkaMain";
    private static final int CONTAINER_PORT = 9092;
    private static final int CONTAINER_CONTROLLER_PORT = 9093;

    /** @param advertised the port that clients of this listener are told */
    record Way(int listener, int advertised) {}

    static KafkaServer process(Place place, boolean fullSpeed, List<Way> ways, Map<String, String> extra) {
        Path ready = place.home().resolve("ready");
        int controller = Ports.reserve();
        Map<String, String> settings = settings(
                "127.0.0.1:" + controller,
                "PLAINTEXT://127.0.0.1:" + place.port() + ",CONTROLLER://127.0.0.1:" + controller,
                place.port());
        for (int i = 0; i < ways.size(); i++) {
            String name = ",WAY" + i + ":";
            settings.merge("listeners", name + "//127.0.0.1:" + ways.get(i).listener(), String::concat);
            settings.merge(
                    "advertised.listeners", name + "//127.0.0.1:" + ways.get(i).advertised(), String::concat);
            settings.merge("listener.security.protocol.map", name + "PLAINTEXT", String::concat);
        }
        settings.put("log.dirs", place.data().toString());
        settings.putAll(extra);
        Path file = place.write("server.properties", text(settings));
        Runner runner = place.build(LocalProcess.java(
                "kafka-" + place.port(),
                BrokerJars.classPath(),
                BrokerJars.jvmOptions(fullSpeed, "-Xmx512m"),
                MAIN,
                List.of(file.toString(), ready.toString())));
        return new KafkaServer(
                runner, jarVersion(), "embedded", () -> Folders.delete(ready), () -> Files.exists(ready));
    }

    static KafkaServer container(Place place, Map<String, String> extra) {
        String version = jarVersion();
        Map<String, String> settings = settings(
                "localhost:" + CONTAINER_CONTROLLER_PORT,
                "PLAINTEXT://:" + CONTAINER_PORT + ",CONTROLLER://:" + CONTAINER_CONTROLLER_PORT,
                place.port());
        settings.put("log.dirs", "/var/lib/kafka/data");
        settings.putAll(extra);
        Container.Builder builder =
                Container.of("kafka-" + place.port(), "apache/kafka:" + version, place.port(), CONTAINER_PORT);
        settings.forEach((name, value) -> builder.environment(variable(name), value));
        Container container = builder.kafka().build(place);
        return new KafkaServer(container, version, container.origin(), () -> {}, container::takesKafkaClients);
    }

    // Kafka's image turns such variables into settings.
    private static String variable(String setting) {
        return "KAFKA_"
                + setting.replace("_", "__")
                        .replace("-", "___")
                        .replace('.', '_')
                        .toUpperCase(Locale.ROOT);
    }

    private static Map<String, String> settings(String voter, String listeners, int port) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@" + voter);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listeners", listeners);
        settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "PLAINTEXT");
        settings.put("auto.create.topics.enable", "false");
        // One node: nothing to replicate to. Few internal partitions, so that it starts fast.
        for (String topic : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
            settings.put(topic + ".replication.factor", "1");
            settings.put(topic + ".num.partitions", "4");
        }
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.min.session.timeout.ms", "500");
        settings.put("log.cleaner.dedupe.buffer.size", "8388608");
        // A broker that was killed is let in again only when its former self has timed out.
        settings.put("broker.session.timeout.ms", "2000");
        settings.put("broker.heartbeat.interval.ms", "250");
        settings.put("controlled.shutdown.enable", "false");
        return settings;
    }

    private static String text(Map<String, String> settings) {
        Properties properties = new Properties();
        settings.forEach(properties::setProperty);
        StringWriter writer = new StringWriter();
        try {
            properties.store(writer, null);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not from a StringWriter
        }
        return writer.toString();
    }

    private static String jarVersion() {
        String name = BrokerJars.jar("kafka_").getFileName().toString();
        return name.substring(name.indexOf('-') + 1, name.length() - ".jar".length());
    }

    @Override
    public void prepare() {
        prepared.run();
    }

    @Override
    public boolean ready() {
        return probe.getAsBoolean();
    }
}
