package dev.tandem.local;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * One Kafka node, broker and controller in one, as a child process on 127.0.0.1. Topics are not created by themselves.
 */
public final class LocalKafka implements LocalBroker {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final String MAIN = "dev.tandem.local.child.KafkaMain";

    private final int port;
    private final Path data;
    private final Path ready;
    private final boolean temporary;
    private final LocalProcess process;
    private final String product;

    private LocalKafka(Builder builder) {
        port = builder.port != 0 ? builder.port : Ports.reserve();
        Path given = builder.data;
        temporary = given == null;
        Path home = given != null ? given : Folders.fresh("kafka-" + port);
        data = home.resolve("data");
        if (temporary) {
            Folders.deleteAtEnd(data);
        }
        ready = home.resolve("ready");
        process = process(home, builder);
        product = "Kafka " + version();
        start();
    }

    /** A Kafka with small defaults; see {@link Builder} for what can be changed. */
    public static Builder builder() {
        return new Builder();
    }

    private LocalProcess process(Path home, Builder builder) {
        Path settings = home.resolve("server.properties");
        try {
            Files.createDirectories(data);
            Properties properties = new Properties();
            settings(Ports.reserve()).forEach(properties::setProperty);
            builder.settings.forEach(properties::setProperty);
            try (Writer writer = Files.newBufferedWriter(settings)) {
                properties.store(writer, null);
            }
        } catch (IOException e) {
            throw new LocalException("Kafka's settings cannot be written to " + settings + ": " + e, e);
        }
        List<String> options = List.of(
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Dlogback.configurationFile=dev/tandem/local/brokers-logback.xml");
        LocalProcess.Builder child = LocalProcess.java(
                        "kafka-" + port,
                        BrokerJars.classPath(),
                        options,
                        MAIN,
                        List.of(
                                settings.toAbsolutePath().toString(),
                                ready.toAbsolutePath().toString()))
                .directory(home);
        return (temporary ? child.disposable() : child).build();
    }

    private Map<String, String> settings(int controllerPort) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("log.dirs", data.toAbsolutePath().toString());
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

    private static String version() {
        String name = BrokerJars.jar("kafka_").getFileName().toString();
        return name.substring(name.indexOf('-') + 1, name.length() - ".jar".length());
    }

    @Override
    public String product() {
        return product;
    }

    @Override
    public String origin() {
        return "embedded";
    }

    /** {@code 127.0.0.1:<port>}, a bootstrap server. */
    @Override
    public String address() {
        return "127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    @Override
    public boolean isRunning() {
        return process.isRunning();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void stop() {
        process.stop();
    }

    @Override
    public void start() {
        if (!process.isRunning()) {
            Folders.delete(ready);
        }
        process.startAndAwait(START_LIMIT, () -> Files.exists(ready));
    }

    @Override
    public void suspend() {
        process.suspend();
    }

    @Override
    public void resume() {
        process.resume();
    }

    /** The file with its log. */
    public Path log() {
        return process.log();
    }

    @Override
    public void close() {
        process.close();
        if (temporary) {
            Folders.delete(data);
        }
    }

    @Override
    public String toString() {
        return product + " (" + origin() + ") at " + address();
    }

    /** Settings of a {@link LocalKafka}. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private int port;
        private @Nullable Path data;

        private Builder() {}

        /** The port; without one a free one is taken. */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        /** A folder that keeps the data; null, as by itself, makes it temporary. */
        public Builder data(@Nullable Path folder) {
            this.data = folder;
            return this;
        }

        /** A broker setting, over the defaults. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** Starts Kafka and waits until it takes clients. */
        public LocalKafka start() {
            return new LocalKafka(this);
        }
    }
}
