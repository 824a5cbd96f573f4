package dev.tandem.spring.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.spring.shop.ShopOfOneOrder;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The starter works with the releases of its clients that Spring Boot manages, which are older than Tandem's. */
class BootVersionsIT {

    /** The build copies the older releases to this folder. */
    private static final Path OLDER = Path.of("target", "boot-versions");

    private static final Pattern JAR = Pattern.compile("(?:.*[/\\\\])?([a-z-]+)-\\d[^/\\\\]*\\.jar");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"kafka, 4", "rabbit, 1"})
    void aQueueIsRunWithTheClientsOfSpringBoot(String source, int partitions) throws IOException {
        Map<String, Path> older = older();
        assertThat(older)
                .containsOnlyKeys("amqp-client", "jackson-core", "jackson-databind", "kafka-clients", "lettuce-core");
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> String.valueOf(older.getOrDefault(artifact(entry), Path.of(entry))))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(classPath)
                .contains(older.values().stream().map(Path::toString).toList());
        String queue = UniqueNames.fresh("shop");
        String settings = "tandem.queues." + queue + ".";
        Path log = folder.resolve("shop.log");

        try (LocalProcess shop = LocalProcess.java(
                        "shop",
                        classPath,
                        JvmOptions.quickStart("256m"),
                        ShopOfOneOrder.class.getName(),
                        List.of(
                                "shop.queue=" + queue,
                                "tandem.kafka.bootstrap-servers="
                                        + Brokers.kafka().bootstrapServers(),
                                "tandem.rabbit.uri=" + Brokers.rabbit().uri(),
                                "tandem.redis.uri=" + Brokers.redis().uri(),
                                settings + "source=" + source,
                                settings + "ordering=key",
                                settings + "partitions=" + partitions))
                .log(log)
                .start()) {
            assertThat(shop.awaitExit(PATIENCE)).isTrue();
            assertThat(log).content().contains("Shipped");
            assertThat(shop.exitStatus()).isZero();
        }
    }

    /** Returns the older releases by the names of their artifacts. */
    private static Map<String, Path> older() throws IOException {
        try (Stream<Path> jars = Files.list(OLDER)) {
            return jars.map(Path::toAbsolutePath)
                    .collect(Collectors.toMap(jar -> artifact(jar.toString()), jar -> jar));
        }
    }

    private static String artifact(String jar) {
        Matcher name = JAR.matcher(jar);
        return name.matches() ? name.group(1) : "";
    }
}
