package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.FanOutRequest.Open;
import dev.tandem.task.fanout.FanOutRequest.Seal;
import dev.tandem.task.fanout.FanOutRequest.Tell;
import dev.tandem.task.store.FanOutModel;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.WrongTypeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what a process tells again when its store has forgotten it, and the cost of finding out. */
class FanOutCallsTest {

    private static final String ID = "00112233445566778899";
    private static final long HORIZON = 3_000;
    private static final long KEEP = 60_000;

    private final ManualClock clock = new ManualClock();
    private final ManualTimers timers = new ManualTimers(clock);
    private final ModelStore store = new ModelStore();
    private final FanOuts fanOuts = fanOuts(HORIZON);

    /** A store that answers at once, unless the test holds its answers. */
    private final class ModelStore implements Store {
        private FanOutModel model = new FanOutModel();
        private final List<FanOutRequest> requests = new ArrayList<>();
        private int calls;
        private boolean holds;
        private long refused = -1;
        private final List<Runnable> held = new ArrayList<>();

        @Override
        public CompletionStage<FanOutReply> fanOut(int bucket, FanOutCaller caller, List<FanOutRequest> asked) {
            calls++;
            requests.addAll(asked);
            if (asked.stream().anyMatch(each -> each instanceof Tell tell && tell.number() == refused)) {
                return CompletableFuture.failedFuture(new WrongTypeException("a key has another type", null));
            }
            CompletableFuture<FanOutReply> reply = new CompletableFuture<>();
            FanOutReply answer = model.call(bucket, caller, asked, clock.wallMillis());
            held.add(() -> reply.complete(answer));
            if (!holds) {
                answer();
            }
            return reply;
        }

        /** Answers what was asked until now. */
        private void answer() {
            List<Runnable> all = List.copyOf(held);
            held.clear();
            all.forEach(Runnable::run);
        }

        private FanOutRecord view() {
            return Objects.requireNonNull(
                    model.apply(new FanOutRequest.View(ID), 0).record());
        }

