package dev.tandem.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void returnsWhenTheConditionHolds() throws Exception {
        Thread caller = Thread.currentThread();
        AtomicInteger calls = new AtomicInteger();

        Await.until(
                LIMIT,
                () -> {
                    assertThat(Thread.currentThread()).isSameAs(caller);
                    return calls.incrementAndGet() == 3;
                },
                () -> "never called three times");

        assertThat(calls).hasValue(3);
    }

    @Test
    void saysHowFarThingsGotWhenTheTimeIsUp() {
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> Await.until(
                        Duration.ofSeconds(1),
                        () -> calls.incrementAndGet() < 0,
                        () -> calls.get() > 1 ? "called, but in vain" : "hardly called"))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("called, but in vain after 1 s");
    }

    @Test
    void passesOnWhatTheConditionThrows() {
        IOException failure = new IOException("gone");

        assertThatThrownBy(() -> Await.until(
                        LIMIT,
                        () -> {
                            throw failure;
                        },
                        () -> "unused"))
                .isSameAs(failure);
    }

    @Test
    void endsWhenItsThreadIsInterrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Await.until(LIMIT, () -> false, () -> "unused"))
                .isInstanceOf(InterruptedException.class);
    }
}
