package dev.tandem.local;

import dev.tandem.kit.FileTree;
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
 * @param version of Kafka
 * @param preparation runs before each start
 * @param probe returns whether Kafka accepts clients
 */
record KafkaServer(BrokerRuntime runtime, String version, String origin, Runnable preparation, BooleanSupplier probe)
        implements BrokerServer {

    private static final String MAIN = "dev.tandem.local.child.KafkaMain";
    private static final int CONTAINER_PORT = 9092;
    private static final int CONTAINER_CONTROLLER_PORT = 9093;

    /**
     * A listener for clients that connect through a proxy.
     *
     * @param listener the port where Kafka listens
     * @param advertised the port of the proxy, which its clients are told
     */
    record ProxiedListener(int listener, int advertised) {}

    static KafkaServer process(
            BrokerLocation location, boolean fullSpeed, List<ProxiedListener> proxied, Map<String, String> extra) {
        Path ready = location.home().resolve("ready");
        int controller = PortReservations.reserve();
        Map<String, String> settings = settings(
                "127.0.0.1:" + controller,
                "PLAINTEXT://127.0.0.1:" + location.port() + ",CONTROLLER://127.0.0.1:" + controller,
                location.port());
        for (int i = 0; i < proxied.size(); i++) {
            String name = ",PROXY" + i + ":";
            settings.merge("listeners", name + "//127.0.0.1:" + proxied.get(i).listener(), String::concat);
            settings.merge(
                    "advertised.listeners",
                    name + "//127.0.0.1:" + proxied.get(i).advertised(),
                    String::concat);
            settings.merge("listener.security.protocol.map", name + "PLAINTEXT", String::concat);
        }
        settings.put("log.dirs", location.data().toString());
        settings.putAll(extra);
        Path file = location.write("server.properties", text(settings));
        BrokerRuntime process = location.build(LocalProcess.java(
                "kafka-" + location.port(),
                BrokerJars.classPath(),
                BrokerJars.jvmOptions(fullSpeed, "512m"),
                MAIN,
                List.of(file.toString(), ready.toString())));
        return new KafkaServer(
                process, jarVersion(), "embedded", () -> FileTree.delete(ready), () -> Files.exists(ready));
    }

    static KafkaServer container(BrokerLocation location, Map<String, String> extra) {
        String version = jarVersion();
        Map<String, String> settings = settings(
                "localhost:" + CONTAINER_CONTROLLER_PORT,
                "PLAINTEXT://:" + CONTAINER_PORT + ",CONTROLLER://:" + CONTAINER_CONTROLLER_PORT,
                location.port());
        settings.put("log.dirs", "/var/lib/kafka/data");
        settings.putAll(extra);
        BrokerContainer.Builder builder = BrokerContainer.of(
                "kafka-" + location.port(), BrokerImages.kafka(version), location.port(), CONTAINER_PORT);
        settings.forEach((name, value) -> builder.environment(variable(name), value));
        BrokerContainer container = builder.kafka().build(location);
        return new KafkaServer(container, version, container.origin(), () -> {}, container::acceptsKafkaClients);
    }

    // The image turns variables with such names into settings.
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
        // One node cannot replicate. With few internal partitions it starts faster.
        for (String topic : List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
            settings.put(topic + ".replication.factor", "1");
            settings.put(topic + ".num.partitions", "4");
        }
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.min.session.timeout.ms", "500");
        settings.put("log.cleaner.dedupe.buffer.size", "8388608");
        // A broker that was killed is registered again only after its former session has timed out.
        settings.put("broker.session.timeout.ms", "2000");
        settings.put("broker.heartbeat.interval.ms", "500");
        // Else the controller writes a record every half second, which is a fifth of what an idle broker does.
        settings.put("metadata.max.idle.interval.ms", "0");
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
            throw new UncheckedIOException(e); // a StringWriter throws none
        }
        return writer.toString();
    }

    /** Returns the version of the embedded Kafka. */
    static String jarVersion() {
        String name = BrokerJars.jar("kafka_").getFileName().toString();
        return name.substring(name.indexOf('-') + 1, name.length() - ".jar".length());
    }

    @Override
    public void prepare() {
        preparation.run();
    }

    @Override
    public boolean ready() {
        return probe.getAsBoolean();
    }
}
