package dev.tandem.server.why;

import dev.tandem.server.inspect.Pauses.Kind;
import dev.tandem.server.inspect.Pauses.Pause;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.TaskState;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes causes of each kind with all that changes their sentences: values that are there or not, numbers that are 0 or not. */
final class EachCause {

    static final Instant NOW = Instant.parse("2026-03-02T14:03:00Z");
    static final String KEY = "customer-7";

    private static final Instant TODAY = NOW.plusSeconds(65);
    private static final TaskRef REF = new TaskRef("3", "0:17");
    private static final List<Wording> ASKED = List.of(
            new Wording("payments", KEY, false, KEY, ZoneOffset.UTC, NOW),
            new Wording("the payments", "pay-1", true, "pay-1", ZoneOffset.UTC, NOW));

    private EachCause() {}

    /** A cause, and what was asked. */
    record Case(Cause cause, Wording words) {}

    static List<Class<?>> kinds() {
        return Stream.of(TaskCause.class, PartitionCause.class)
                .<Class<?>>flatMap(group -> Arrays.stream(group.getPermittedSubclasses()))
                .toList();
    }

    static List<Case> all() throws ReflectiveOperationException {
        List<Case> all = new ArrayList<>();
        for (Class<?> kind : kinds()) {
            for (Cause cause : of(kind)) {
                ASKED.forEach(words -> all.add(new Case(cause, words)));
            }
        }
        return all;
    }

    private static List<Cause> of(Class<?> kind) throws ReflectiveOperationException {
        List<List<Object>> rows = List.of(List.of());
        RecordComponent[] parts = kind.getRecordComponents();
        for (RecordComponent part : parts) {
            List<List<Object>> longer = new ArrayList<>();
            for (List<Object> row : rows) {
                for (Object value : values(part)) {
                    List<Object> next = new ArrayList<>(row);
                    next.add(value);
                    longer.add(next);
                }
            }
            rows = longer;
        }
        Constructor<?> constructor = kind.getDeclaredConstructor(
                Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
        constructor.setAccessible(true);
        List<Cause> causes = new ArrayList<>();
        for (List<Object> row : rows) {
            causes.add((Cause) constructor.newInstance(row.toArray()));
        }
        return causes;
    }

    private static List<Object> values(RecordComponent part) {
        List<Object> values = new ArrayList<>(values(part.getName(), part.getType()));
        if (part.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
            values.add(null);
        }
        return values;
    }

    private static List<?> values(String name, Class<?> type) {
        if (type == String.class) {
            return switch (name) {
                case "task" -> List.of("pay-1");
                case "partition" -> List.of("3");
                case "executor" -> List.of("host-2");
                case "error" -> List.of("HTTP 410\n at somewhere");
                default -> List.of(name);
            };
        } else if (type == TaskFacts.class) {
            return List.of(task(TODAY, KEY, "HTTP 410"), task(null, null, null));
        } else if (type == Instant.class) {
            return List.of(TODAY);
        } else if (type == TaskRef.class) {
            return List.of(REF);
        } else if (type == Pause.class) {
            return Arrays.stream(Kind.values())
                    .map(kind -> new Pause(kind, kind == Kind.QUEUE ? "" : "its name"))
                    .toList();
        } else if (type == List.class) {
            Sentence most = Sentence.of("limit.at-most", "5");
            LimitInForce changed = new LimitInForce("erp", Sentence.of("limit.set-by", most, "anna"));
            return List.of(
                    List.of(new LimitInForce("erp", most)),
                    List.of(changed),
                    List.of(changed, new LimitInForce("mail", null)));
        } else if (type == LimitInForce.class) {
            Sentence rate = Sentence.of("limit.rate", "10/s", "4");
            return List.of(
                    new LimitInForce("mail", rate),
                    new LimitInForce("mail", Sentence.of("limit.set-by", rate, "anna")),
                    new LimitInForce("mail", null));
        } else if (type == Duration.class) {
            return List.of(Duration.ofSeconds(10));
        } else if (type.isEnum()) {
            return Arrays.asList(type.getEnumConstants());
        } else if (type == boolean.class) {
            return List.of(false, true);
        } else if (type == int.class || type == Integer.class) {
            return List.of(3);
        } else if (type == long.class) {
            return name.equals("messages") ? List.of(0L, 4L) : List.of(4L);
        }
        throw new AssertionError("Give values of " + type);
    }

    private static TaskFacts task(@Nullable Instant at, @Nullable String key, @Nullable String error) {
        return new TaskFacts(
                REF, "pay-1", TaskState.DEAD, at, key, "pay", 2, null, error, null, false, false, false, false, -1);
    }
}
