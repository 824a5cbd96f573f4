package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The cheap answer that a task's message is readable is never wrong, and most tasks get it. */
class SurelyReadableTest {

    private static final int MAX_PAYLOAD = 100;
    private static final List<String> TEXTS = List.of(
            "",
            "a",
            "order-7",
            "é",
            "\0",
            "\ud800",
            "~".repeat(199),
            "k".repeat(201),
            "k".repeat(513),
            "k".repeat(1_025));
    private static final List<String> NAMES = List.of(
            "a",
            "content-type",
            "tandem-delay",
            "tandem-unreadable",
            "tandem-depends-on",
            "tandem-depends-policy",
            "tandem-depends-timeout",
            "ce_id",
            "ce_partitionkey",
            "cloudEvents:id",
            "cloudEvents_type",
            "x;latin1",
            "é".repeat(100));

    @ParameterizedTest
    @EnumSource(Binding.class)
    void whatIsSurelyReadableIsReadUnchanged(Binding binding) {
        TaskHeaders headers = new TaskHeaders("orders", binding, MAX_PAYLOAD);
        Random random = new Random(7);
        int sure = 0;
        for (int i = 0; i < 50_000; i++) {
            Task task = task(random);
            if (headers.isSurelyReadable(task)) {
                sure++;
                TaskHeaders.Read read = headers.read(fields(task), origin(task), task.payload());
                assertThat(read.unreadable()).as("%s %s", task, task.headers()).isNull();
                assertThat(read.task())
                        .usingRecursiveComparison()
                        .ignoringFields("headers")
                        .isEqualTo(expected(task));
            }
        }
        assertThat(sure).isGreaterThan(1_000);
    }

    @Test
    void aUsualTaskGetsTheCheapAnswer() {
        Task task = new Task(
                "o-7",
                "orders",
                "ship",
                "c-7",
                new byte[MAX_PAYLOAD],
                Map.of("content-type", "application/json"),
                0,
                1_790_000_000_000L,
                30_000,
                8,
                "d");

        assertThat(new TaskHeaders("orders", Binding.KAFKA, MAX_PAYLOAD).isSurelyReadable(task))
                .isTrue();
    }

    private static Task task(Random random) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int n = random.nextInt(4) - 1; n > 0; n--) {
            headers.put(NAMES.get(random.nextInt(NAMES.size())), TEXTS.get(random.nextInt(TEXTS.size())));
        }
        if (random.nextInt(50) == 0) {
            headers.put("large", "é".repeat(random.nextInt(TaskHeaders.MAX_HEADER_BYTES)));
        }
        if (random.nextInt(50) == 0) {
            for (int i = random.nextInt(300); i > 0; i--) {
                headers.put("h" + i, "");
            }
        }
        return new Task(
                text(random),
                "orders",
                text(random),
                text(random),
                new byte[random.nextInt(MAX_PAYLOAD + 10)],
                headers,
                number(random, 1_790_000_000_000L),
                number(random, 1_790_000_000_000L),
                number(random, 30_000),
                (int) number(random, 8),
                text(random));
    }

    private static String text(Random random) {
        return random.nextInt(3) == 0 ? TEXTS.get(random.nextInt(TEXTS.size())) : random.nextBoolean() ? "plain" : null;
    }

    private static long number(Random random, long usual) {
        return switch (random.nextInt(12)) {
            case 0 -> random.nextLong();
            case 1 -> -1;
            case 2, 3, 4 -> 0;
            default -> usual;
        };
    }

    private static List<Field> fields(Task task) {
        List<Field> fields = new ArrayList<>();
        TaskHeaders.write(task, (name, value) -> fields.add(new Field(name, value)));
        return fields;
    }

    private static Origin origin(Task task) {
        byte[] key = task.key() == null ? null : task.key().getBytes(StandardCharsets.UTF_8);
        return new Origin(key, null, null, null, task.publishedAt(), 0);
    }

    /** Empty texts mean the default. */
    private static Task expected(Task task) {
        return new Task(
                orNull(task.id()),
                task.queue(),
                orNull(task.type()),
                orNull(task.key()),
                task.payload(),
                task.headers(),
                task.publishedAt(),
                task.notBefore(),
                task.timeoutMillis(),
                task.maxAttempts(),
                orNull(task.dedupKey()));
    }

    private static String orNull(String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
