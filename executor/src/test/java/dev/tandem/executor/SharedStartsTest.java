package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Commands;
import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.Run;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import dev.tandem.task.StartPolicy;
import dev.tandem.task.Task;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A queue leaves slots that its gates let it not use to the queues that share them, however many of its tasks wait. */
class SharedStartsTest {

    private static final Partition PARTITION = Partition.of("orders", 0);
    private static final int SLOTS = 64;

    private final SlotShares shares = new SlotShares(SLOTS);
    private final SlotShares.Member others = shares.join(new StartPolicy(1, 0, null), SLOTS, () -> {});
    private final QueueCore core = new QueueCore(
            Source.Kind.LOG, QueuePolicy.ordered(SLOTS), CustodyBounds.DEFAULTS, TestContexts.SETTINGS, "executor");
    private final ScriptedCommands commands = new ScriptedCommands();
    private final BoundedRuns gate = new BoundedRuns();

    /** A gate that bounds the runs, as a limit does that covers all tasks of its queue. */
    private static final class BoundedRuns implements Gate {
        private int waiting;
        private int most = 2;

        @Override
        public boolean concerns(Task task) {
            return true;
        }

        @Override
        public boolean mustWait(Run run, Runnable goOn) {
            return false;
        }

        @Override
        public boolean mayRun(Run run) {
            return true;
        }

        @Override
        public @Nullable Outcome takeOutcome(Run run) {
            return null;
        }

        @Override
        public void ended(Run run, Outcome outcome, Runnable then) {
            then.run();
        }

        @Override
        public int waiting() {
            return waiting;
        }

        @Override
        public int mostRuns() {
            return most;
        }
    }

    /** Sends requests to a store that grants all of them, and counts the starts. */
    private final class ScriptedCommands implements Commands {
        private final ArrayDeque<Runnable> answers = new ArrayDeque<>();
        private final Store.Link link = new ScriptedStore().link(PARTITION, new Store.Listener() {
            @Override
            public void up() {}

            @Override
            public void down(String why) {}

            @Override
            public void woken() {}

            @Override
            public void answered(StoreRequest request, StoreAnswer answer) {
                answers.add(() -> core.answered(request, answer));
            }
        });
        private int started;

        void turn() {
            core.flush(this);
            for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
                answer.run();
                core.flush(this);
            }
        }

        @Override
        public void send(StoreRequest request) {
            link.send(request);
        }

        @Override
        public void start(Run run) {
            started++;
        }

        @Override
        public void reach(Partition partition) {}

        @Override
        public void commit(Partition partition, long upTo) {}

        @Override
        public void ack(Partition partition, Collection<Long> sequences) {}

        @Override
        public void open(Partition partition) {}

        @Override
        public void pause(Partition partition) {}

        @Override
        public void resume(Partition partition) {}

        @Override
        public void rewind(Partition partition) {}

        @Override
        public void cutRecorded(Partition partition) {}

        @Override
        public void recall(Partition partition, Recall recall) {}

        @Override
        public void confirm(Partition partition) {}

        @Override
        public void left(Partition partition) {}
    }

    /** Delivers so many tasks, of which none may start yet. */
    private void backlog(int tasks) {
        core.clock(1_000, 1_790_000_000_000L);
        core.assigned(PARTITION, new Source.Facts(1, "topic", 0, 0), "writer");
        core.storeUp(PARTITION);
        commands.turn();
        core.waitingRuns(0, 0);
        List<Delivery> deliveries = new ArrayList<>();
        for (int offset = 0; offset < tasks; offset++) {
            deliveries.add(Delivery.of(offset, Task.of("orders", "k" + offset, new byte[0])));
        }
        core.delivered(PARTITION, deliveries, tasks);
        commands.turn();
        assertThat(core.waitingStarts()).isGreaterThanOrEqualTo(tasks);
    }

    private Gates gates(int weight, int precedence) {
        return new Gates(List.of(gate), shares.join(new StartPolicy(weight, precedence, null), SLOTS, () -> {}));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "9, 0", "1, 0"})
    void aLimitedQueueWantsNoMoreSlotsThanItsLimitLetsItUse(int weight, int precedence) {
        backlog(500);
        Gates gates = gates(weight, precedence);

        gates.bound(core);
        assertThat(others.turn(0, 500)).isEqualTo(SLOTS - 2);
        commands.turn();
        assertThat(commands.started).isEqualTo(2);

        gates.bound(core);
        assertThat(others.turn(SLOTS - 2, 500)).isEqualTo(SLOTS - 2);
    }

    @Test
    void runsThatWaitAtAGateCountAmongThoseThatItAllows() {
        backlog(500);
        Gates gates = gates(1, 1);
        gates.bound(core);
        commands.turn();
        gate.waiting = 1;
        gate.most = 6;

        gates.bound(core);
        assertThat(others.turn(0, 500)).as("one runs, and four more may start").isEqualTo(SLOTS - 5);
        commands.turn();
        assertThat(commands.started).isEqualTo(6);
    }
}
