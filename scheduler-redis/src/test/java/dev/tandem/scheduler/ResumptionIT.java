package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Resuming a type or a key makes the tasks due that were put aside, and no others. */
class ResumptionIT extends OperatorTestBase {

    private static final PausedTasks MAIL = PausedTasks.ofType("mail");

    private void waits(long offset, String type, int attempts, boolean aside) {
        long token = claim(offset, null);
        Task task = new Task(null, queue, type, null, new byte[] {1}, Map.of("a", "b"), 0, 0, 0, 0, null);
        byte[] envelope = new Envelope(aside ? PutAside.with(task) : task, attempts, token, null).encode();
        Verdict retry = new Verdict.Retry(6 * 3_600_000, envelope);
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, offset), token, null, new SettledMark.Offset(offset), retry, 0)),
                List.of());
    }

    @Test
    void onlyTasksThatWerePutAsideAreMadeDueAlsoThoseThatHadFailed() {
        get(store.admin().pause(queue, MAIL));
        waits(1, "mail", 0, true);
        waits(2, "mail", 0, false);
        waits(3, "mail", 2, true);
        waits(4, "mail", 2, false);
        waits(5, "ship", 0, true);

        get(store.admin().resume(queue, MAIL, null));

        assertThat(dueAtLeast(2)).containsExactlyInAnyOrder(Position.of(0, 1), Position.of(0, 3));
    }

    private List<Position> dueAtLeast(int number) {
        List<Position> due = new ArrayList<>();
        await().until(() -> {
            due().claimed().stream().map(DueTask::position).forEach(due::add);
            return due.size() >= number;
        });
        return due;
    }

    @Test
    void resumingWhatIsNotPausedMakesNothingDue() {
        waits(1, "mail", 0, true);
        get(store.admin().resume(queue, MAIL, null));
        get(store.admin().pause(queue, PausedTasks.ofType("ship")));
        waits(2, "ship", 0, true);
        get(store.admin().resume(queue, PausedTasks.ofType("ship"), null));

        // Its walk begins later than the other one would have.
        assertThat(dueAtLeast(1)).containsExactly(Position.of(0, 2));
    }
}
