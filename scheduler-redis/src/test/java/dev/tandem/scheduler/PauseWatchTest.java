package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.Registration.OperatorPause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests of what an executor learns of a pause while Redis does not answer. */
class PauseWatchTest {

    private final Queue<Runnable> later = new ArrayDeque<>();
    private final List<OperatorPause> heard = new ArrayList<>();
    /** The answer of Redis; null while there is none. */
    private @Nullable Boolean answer;
    /** The tasks that it says are paused. */
    private PausedTasks tasks = PausedTasks.NONE;

    private final PauseWatch watch = new PauseWatch("orders", true, this::ask, later::add, heard::add);

    private CompletableFuture<PauseWatch.Answer> ask() {
        return answer == null
                ? CompletableFuture.failedFuture(new IllegalStateException("away"))
                : CompletableFuture.completedFuture(new PauseWatch.Answer(answer, tasks));
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
    }

    @Test
    void itIsAskedAgainWhileThePauseIsUnknown() {
        leaveUnanswered(3 * PauseWatch.MAX_UNANSWERED);
        watch.run();
        assertThat(later).as("not one more for each other question").hasSize(1);
        answer = true;
        later.remove().run();

        assertThat(heard).containsExactly(OperatorPause.UNKNOWN, OperatorPause.YES);
        assertThat(later).isEmpty();
    }

    @Test
    void questionWaitsForTheAnswerToTheOneBefore() {
        List<CompletableFuture<PauseWatch.Answer>> asked = new ArrayList<>();
        PauseWatch slow = new PauseWatch(
                "orders",
                true,
                () -> {
                    asked.add(new CompletableFuture<>());
                    return asked.get(asked.size() - 1);
                },
                later::add,
                heard::add);
        slow.run();
        slow.run();
        slow.run();
        assertThat(asked).hasSize(1);
        asked.get(0).complete(new PauseWatch.Answer(false, tasks));
        assertThat(asked)
                .as("one more, since the first answer may be out of date")
                .hasSize(2);
        asked.get(1).complete(new PauseWatch.Answer(true, tasks));

        assertThat(asked).hasSize(2);
        assertThat(heard).containsExactly(OperatorPause.NO, OperatorPause.YES);
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyOfAClusterTheLogSaysThatTasksStartElsewhere(boolean cluster) {
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        Logger logger = (Logger) LoggerFactory.getLogger(PauseWatch.class);
        logger.addAppender(logged);
        String queue = "orders-" + cluster;
        PauseWatch other = new PauseWatch(queue, cluster, this::ask, later::add, heard::add);
        try {
            other.run();
            for (int asked = 1; asked < PauseWatch.MAX_UNANSWERED; asked++) {
                later.remove().run();
            }
        } finally {
            logger.detachAppender(logged);
        }

        assertThat(heard).containsExactly(OperatorPause.UNKNOWN);
        assertThat(logged.list.stream().map(ILoggingEvent::getFormattedMessage).filter(line -> line.contains(queue)))
                .hasSize(cluster ? 1 : 0);
    }

    @Test
    void closedWatchIsSilent() {
        leaveUnanswered(PauseWatch.MAX_UNANSWERED - 1);
        watch.close();
        later.remove().run();

        assertThat(heard).isEmpty();
    }

    @Test
    void pausedTasksAreToldBeforeTasksMayStartAndAtEveryChange() {
        List<Object> all = new ArrayList<>();
        PauseWatch other = new PauseWatch("orders", true, this::ask, later::add, new PauseListener() {
            @Override
            public void paused(OperatorPause paused) {
                all.add(paused);
            }

            @Override
            public void pausedTasks(PausedTasks which) {
                all.add(which);
            }
        });
        answer = false;
        tasks = PausedTasks.ofType("mail");
        other.run();
        other.run();
        assertThat(all).containsExactly(PausedTasks.ofType("mail"), OperatorPause.NO);

        tasks = PausedTasks.NONE;
        other.run();
        assertThat(all).last().isEqualTo(PausedTasks.NONE);
    }
}