        @Override
        public Link link(Partition partition, Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private FanOuts fanOuts(long horizon) {
        return new FanOuts(
                store,
                new FanOutStore(),
                new FanOutPolicy(1_000_000, 3, KEEP, horizon),
                FanOutMetrics.NONE,
                clock,
                Runnable::run,
                timers);
    }

    private void open(FanOuts by, int subtasks) {
        FanOutPlan plan = new FanOutPlan(
                "orders", "0/1", "m", "t", "", 1, FanOutPlan.Rule.COMPLETE, 0, "", new byte[0], KEEP, 10);
        by.ask(new Open(ID, 1, plan), answer -> {});
        by.ask(new Seal(ID, 1, subtasks), answer -> {});
    }

    private static void end(FanOuts by, int number) {
        by.tell(new Tell(ID, number, End.SUCCEEDED, null), answer -> {});
    }

    /** Tells ends while answers take their time, so that many go together. @return the number of calls */
    private int callsForEnds(FanOuts by, int subtasks) {
        open(by, subtasks + 1);
        store.calls = 0;
        store.requests.clear();
        store.holds = true;
        for (int number = 0; number < subtasks; number++) {
            end(by, number);
            if (number % Store.MAX_FAN_OUT_REQUESTS == 0) {
                store.answer();
            }
        }
        store.holds = false;
        store.answer();
        timers.pass(10 * HORIZON);
        return store.calls;
    }

    @Test
    void oneQuestionBehindTheLastEndIsAllThatItCosts() {
        int subtasks = 10_000;
        int calls = callsForEnds(fanOuts(0), subtasks);
        store.model = new FanOutModel();

        assertThat(callsForEnds(fanOuts, subtasks)).isEqualTo(calls + 1);
        assertThat(store.requests.stream().filter(Tell.class::isInstance))
                .as("ends that were told")
                .hasSize(subtasks);
        assertThat(store.requests).as("and one question").hasSize(subtasks + 1);
        assertThat(fanOuts.mayBeForgotten()).isZero();
        assertThat(timers.isEmpty()).as("nothing goes on").isTrue();
        System.out.println(subtasks + " ends took " + calls + " calls, and one to find out that none is forgotten");
    }

    @Test
    void whoHasNothingMoreToTellTellsAgainWhatIsForgotten() {
        open(fanOuts, 3);
        end(fanOuts, 0);
        FanOutModel before = store.model.copy();
        end(fanOuts, 1);
        store.model = before.copy();
        timers.pass(HORIZON + 20);

        assertThat(store.view().ended()).isEqualTo(2);
        store.model = before;
        timers.pass(HORIZON + 20);
        assertThat(store.view().ended())
                .as("it is told again until it is durable")
                .isEqualTo(2);
        end(fanOuts, 2);
        assertThat(store.view().finished()).isTrue();
    }

    @Test
    void whatIsToldNextComesBehindWhatIsForgotten() {
        FanOutModel before = store.model.copy();
        open(fanOuts, 2);
        end(fanOuts, 0);
        store.model = before;
        store.requests.clear();
        end(fanOuts, 1);

        assertThat(store.view().finished()).isTrue();
        assertThat(store.requests)
                .extracting(each -> each.getClass().getSimpleName())
                .as("nothing of the first call was applied")
                .containsExactly("Tell", "Open", "Seal", "Tell", "Tell");
    }

    @Test
    void anEndIsRepeatedUntilTheMastersProcessHasToldAgain() {
        FanOuts masters = fanOuts(HORIZON);
        open(masters, 2);
        store.model = new FanOutModel();
        end(fanOuts, 0);
        end(fanOuts, 1);
        timers.pass(3 * HORIZON);

        assertThat(store.view().finished()).isTrue();
        assertThat(masters.mayBeForgotten() + fanOuts.mayBeForgotten()).isZero();
    }

    @Test
    void asManyEndsAreRepeatedAsMayBeForgotten() {
        int subtasks = 12_000;
        FanOuts masters = fanOuts(HORIZON);
        open(masters, subtasks);
        store.model = new FanOutModel();
        store.holds = true;
        for (int number = 0; number < subtasks; number++) {
            end(fanOuts, number);
        }
        store.holds = false;
        store.answer();
        timers.pass(3 * HORIZON);

        assertThat(store.view().ended()).isEqualTo(subtasks);
        assertThat(store.view().finished()).isTrue();
    }

    @Test
    void anEndOfAFanOutThatNobodyKnowsIsGivenUp() {
        end(fanOuts, 0);
        timers.pass(30 * HORIZON);
        int asked = store.requests.size();
        assertThat(asked).isBetween(10, 100);

        timers.pass(100 * HORIZON);
        assertThat(store.requests).hasSize(asked);
    }

    @Test
    void aFanOutThatMayBeForgottenByRightIsNotBegunAgain() {
        open(fanOuts, 1);
        // The process stands still for longer than the fan-out is kept.
        clock.advance(KEEP);
        store.model = new FanOutModel();
        timers.pass(HORIZON);

        assertThat(store.model.apply(new FanOutRequest.View(ID), 0).record()).isNull();
    }

    @Test
    void aRequestThatIsRefusedWhenItIsToldAgainKeepsNoOther() {
        FanOutModel before = store.model.copy();
        open(fanOuts, 4);
        for (int number = 0; number < 3; number++) {
            end(fanOuts, number);
        }
        store.model = before;
        store.refused = 1;
        end(fanOuts, 3);
        timers.pass(HORIZON);

        assertThat(store.view().ended()).isEqualTo(3);
        assertThat(fanOuts.isIdle()).isTrue();
    }

    @Test
    void endsWaitWhileTooManyMayBeForgotten() {
        open(fanOuts, ToldRequests.MAX_KEPT + 1);
        store.holds = true;
        end(fanOuts, 0);
        for (int number = 1; number < ToldRequests.MAX_KEPT; number++) {
            end(fanOuts, number);
        }
        store.holds = false;
        store.answer();
        assertThat(fanOuts.mayBeForgotten()).isGreaterThanOrEqualTo(ToldRequests.MAX_KEPT);
        @Nullable Object[] answer = new @Nullable Object[1];
        fanOuts.tell(new Tell(ID, ToldRequests.MAX_KEPT, End.SUCCEEDED, null), told -> answer[0] = told);
        timers.pass(HORIZON - 1);
        assertThat(answer[0]).isNull();

        timers.pass(1);
        assertThat(answer[0]).isNotNull();
        assertThat(fanOuts.mayBeForgotten()).isLessThan(10);
        assertThat(store.view().finished()).isTrue();
    }
}
