package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrialOutboxTest {

    @Test
    void aFaultFailsIfRowsAreLeftAtItsLimit() {
        assertThatThrownBy(() -> TrialOutbox.awaitPublished(sql -> sql.contains("max(id)") ? 9 : 3, Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("3 rows");
        assertThatThrownBy(() -> TrialOutbox.awaitPublished(sql -> -1, Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("did not answer");
    }

    @Test
    void itWaitsForTheRowsThatWereThereAtFirst() throws InterruptedException {
        Deque<Long> answers = new ArrayDeque<>(List.of(-1L, 9L, 2L, -1L, 0L));
        TrialOutbox.awaitPublished(sql -> answers.remove(), Duration.ofMinutes(1));
        assertThat(answers).isEmpty();
    }
}
