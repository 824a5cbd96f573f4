package dev.tandem.runtime.queues;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.QueueStatus;
import dev.tandem.runtime.settings.TandemSettings.OnFailure;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureWatchTest {

    private final AtomicInteger ends = new AtomicInteger();
    private QueueStatus.State state = QueueStatus.State.RUNNING;

    @Test
    void processEndsOnceWhenALoopHasFailed() {
        FailureWatch watch = watch(OnFailure.EXIT);
        watch.check();
        assertThat(ends).hasValue(0);
        state = QueueStatus.State.FAILED;
        watch.check();
        watch.check();
        assertThat(ends).hasValue(1);
    }

    @Test
    void processStaysIfTheSettingSaysSo() {
        state = QueueStatus.State.FAILED;
        watch(OnFailure.STAY).check();
        assertThat(ends).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(value = QueueStatus.State.class, mode = EnumSource.Mode.EXCLUDE, names = "FAILED")
    void noOtherStateEndsTheProcess(QueueStatus.State other) {
        state = other;
        watch(OnFailure.EXIT).check();
        assertThat(ends).hasValue(0);
    }

    private FailureWatch watch(OnFailure onFailure) {
        return new FailureWatch(
                () -> List.of(status("healthy", QueueStatus.State.RUNNING), status("q", state)),
                onFailure,
                ends::incrementAndGet);
    }

    private static QueueStatus status(String queue, QueueStatus.State state) {
        return new QueueStatus(
                queue, state, null, null, false, 0, true, 1, 0, 0, 0, 0, 0, 0, 0, 0, null, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
