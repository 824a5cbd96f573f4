package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No cursor that a client makes up costs Redis more than a page, or is answered with a script's error. */
class MadeUpCursorIT extends OperatorTestBase {

    private static final List<TaskState> STATES = List.of(
            TaskState.ACTIVE,
            TaskState.SCHEDULED,
            TaskState.RETRY,
            TaskState.PARKED,
            TaskState.DEAD,
            TaskState.SUCCEEDED);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "later 1000:999999999999999:0",
                "later 99999999999999999999:1:1",
                "later x",
                "later ",
                "abc",
                "abc 0:1",
                "nan 0:1",
                "1e999 0:1",
                "1",
                "1 ",
                "1 0:1\n",
                "\0\0\0\1k",
                "\0\0\0\377k"
            })
    void isRefusedAndTheReasonNamesIt(String madeUp) {
        schedule(1, FAR);
        String cursor = TaskCursor.encode(madeUp.getBytes(StandardCharsets.ISO_8859_1));
        for (TaskState state : STATES) {
            assertThatThrownBy(() -> page(state, cursor, 10))
                    .as("%s", state)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("The cursor '" + cursor);
            String overPartitions = QueueCursor.encode(partition, cursor);
            assertThatThrownBy(() -> store.inspector().tasks(queue, state, overPartitions, 10))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void numberOfAListThatDoesNotExistFindsTheListsThatDo() {
        for (int i = 1; i <= 5; i++) {
            schedule(i, FAR + i);
        }
        long minute = FAR / 60_000;
        String cursor = cursor("later " + minute + ":999999999:0");
        assertThat(offsets(page(TaskState.SCHEDULED, cursor, 10))).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(offsets(page(TaskState.SCHEDULED, cursor("later " + minute + ":1:999999"), 10)))
                .isEmpty();
        assertThat(offsets(page(TaskState.SCHEDULED, cursor("later 1:999999999:5"), 10)))
                .hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-1", "99999999999999999999", "1.5", "", "184467440737095516150"})
    void ofBlockedKeysIsRefusedToo(String madeUp) {
        assertThatThrownBy(() -> store.inspector().keys().blocked(partition, madeUp, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cursor");
    }

    @Test
    void ofAPartitionThatDoesNotExistIsRefused() {
        String cursor = cursor("17 ");
        assertThatThrownBy(() -> get(store.inspector().tasks(queue, TaskState.DEAD, cursor, 10)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> get(store.inspector().keys().blocked(queue, cursor, 10)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    /** Scripts do not rely on the checks of the program that calls them. */
    @Test
    void randomCursorsCostAScriptNoMoreThanAPage() throws Exception {
        halt("k", 1);
        park("k", 2, 3, 4);
        retryLater("other", 5);
        for (int i = 10; i < 20; i++) {
            schedule(i, FAR + i);
        }
        long seed = System.nanoTime();
        System.out.println("Seed of the cursors: " + seed);
        Random random = new Random(seed);
        AdminConnection connection = store.adminConnection();
        for (int i = 0; i < 500; i++) {
            byte[] cursor = random(random);
            for (TaskState state : STATES) {
                byte[] name = state.name().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
                byte[] limit = "1000000".getBytes(StandardCharsets.UTF_8);
                connection
                        .runScript(
                                Script.INSPECT, partition, "page".getBytes(StandardCharsets.UTF_8), name, cursor, limit)
                        .handle((reply, failure) -> failure) // An error of the script is fine, silence is not.
                        .get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(get(store.inspector().task(partition, Position.of(0, 1)))).isPresent();
    }

    private static byte[] random(Random random) {
        String number = random.nextBoolean() ? "9".repeat(1 + random.nextInt(400)) : "" + random.nextInt(100);
        List<String> shapes = Arrays.asList(
                "later " + FAR / 60_000 + ":" + number + ":0",
                "later " + number + ":" + number + ":" + number,
                "later " + FAR / 60_000 + ":1:" + number,
                number + " 0:1",
                number + " " + number,
                "inf 0:1",
                "-inf ",
                "\0\0\0\1k" + number);
        byte[] bytes = shapes.get(random.nextInt(shapes.size())).getBytes(StandardCharsets.ISO_8859_1);
        if (random.nextInt(4) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    private static String cursor(String text) {
        return TaskCursor.encode(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
