package dev.tandem.local.child;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/**
 * The main class of a Kafka process. It formats the log folder if that is new, starts Kafka, and then writes a file
 * that says that Kafka is ready. Arguments: the file with the settings, the file to write.
 */
public final class KafkaMain {

    private KafkaMain() {}

    public static void main(String[] arguments) throws IOException {
        Path settings = Path.of(arguments[0]);
        Path ready = Path.of(arguments[1]);
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(settings)) {
            properties.load(in);
        }
        if (!Files.exists(Path.of(properties.getProperty("log.dirs"), "meta.properties"))) {
            format(settings);
        }
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(properties), Time.SYSTEM);
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "kafka-stop"));
        server.startup(); // returns when the broker is registered and open for clients
        Files.writeString(ready, "ready\n");
        server.awaitShutdown();
    }

    private static void format(Path settings) {
        String[] command = List.of(
                        "format", "--cluster-id", Uuid.randomUuid().toString(), "--config", settings.toString())
                .toArray(String[]::new);
        int status = StorageTool.execute(command, System.out);
        if (status != 0) {
            System.exit(status);
        }
    }
}
