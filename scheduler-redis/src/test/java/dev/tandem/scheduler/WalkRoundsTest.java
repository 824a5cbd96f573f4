package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that there is one walk of a thing at a time, and that whole rounds follow each beginning. */
class WalkRoundsTest {

    private final List<Long> waits = new ArrayList<>();
    private final Queue<Runnable> planned = new ArrayDeque<>();
    private final List<String> begun = new ArrayList<>();
    private final Queue<CompletableFuture<Void>> walks = new ArrayDeque<>();
    private final WalkRounds<String> rounds = new WalkRounds<>(
            new long[] {0, 1_500, 11_000},
            what -> {
                begun.add(what);
                CompletableFuture<Void> walk = new CompletableFuture<>();
                walks.add(walk);
                return walk;
            },
            (millis, task) -> {
                waits.add(millis);
                planned.add(task);
            });

    private void planned() {
        for (int left = planned.size(); left > 0; left--) {
            planned.remove().run();
        }
    }

    @Test
    void eachRoundFollowsTheEndOfTheOneBeforeAlsoIfThatFailed() {
        rounds.begin("mail");
        planned();
        walks.remove().completeExceptionally(new IllegalStateException("Redis is away"));
        planned();
        walks.remove().complete(null);
        planned();
        walks.remove().complete(null);

        assertThat(planned).isEmpty();
        assertThat(begun).containsExactly("mail", "mail", "mail");
        assertThat(waits).containsExactly(0L, 1_500L, 11_000L);
    }

    @Test
    void beginningsDuringAWalkStartTheRoundsOnceMoreBehindIt() {
        rounds.begin("mail");
        planned();
        for (int i = 0; i < 10; i++) {
            rounds.begin("mail");
        }
        planned();
        assertThat(begun).as("one walk at a time").containsExactly("mail");

        walks.remove().complete(null);
        assertThat(waits).containsExactly(0L, 0L);
        planned();
        walks.remove().complete(null);
        planned();
        walks.remove().complete(null);
        planned();
        walks.remove().complete(null);

        assertThat(planned).isEmpty();
        assertThat(begun).hasSize(4);
    }

    @Test
    void aBeginningBetweenTwoRoundsDoesNotWaitForTheNextOneAndReplacesIt() {
        rounds.begin("mail");
        planned();
        walks.remove().complete(null);
        rounds.begin("mail");
        planned();

        assertThat(begun).containsExactly("mail", "mail");
        assertThat(waits).containsExactly(0L, 1_500L, 0L);
        walks.remove().complete(null);
        planned();
        assertThat(begun).hasSize(3);
    }

    @Test
    void thingsDoNotWaitForEachOther() {
        rounds.begin("mail");
        rounds.begin("ship");
        planned();

        assertThat(begun).containsExactly("mail", "ship");
    }
}
