package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.Registration.OperatorPause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an executor hears of a pause while Redis does not answer. */
class PauseWatchTest {

    private final Queue<Runnable> later = new ArrayDeque<>();
    private final List<OperatorPause> heard = new ArrayList<>();
    /** What Redis answers; null while it does not. */
    private @Nullable Boolean answer;

    private final PauseWatch watch = new PauseWatch("orders", this::ask, later::add, heard::add);

    private CompletableFuture<Boolean> ask() {
        return answer == null
                ? CompletableFuture.failedFuture(new IllegalStateException("away"))
                : CompletableFuture.completedFuture(answer);
    }

    private void leaveUnanswered(int questions) {
        watch.run();
        for (int asked = 1; asked < questions; asked++) {
            later.remove().run();
        }
    }

    @Test
    void pauseThatRedisDoesNotTellIsUnknownAndNotRefused() {
        leaveUnanswered(PauseWatch.MAX_UNANSWERED - 1);
        assertThat(heard).isEmpty();
        later.remove().run();

        assertThat(heard).containsExactly(OperatorPause.UNKNOWN);
        assertThat(later).isEmpty();
    }

    @Test
    void laterAnswerReplacesWhatIsUnknown() {
        leaveUnanswered(PauseWatch.MAX_UNANSWERED);
        watch.run();
        answer = true;
        watch.run();
        answer = false;
        watch.run();

        assertThat(heard).containsExactly(OperatorPause.UNKNOWN, OperatorPause.YES, OperatorPause.NO);
    }

    @Test
    void lastAnswerHoldsWhileRedisIsAway() {
        answer = true;
        watch.run();
        answer = null;
        watch.run();

        assertThat(heard).containsExactly(OperatorPause.YES);
        assertThat(later).isEmpty();
    }

    @Test
    void closedWatchIsSilent() {
        leaveUnanswered(PauseWatch.MAX_UNANSWERED - 1);
        watch.close();
        later.remove().run();

        assertThat(heard).isEmpty();
    }
}
