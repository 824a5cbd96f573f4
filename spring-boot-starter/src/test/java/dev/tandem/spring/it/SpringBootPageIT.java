package dev.tandem.spring.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.JavaExample;
import dev.tandem.testkit.UniqueNames;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/spring-boot.md compiles as it stands there, and its handler survives a kill. */
class SpringBootPageIT {

    private static final String PAGE = "docs/spring-boot.md";

    @TempDir
    private Path folder;

    @Test
    void itsHandlerSurvivesAKill() throws IOException {
        String queue = UniqueNames.fresh("shop");
        JavaExample.compile(
                "shop.ShopApplication", block("java", 0).replace("\"shop-orders\"", "\"" + queue + "\""), folder);
        Files.writeString(
                folder.resolve("application.yml"),
                block("yaml", 0)
                        .replace("127.0.0.1:9092", Brokers.kafka().bootstrapServers())
                        .replace("redis://127.0.0.1:6379", Brokers.redis().uri())
                        .replace("shop-orders", queue));
        Path log = folder.resolve("first.log");
        try (LocalProcess process = start(log, "--submit")) {
            await().atMost(PATIENCE).until(() -> done(log).size() >= 6 && process.isRunning());
            process.kill();
        }
        Path secondLog = folder.resolve("second.log");
        try (LocalProcess process = start(secondLog)) {
            List<String> before = done(log);
            await().atMost(PATIENCE)
                    .until(() -> process.isRunning()
                            && Stream.concat(before.stream(), done(secondLog).stream())
                                            .distinct()
                                            .count()
                                    == 30);
            List<String> after = done(secondLog);
            for (int customer = 0; customer < 3; customer++) {
                String key = "done c-" + customer + " ";
                int first = customer;
                assertThat(orders(before, after, key))
                        .as(key)
                        .containsExactlyElementsOf(IntStream.range(0, 10)
                                .mapToObj(i -> first + 3 * i)
                                .toList());
            }
        }
    }

    @Test
    void itsComposedAnnotationCompiles() {
        String imports = """
                package shop;

                import dev.tandem.api.TaskHandler;
                import java.lang.annotation.Retention;
                import java.lang.annotation.RetentionPolicy;
                import org.springframework.core.annotation.AliasFor;

                """;
        JavaExample.compile("shop.OrderHandler", imports + block("java", 1), folder);
    }

    @Test
    void itsBatchMethodItsSchedulesAndItsGatewayOfCloudEventsCompile() {
        String page = """
                package shop;

                import dev.tandem.api.*;
                import java.util.List;
                import org.springframework.stereotype.Component;

                class Page {
                    record Ship(String order, int items) {}

                    record Report(String kind) {}

                    %s
                }
                """;
        JavaExample.compile("shop.Page", page.formatted(block("java", 2)), folder);
        JavaExample.compile("shop.Page", page.formatted(block("java", 3)), folder);
        JavaExample.compile("shop.Page", page.formatted(block("java", 4)), folder);
    }

    @Test
    void itsServiceWithAnOutboxCompiles() {
        String page = """
                package shop;

                import dev.tandem.api.*;
                import org.springframework.jdbc.core.simple.JdbcClient;
                import org.springframework.stereotype.Service;
                import org.springframework.transaction.annotation.Transactional;

                class Page {
                    record Ship(String order, int items) {}

                    interface ShippingTasks {
                        TaskRef<Void> ship(@Key String customer, Ship ship);
                    }

                    %s
                }
                """;
        JavaExample.compile("shop.Page", page.formatted(block("java", 4)), folder);
    }

    /** Returns the numbers of a customer's orders, in the order in which they were done. */
    private static List<Integer> orders(List<String> before, List<String> after, String key) {
        return Stream.concat(before.stream(), after.stream())
                .filter(line -> line.startsWith(key))
                .map(line -> Integer.valueOf(line.substring(line.lastIndexOf('-') + 1)))
                .distinct()
                .toList();
    }

    private static List<String> done(Path log) throws IOException {
        return Files.exists(log)
                ? Files.readAllLines(log).stream()
                        .filter(line -> line.matches("done c-\\d o-\\d+"))
                        .toList()
                : List.of();
    }

    private LocalProcess start(Path log, String... arguments) throws IOException {
        return LocalProcess.java(
                        "shop",
                        folder + File.pathSeparator + System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        "shop.ShopApplication",
                        List.of(arguments))
                .log(log)
                .disposable()
                .build()
                .start();
    }

    private static String block(String language, int index) {
        List<String> blocks = DocumentedBlocks.texts(PAGE, language);
        assertThat(blocks).as("blocks of %s", language).hasSizeGreaterThan(index);
        return blocks.get(index);
    }
}
