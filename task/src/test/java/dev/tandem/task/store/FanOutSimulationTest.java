package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Histories of fan-outs with masters that are killed and wake up again, ends that are told twice or whose answers are lost, copies
 * of subtasks and of final tasks, subtasks that fan out themselves or are retried by an operator, and programs that die while they
 * submit the final task.
 */
class FanOutSimulationTest {

    private static final String ID = "00112233445566778899";
    private static final int HISTORIES = Integer.getInteger("fan-out.histories", 400);

    static LongStream seeds() {
        return LongStream.range(0, HISTORIES);
    }

    /** A run of the master: it has published and noted so much. */
    private static final class MasterRun {
        private final long token;
        private long next;
        private long noted;
        private boolean over;

        MasterRun(long token, long cursor) {
            this.token = token;
            this.next = cursor;
            this.noted = cursor;
        }
    }

    /** A message of a subtask that the broker has. @param copy tells it from others of the same number */
    private record Message(int number, int copy) {

        /** Returns the id of the fan-out that its run begins. */
        String inner() {
            return "inner of " + copy;
        }
    }

    private static final class History {
        private final Random random;
        private final FanOutModel model = new FanOutModel();
        private final int total;
        private final Rule rule;
        private long now = 1_000_000;
        private long tokens;
        private final List<Message> published = new ArrayList<>();
        /** How subtasks ended, by the first end that was told. */
        private final Map<Integer, End> told = new HashMap<>();
        /** One in so many subtasks fans out itself. */
        private final int nests;
        /** Subtasks whose own fan-outs have begun, and have not ended. */
        private final List<Message> nested = new ArrayList<>();

        /** Subtasks that died, and that an operator has run again. */
        private final Set<Message> retried = new HashSet<>();

        private int copies;
        private int duplicates;
        private int failedCopies;
        private int fannedOutAgain;

        private final List<MasterRun> runs = new ArrayList<>();
        private final List<String> finals = new ArrayList<>();
        private final Set<String> begunFinals = new HashSet<>();
        private int claims;
        private boolean masterDead;
        private boolean stopped;

        History(long seed) {
            random = new Random(seed);
            total = random.nextInt(40);
            rule = Rule.values()[random.nextInt(3)];
            nests = 1 + random.nextInt(4);
        }

        FanOutAnswer ask(FanOutRequest request) {
            FanOutAnswer answer = model.apply(request, now);
            if (random.nextInt(8) == 0) {
                // The answer was lost, so the request is repeated.
                answer = model.apply(request, now);
            }
            stopped |= answer.stop() != Stop.NO;
            if (answer.code() == Code.COMPLETE) {
                long all = answer.total();
                assertThat(nested)
                        .as("nobody waits for these")
                        .noneMatch(each -> each.number() < all && !told.containsKey(each.number()));
                finish();
            }
            return answer;
        }

        void step() {
            now += random.nextInt(3_000);
            switch (random.nextInt(7)) {
                case 0 -> beginMaster();
                case 1, 2 -> runMaster();
                case 3, 4 -> runSubtask();
                case 5 -> endNested();
                default -> patrol();
            }
        }

        /** Another run of the master begins, because the last one seems to be dead. It may go on all the same. */
        private void beginMaster() {
            if (masterDead || runs.size() > 6 && random.nextInt(4) > 0 || !runs.isEmpty() && random.nextInt(3) > 0) {
                return;
            }
            FanOutPlan plan = new FanOutPlan("q", "0/1", "m", "t", "", 1, rule, 0.2, "q", new byte[0], 1_000, 10);
            long token = ++tokens;
            FanOutAnswer answer = ask(new FanOutRequest.Open(ID, token, plan));
            if (answer.code() == Code.OK || answer.code() == Code.RESUMED) {
                MasterRun run = new MasterRun(token, answer.cursor());
                run.over = answer.stop() != Stop.NO && seal(run, answer.cursor());
                runs.add(run);
            }
        }

