package dev.tandem.server.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PullRepeatsTest {

    private final AtomicLong now = new AtomicLong();
    private final PullRepeats repeats = new PullRepeats(now::get);

    @Test
    void remembersForLongerThanAMessageIsKept() {
        assertThat(repeats.add("a")).isTrue();
        now.set(PullRepeats.MILLIS);
        assertThat(repeats.add("a")).isFalse();
        assertThat(repeats.has("a")).isTrue();
        now.incrementAndGet();
        assertThat(repeats.has("a")).isFalse();
    }

    @Test
    void forgetsTheOldestAtItsBound() {
        IntStream.rangeClosed(0, PullRepeats.MOST).forEach(each -> repeats.add("m" + each));
        assertThat(repeats.has("m0")).isFalse();
        assertThat(repeats.has("m1")).isTrue();
    }
}
