package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest.End;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The final task comes, with the right counts, also if the store forgets its last second. */
class ForgottenFanOutsTest {

    private static final int HISTORIES = Integer.getInteger("fan-out.histories", 400);
    private static final long HORIZON = 3_000;

    private static LongStream seeds() {
        return LongStream.range(0, HISTORIES);
    }

    @BeforeAll
    static void logLess() {
        setLevel(Level.OFF);
    }

    @AfterAll
    static void logAgain() {
        setLevel(null);
    }

    private static void setLevel(Level level) {
        for (Class<?> each : List.of(BucketSender.class, FanOutCalls.class, FanOutFinisher.class)) {
            ((Logger) LoggerFactory.getLogger(each)).setLevel(level);
        }
    }

    @Test
    void theFinalTaskComesOnceAlthoughTheStoreForgets() {
        seeds().forEach(seed -> {
            ForgetfulFanOuts history = new ForgetfulFanOuts(seed, HORIZON);
            history.run();
            for (ForgetfulFanOuts.FanOut each : history.fanOuts.values()) {
                assertThat(each.isOver()).as("seed %s: %s ended", seed, each.id).isTrue();
                FanOutRecord record = each.record();
                assertThat(record.total()).as("seed %s", seed).isEqualTo(each.total);
                assertThat(record.ended()).as("seed %s", seed).isEqualTo(each.total);
                assertThat(record.failed())
                        .as("seed %s", seed)
                        .isEqualTo(each.ends.values().stream()
                                .filter(End.FAILED::equals)
                                .count());
                assertThat(each.begun).as("seed %s: final tasks", seed).hasSize(1);
            }
        });
    }

    @Test
    void someWouldWaitForEverIfNothingWereToldAgain() {
        long waiting = seeds().filter(seed -> {
                    ForgetfulFanOuts history = new ForgetfulFanOuts(seed, 0);
                    history.run();
                    return !history.fanOuts.values().stream().allMatch(ForgetfulFanOuts.FanOut::isOver);
                })
                .count();
        System.out.println(waiting + " of " + HISTORIES + " histories would wait for ever");
        assertThat(waiting).isGreaterThan(HISTORIES / 10);
    }
}
