package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.CoreEvent;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HaltedKeyLogTest {

    private static final Partition P3 = Partition.of("orders", 3);
    private static final String ERROR = "attempt 8 of 8 was the last: HTTP status 500\n{\"secret\": 1}";
    private static final String UNTIL = ", until an operator retries, skips or drains it";

    private final HaltedKeyLog log = new HaltedKeyLog(true);

    private static CoreEvent.KeyHalted halted(String key, @Nullable String id, String error) {
        Task task = new Task(id, "orders", null, key, new byte[0], Map.of(), 0, 0, 0, 0, null);
        byte[] envelope = new Envelope(task, 8, 5, error).encode();
        return new CoreEvent.KeyHalted(P3, key, Position.of(1, 42), envelope);
    }

    @Test
    void aLineNamesKeyAndTaskAndSaysWhatEndsTheHalt() {
        log.add(halted("customer-7", "order-7-paid", ERROR));
        log.add(halted("customer-8", null, ERROR));

        assertThat(log.takeDue(0))
                .containsExactly(
                        "orders/3: key 'customer-7' is halted by the dead task order-7-paid (@3/1:42)" + UNTIL,
                        "orders/3: key 'customer-8' is halted by the dead task @3/1:42" + UNTIL);
        assertThat(log.takeDue(0)).as("the second time").isEmpty();
    }

    @Test
    void aLongKeyIsCutAndCannotForgeALine() {
        log.add(halted("x\n" + "y".repeat(100), null, "no"));

        assertThat(log.takeDue(0))
                .containsExactly(
                        "orders/3: key 'x?" + "y".repeat(62) + "…' is halted by the dead task @3/1:42" + UNTIL);
    }

    @Test
    void aKeyIsNotNamedWhereTheSettingsSaySo() {
        HaltedKeyLog discreet = new HaltedKeyLog(false);
        discreet.add(halted("customer-7", null, "no"));

        assertThat(discreet.takeDue(0)).containsExactly("orders/3: a key is halted by the dead task @3/1:42" + UNTIL);
    }

    @Test
    void aFloodIsCountedWhenItsTimeIsOver() {
        for (int i = 0; i < 1_000; i++) {
            log.add(halted("k" + i, null, "no"));
        }
        assertThat(log.takeDue(5)).hasSize(HaltedKeyLog.MAX_LINES);
        log.add(halted("late", null, "no"));
        assertThat(log.takeDue(4 + HaltedKeyLog.WINDOW_MILLIS)).isEmpty();

        assertThat(log.takeDue(5 + HaltedKeyLog.WINDOW_MILLIS))
                .containsExactly("orders: 991 more keys were halted in 1 partition (3). 'keys list orders' lists them");
        log.add(halted("next", null, "no"));
        assertThat(log.takeDue(20_000)).as("of the next window").hasSize(1);
    }

    @Test
    void whatWasLeftOutIsCountedAtTheEnd() {
        for (int i = 0; i < 11; i++) {
            log.add(halted("k" + i, null, "no"));
        }

        assertThat(log.takeAll())
                .hasSize(11)
                .last()
                .asString()
                .startsWith("orders: 1 more key was halted in 1 partition (3).");
    }
}