        private void runMaster() {
            List<MasterRun> going = runs.stream().filter(each -> !each.over).toList();
            if (going.isEmpty()) {
                return;
            }
            MasterRun run = going.get(random.nextInt(going.size()));
            switch (random.nextInt(8)) {
                case 0 -> {
                    FanOutAnswer answer = ask(new FanOutRequest.Note(ID, run.token, run.next));
                    run.noted = answer.code() == Code.OK ? run.next : run.noted;
                    run.over = answer.code() != Code.OK || answer.stop() != Stop.NO && seal(run, run.next);
                }
                case 1 -> {
                    if (random.nextInt(6) == 0) {
                        // Its task is dead. Sometimes nobody hears of it, and the patrol finds out.
                        masterDead = true;
                        run.over = true;
                        if (random.nextBoolean()) {
                            ask(new FanOutRequest.Abandon(ID, run.token, End.FAILED, "dead", random.nextBoolean()));
                        }
                    }
                }
                default -> {
                    if (run.next < total) {
                        published.add(new Message((int) run.next++, copies++));
                    } else {
                        run.over = seal(run, total);
                    }
                }
            }
        }

        private boolean seal(MasterRun run, long count) {
            FanOutAnswer answer = ask(new FanOutRequest.Seal(ID, run.token, count));
            assertThat(answer.code()).isNotEqualTo(Code.NOT_REPEATABLE);
            return true;
        }

        /** A subtask runs, and may be delivered again. Its end is told before it is recorded. */
        private void runSubtask() {
            if (published.isEmpty()) {
                return;
            }
            int index = random.nextInt(published.size());
            Message message = published.get(index);
            End end = stopped ? End.CANCELLED : random.nextInt(6) == 0 ? End.FAILED : End.SUCCEEDED;
            // Sometimes a run does not come to the fan-out that an earlier one began.
            boolean fansOut = message.number() % nests == 1 && end == End.SUCCEEDED && random.nextInt(8) > 0;
            if (fansOut) {
                fanOut(message);
            } else {
                tell(message, end, null);
            }
            if (end == End.FAILED && random.nextInt(3) == 0) {
                retried.add(message);
            } else if (random.nextInt(5) > 0) {
                published.remove(index);
            }
        }

        private void fanOut(Message message) {
            boolean byOperator = retried.contains(message);
            End before = told.get(message.number());
            FanOutAnswer answer = ask(new FanOutRequest.Nest(ID, message.number(), message.inner(), byOperator));
            if (answer.code() == Code.DUPLICATE) {
                duplicates++;
            } else if (answer.code() == Code.HAS_FAILED) {
                assertThat(before).isEqualTo(End.FAILED);
                failedCopies++;
            } else if (answer.code() == Code.OK && !nested.contains(message)) {
                assertThat(nested)
                        .as("one of the copies")
                        .extracting(Message::number)
                        .doesNotContain(message.number());
                if (byOperator) {
                    assertThat(before).as("it has not succeeded before").isNotEqualTo(End.SUCCEEDED);
                    fannedOutAgain += before == End.FAILED ? 1 : 0;
                } else {
                    assertThat(before).as("it has not ended before").isNull();
                }
                nested.add(message);
            }
        }

        private void endNested() {
            if (!nested.isEmpty()) {
                Message message = nested.get(random.nextInt(nested.size()));
                if (random.nextInt(6) == 0) {
                    // That of a copy ends, which had the place before Redis forgot it.
                    ask(new FanOutRequest.Tell(ID, message.number(), End.FAILED, "error", "inner of a stray"));
                    return;
                }
                nested.remove(message);
                End end = random.nextInt(6) == 0 ? End.FAILED : End.SUCCEEDED;
                tell(message, end, message.inner());
            }
        }

        private void tell(Message message, End end, @Nullable String inner) {
            boolean over = isOver();
            if (!over && (inner != null || nested.stream().noneMatch(each -> each.number() == message.number()))) {
                told.putIfAbsent(message.number(), end);
            }
            FanOutAnswer answer = ask(new FanOutRequest.Tell(ID, message.number(), end, "error", inner));
            if (answer.code() == Code.NESTED && answer.other().equals(message.inner())) {
                nested.remove(message);
                tell(message, End.FAILED, message.inner()); // It is given up.
            }
        }

        private boolean isOver() {
            FanOutRecord record = view();
            return record != null && record.phase() == FanOutRecord.Phase.COMPLETE;
        }

        private @Nullable FanOutRecord view() {
            return model.apply(new FanOutRequest.View(ID), now).record();
        }

        private void patrol() {
            for (String id : model.due(now)) {
                FanOutRecord record = view();
                if (record != null && record.phase() == FanOutRecord.Phase.COMPLETE) {
                    finish();
                } else if (masterDead) {
                    ask(new FanOutRequest.Abandon(id, record == null ? 0 : record.token(), End.FAILED, "dead"));
                } else {
                    ask(new FanOutRequest.Postpone(id, 10_000));
                }
            }
        }

