package dev.tandem.spring.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalProcess;
import dev.tandem.spring.shop.ShopOfOneOrder;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The starter works with the release of amqp-client that Spring Boot manages, which is older than Tandem's. */
class BootVersionsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(Long.getLong("it.patience", 120));

    /** The build copies the older release to this folder. */
    private static final Path OLDER = Path.of("target", "boot-versions");

    @TempDir
    private Path folder;

    @Test
    void aQueueOfRabbitMqIsRunWithTheClientOfSpringBoot() throws IOException {
        Path older;
        try (var jars = Files.list(OLDER)) {
            older = jars.filter(jar -> jar.getFileName().toString().startsWith("amqp-client-"))
                    .findFirst()
                    .orElseThrow();
        }
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> entry.matches(".*amqp-client-[\\d.]+\\.jar")
                        ? older.toAbsolutePath().toString()
                        : entry)
                .collect(Collectors.joining(File.pathSeparator));
        String queue = UniqueNames.fresh("shop");
        String settings = "tandem.queues." + queue + ".";
        Path log = folder.resolve("shop.log");

        try (LocalProcess shop = LocalProcess.java(
                        "shop",
                        classPath,
                        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        ShopOfOneOrder.class.getName(),
                        List.of(
                                "shop.queue=" + queue,
                                "tandem.rabbit.uri=" + Brokers.rabbit().uri(),
                                "tandem.redis.uri=" + Brokers.redis().uri(),
                                settings + "source=rabbit",
                                settings + "ordering=key",
                                settings + "partitions=1"))
                .log(log)
                .start()) {
            assertThat(shop.awaitExit(PATIENCE)).isTrue();
            assertThat(log)
                    .content()
                    .contains("Shipped with", older.getFileName().toString());
            assertThat(shop.exitStatus()).isZero();
        }
    }
}
