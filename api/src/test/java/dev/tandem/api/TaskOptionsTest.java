package dev.tandem.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class TaskOptionsTest {

    @Test
    void optionsThatAreGivenLaterCount() {
        TaskOptions all = TaskOptions.delay("5m")
                .and(TaskOptions.maxAttempts(3))
                .and(TaskOptions.header("a", "1"))
                .and(TaskOptions.maxAttempts(4))
                .and(TaskOptions.header("b", "2"))
                .and(TaskOptions.header("a", "3"));

        assertThat(all.delay()).isEqualTo(Duration.ofMinutes(5));
        assertThat(all.maxAttempts()).isEqualTo(4);
        assertThat(all.headers()).containsEntry("a", "3").containsEntry("b", "2");
        assertThat(all.headers().keySet()).containsExactly("a", "b");
    }

    @Test
    void aLaterTimeReplacesAnEarlierDelay() {
        Instant time = Instant.parse("2030-01-31T08:00:00Z");

        TaskOptions all = TaskOptions.delay("5m").and(TaskOptions.notBefore(time));

        assertThat(all.delay()).isNull();
        assertThat(all.notBefore()).isEqualTo(time);
    }

    @Test
    void valuesOutOfTheirBoundsAreRefusedByName() {
        assertRefused(() -> TaskOptions.delay("-1s"), "The task's delay is PT-1S: it must be 0 or more");
        assertRefused(() -> TaskOptions.timeout("0"), "The task's timeout is PT0S: it must be 1 ms to 366 days");
        assertRefused(() -> TaskOptions.timeout(Duration.ofSeconds(Long.MAX_VALUE)), "1 ms to 366 days");
        assertRefused(() -> TaskOptions.maxAttempts(0), "The task's maxAttempts is 0: it must be 1 to 1000000");
        assertRefused(() -> TaskOptions.maxAttempts(1_000_001), "1 to 1000000");
        assertRefused(() -> TaskOptions.notBefore(Instant.MAX), "in the year 9999 or before");
        assertRefused(() -> TaskOptions.id(" "), "The task's id is ''");
        assertRefused(() -> TaskOptions.header("Tandem-Delay", "5m"), "'Tandem-Delay' is one of Tandem's own");
        assertRefused(
                () -> new TaskOptions(null, Duration.ZERO, Instant.EPOCH, null, null, null, java.util.Map.of()),
                "give one of them");
    }

    @Test
    void aTaskMaySayHowItIsToldFromItsDuplicates() {
        assertThat(TaskOptions.dedupMode(DedupMode.KEEP_LAST)
                        .and(TaskOptions.dedupWindow("1h"))
                        .headers())
                .isEqualTo(java.util.Map.of("tandem-dedup-mode", "keep-last", "tandem-dedup-window", "3600000"));
        assertThat(TaskOptions.dedupWindow("365d").headers()).containsEntry("tandem-dedup-window", "31536000000");
        assertRefused(() -> TaskOptions.dedupWindow("999ms"), "dedupWindow is PT0.999S: it must be 1 s to 365 days");
        assertRefused(
                () -> TaskOptions.header("tandem-dedup-mode", "last"), "'tandem-dedup-mode' is one of Tandem's own");
    }

    @Test
    void aTaskMaySayWhenItExpires() {
        assertThat(TaskOptions.ttl("5m").headers()).containsExactly(java.util.Map.entry("tandem-ttl", "300000"));
        assertThat(TaskOptions.expiresAt(Instant.ofEpochMilli(1_790_000_000_000L))
                        .headers())
                .containsExactly(java.util.Map.entry("tandem-expires-at", "1790000000000"));
        assertThat(TaskOptions.ttl("5m").and(TaskOptions.ttl("1s")).headers()).containsEntry("tandem-ttl", "1000");
        assertRefused(() -> TaskOptions.ttl("0"), "The task's ttl is PT0S: it must be 1 ms to 3650 days");
        assertRefused(() -> TaskOptions.expiresAt(Instant.MAX), "in the year 9999 or before");
        assertRefused(() -> TaskOptions.header("tandem-ttl", "a while"), "'tandem-ttl' is one of Tandem's own");
    }

    @Test
    void durationsAreReadInEveryForm() {
        for (String text : List.of("300000", "300000ms", "300s", "5m", " PT5M ")) {
            assertThat(Durations.parse("delay", text)).as(text).isEqualTo(Duration.ofMinutes(5));
        }
        assertThat(Durations.parse("delay", "2h")).isEqualTo(Duration.ofHours(2));
        assertThat(Durations.parse("delay", "7d")).isEqualTo(Duration.ofDays(7));
        for (String text : List.of("", "soon", "5 m", "5y", "999999999999999999d")) {
            assertRefused(
                    () -> Durations.parse("delay", text), "The delay '" + text + "' is no duration: write one such");
        }
    }

    @Test
    void aRequestKeepsItsPayloadAndValuesOfHeadersOutOfLogs() {
        TaskRequest<?> request = TaskRequest.of("orders", "ship", "secret")
                .withKey("c-7")
                .with(TaskOptions.header("x-tenant", "secret"), TaskOptions.maxAttempts(2));

        assertThat(request.options().maxAttempts()).isEqualTo(2);
        assertThat(request.toString()).contains("orders", "ship", "c-7").doesNotContain("secret");
    }

    private static void assertRefused(ThrowingCallable code, String message) {
        assertThatThrownBy(code).isInstanceOf(InvalidTaskException.class).hasMessageContaining(message);
    }

    @Test
    void aTaskThatWouldWaitForItselfIsRefused() {
        TaskRequest<?> task = TaskRequest.of("orders", "tell", null).with(TaskOptions.dedupKey("a,b"));
        TaskTexts.check(task.with(TaskOptions.dependsOnTasksOf("payments", "a,b")));
        assertThatThrownBy(() -> TaskTexts.check(task.with(TaskOptions.dependsOn("other", "a,b"))))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("its own dedupKey 'a,b'", "leave that id out");
        assertThatThrownBy(() -> TaskTexts.check(task.with(TaskOptions.dependsOnTasksOf("orders", "a,b"))))
                .isInstanceOf(InvalidTaskException.class);
    }
}
