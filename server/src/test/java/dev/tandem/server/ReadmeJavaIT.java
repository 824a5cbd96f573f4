package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.runtime.Tandem;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.JavaExample;
import java.lang.reflect.Field;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java example of the README compiles as it stands there, and runs tasks. */
class ReadmeJavaIT {

    private static final String PROGRAM = """
            import dev.tandem.runtime.*;

            public class ReadmeExample {
                public static Tandem started;

                public static void main(String[] args) {
            %s
                    started = tandem;
                }
            }
            """;

    @TempDir
    private Path classes;

    @Test
    void itsProgramRunsTheTasksOfTheQueue() throws Exception {
        try (TestTopic queue = new TestTopic("readme", 4);
                URLClassLoader loader = JavaExample.loader(classes)) {
            String code = example()
                    .replace("localhost:9092", Brokers.kafka().bootstrapServers())
                    .replace("redis://localhost:6379", Brokers.redis().uri())
                    .replace("\"shop-orders\"", "\"" + queue.name() + "\"");
            JavaExample.compile("ReadmeExample", PROGRAM.formatted(code), classes);
            Class<?> example = loader.loadClass("ReadmeExample");
            example.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            try (Tandem tandem = published(example, "started", Tandem.class)) {
                for (int number = 0; number < 20; number++) {
                    String order = "{\"id\": \"o-" + number + "\", \"items\": 1}";
                    queue.publish("customer-" + number % 3, order.getBytes(StandardCharsets.UTF_8));
                }
                await().atMost(PATIENCE)
                        .until(() -> tandem.status().queues().get(0).succeeded() == 20);
                assertThat(tandem.status().problems()).isEmpty();
                queue.awaitAllCommitted(PATIENCE);
            }
        }
    }

    private static String example() {
        List<String> blocks = DocumentedBlocks.texts("README.md", "java");
        assertThat(blocks).as("blocks of Java in the README").isNotEmpty();
        String code = blocks.get(0);
        assertThat(code.lines()).as("ten lines or so").hasSizeLessThanOrEqualTo(12);
        return code;
    }

    private static <T> T published(Class<?> example, String name, Class<T> type) throws ReflectiveOperationException {
        Field field = example.getField(name);
        return type.cast(field.get(null));
    }
}