        private void finish() {
            FanOutAnswer claimed = model.apply(new FanOutRequest.Claim(ID, "claim " + claims++, 30_000), now);
            FanOutRecord record = claimed.record();
            if (record == null || random.nextInt(4) == 0) {
                return; // Somebody else has it, or this program dies.
            }
            finals.add("final-" + record.tries());
            if (random.nextInt(4) > 0) {
                model.apply(new FanOutRequest.Finish(ID), now);
            }
        }

        /** Final tasks that were published run, in any order, and again after a crash. */
        private void runFinals() {
            for (int i = 0; i < 3; i++) {
                for (String each : finals) {
                    FanOutAnswer answer = model.apply(new FanOutRequest.Begin(ID, each, each), now);
                    if (answer.code() != Code.DUPLICATE) {
                        begunFinals.add(each);
                    }
                }
            }
        }

        /** Lets everything come to its end without further faults. */
        void settle() {
            for (int i = 0; i < 10_000 && !isSettled(); i++) {
                step();
                if (runs.isEmpty() || runs.stream().allMatch(each -> each.over)) {
                    beginMaster();
                }
            }
        }

        private boolean isSettled() {
            FanOutRecord record = view();
            return record != null && record.finished() && !finals.isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theFinalTaskComesOnceAndNoSubtaskCountsTwice(long seed) {
        History history = new History(seed);
        history.settle();
        history.runFinals();
        FanOutRecord record = history.view();

        assertThat(record).as("seed %s", seed).isNotNull();
        assertThat(record.finished()).as("seed %s: %s", seed, record).isTrue();
        assertThat(history.begunFinals).as("seed %s", seed).hasSize(1);
        assertThat(record.ended()).as("seed %s", seed).isEqualTo(record.total());
        assertThat(record.total()).as("seed %s", seed).isLessThanOrEqualTo(history.total);
        assertThat(record.failed()).as("seed %s", seed).isEqualTo(count(history, record, End.FAILED));
        assertThat(record.cancelled()).as("seed %s", seed).isEqualTo(count(history, record, End.CANCELLED));
        if (record.stop() == Stop.NO) {
            assertThat(record.total()).as("seed %s", seed).isEqualTo(history.total);
        }
    }

    private static long count(History history, FanOutRecord record, End end) {
        return history.told.entrySet().stream()
                .filter(each -> each.getKey() < record.total() && each.getValue() == end)
                .count();
    }

    @Test
    void aSubtaskThatDiedMayBeRetriedAndOneThatSucceededMayNot() {
        FanOutModel model = new FanOutModel();
        FanOutPlan plan = new FanOutPlan("q", "0/1", "m", "t", "", 1, Rule.COMPLETE, 0, "q", new byte[0], 1_000, 10);
        model.apply(new FanOutRequest.Open(ID, 1, plan), 0);
        for (End end : End.values()) {
            model.apply(new FanOutRequest.Tell(ID, end.ordinal(), end, null), 0);
        }

        assertThat(LongStream.range(0, 4)
                        .mapToObj(n ->
                                model.apply(new FanOutRequest.Ask(ID, n), 0).code()))
                .as("succeeded, failed, cancelled, not ended")
                .containsExactly(Code.DUPLICATE, Code.HAS_FAILED, Code.OK, Code.OK);
    }

    @Test
    void allRulesAndEndsAndCopiesAreSimulated() {
        Set<String> seen = new HashSet<>();
        AtomicInteger duplicates = new AtomicInteger();
        AtomicInteger failedCopies = new AtomicInteger();
        AtomicInteger fannedOutAgain = new AtomicInteger();
        seeds().forEach(seed -> {
            History history = new History(seed);
            history.settle();
            FanOutRecord record = history.view();
            duplicates.addAndGet(history.duplicates);
            failedCopies.addAndGet(history.failedCopies);
            fannedOutAgain.addAndGet(history.fannedOutAgain);
            if (record != null) {
                seen.add(history.rule + " " + record.stop());
            }
        });
        assertThat(duplicates).as("copies that end as such").hasValueGreaterThan(HISTORIES / 20);
        assertThat(failedCopies).as("copies of one that had failed").hasValueGreaterThan(HISTORIES / 20);
        assertThat(fannedOutAgain).as("fan-outs that an operator asked for").hasValueGreaterThan(HISTORIES / 20);
        assertThat(seen)
                .contains("COMPLETE NO", "FAIL_FAST FAILED", "PARTIAL FAILED", "PARTIAL NO", "COMPLETE ABANDONED");
    }
}
