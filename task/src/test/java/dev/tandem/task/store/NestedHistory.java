package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.store.NestedRun.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A history of a fan-out whose subtasks fan out themselves. Runs of all masters are killed at any request, or seem to be dead and go
 * on later. Answers are lost, subtasks are published twice, and programs die while they see to what follows a fan-out. The store
 * forgets nothing.
 */
final class NestedHistory {

    /** Thrown where a run is killed. */
    private static final class KilledException extends RuntimeException {}

    final NestedTask root;
    final Set<String> begunFinals = new HashSet<>();
    final List<NestedTask> tasks = new ArrayList<>();
    /** Whether handlers fail. */
    final boolean fails;

    int copies;
    int repeated;
    int awaited;
    int late;

    private final Random random;
    private final FanOutModel model = new FanOutModel();
    private final int salt;
    /** Handlers go on behind their fan-outs for so many steps. */
    private final int slowness;

    private final Rule rule;
    private final Map<String, NestedTask> byOwn = new HashMap<>();
    private final List<NestedRun> runs = new ArrayList<>();
    private final NestedChecks checks = new NestedChecks();
    private final List<String> finals = new ArrayList<>();
    private int claims;
    private long now = 1_000_000;
    private boolean isFaulty = true;

    NestedHistory(long seed) {
        random = new Random(seed);
        salt = random.nextInt(NestedTask.MAX_SUBTASKS);
        slowness = 1 + random.nextInt(60);
        fails = random.nextBoolean();
        rule = fails ? Rule.values()[random.nextInt(3)] : Rule.COMPLETE;
        root = publish(null, 0, false);
    }

    private NestedTask publish(@Nullable NestedTask master, int number, boolean isAgain) {
        NestedTask task = new NestedTask(String.format("%020d", tasks.size()), master, number, isAgain, salt);
        tasks.add(task);
        byOwn.put(task.own, task);
        return task;
    }

    private boolean happens(int oneIn) {
        return isFaulty && random.nextInt(oneIn) == 0;
    }

    /** Goes on until all has ended; without faults after some time. */
    void run() {
        int faulty = 50 + random.nextInt(1_500);
        for (int i = 0; i < 60_000 && !(i > faulty && isOver()); i++) {
            isFaulty = i < faulty;
            now += random.nextInt(3_000);
            step();
        }
        finals.forEach(each -> {
            if (model.apply(new FanOutRequest.Begin(root.own, each, each), now).code() != Code.DUPLICATE) {
                begunFinals.add(each);
            }
        });
    }

    /** Returns whether all tasks have ended, and all fan-outs. */
    boolean isOver() {
        return tasks.stream().allMatch(each -> each.recorded != null && (!each.hasCome() || isFinished(each.own)));
    }

    private boolean isFinished(String id) {
        FanOutRecord record = view(id);
        return record != null && record.finished();
    }

    @Nullable
    FanOutRecord view(String id) {
        return model.apply(new FanOutRequest.View(id), now).record();
    }

    private void step() {
        switch (random.nextInt(8)) {
            case 0, 1 -> begin();
            case 2 -> {
                try {
                    patrol();
                } catch (KilledException e) {
                    // Another program looks later.
                }
            }
            default -> goOn();
        }
    }

    /** A task begins to run; again if its last run was killed, or seems to be dead. */
    private void begin() {
        List<NestedTask> waiting =
                tasks.stream().filter(each -> each.recorded == null).toList();
        if (!waiting.isEmpty()) {
            NestedTask task = waiting.get(random.nextInt(waiting.size()));
            boolean runs = this.runs.stream().anyMatch(each -> each.task == task && each.token == task.token);
            if (!runs || happens(6)) {
                this.runs.add(new NestedRun(task));
            }
        }
    }

    private void goOn() {
        if (runs.isEmpty()) {
            return;
        }
        NestedRun run = runs.get(random.nextInt(runs.size()));
        try {
            goOn(run);
        } catch (KilledException e) {
            runs.remove(run);
        }
    }

    private void goOn(NestedRun run) {
        NestedTask task = run.task;
        switch (run.stage) {
            case BEGUN -> {
                if (task.master != null && (task.isAgain || isStopped(task.master))) {
                    FanOutAnswer asked = ask(new FanOutRequest.Ask(task.master.own, task.number));
                    boolean hasDied = asked.code() == Code.HAS_FAILED && run.token > 1;
                    if (asked.code() == Code.DUPLICATE || asked.stop() != Stop.NO && !hasDied) {
                        end(run, asked.code() == Code.DUPLICATE ? End.SUCCEEDED : End.CANCELLED);
                        return;
                    }
                }
                if (task.total == 0 || fails && random.nextInt(12) == 0) {
                    end(run, handlerEnd(6));
                } else {
                    nest(run);
                }
            }
            case NESTED -> open(run);
            case PUBLISHES -> publish(run);
            case RETURNED -> {
                if (random.nextInt(slowness) == 0) {
                    end(run, handlerEnd(8));
                }
            }
        }
    }

    private End handlerEnd(int oneIn) {
        return fails && random.nextInt(oneIn) == 0 ? End.FAILED : End.SUCCEEDED;
    }

    private boolean isStopped(NestedTask master) {
        FanOutRecord record = view(master.own);
        return record != null && record.stop() != Stop.NO;
    }

    private void nest(NestedRun run) {
        run.stage = Stage.NESTED;
        NestedTask task = run.task;
        if (task.master == null) {
            return;
        }
        FanOutAnswer nested = ask(new FanOutRequest.Nest(task.master.own, task.number, task.own));
        boolean hasFailed = nested.code() == Code.HAS_FAILED;
        if (nested.code() != Code.DUPLICATE && !hasFailed) {
            return;
        } else if (nested.other().isEmpty() && view(task.own) != null) {
            return; // It has ended with this fan-out.
        } else if (hasFailed && run.token > 1) {
            end(run, End.FAILED);
            return;
        }
        endsAsCopy(run);
    }

    private void endsAsCopy(NestedRun run) {
        copies++;
        run.isOfCopy = true;
        run.stage = Stage.BEGUN;
        ask(new FanOutRequest.Abandon(run.task.own, run.token, End.SUCCEEDED, "a copy"));
        end(run, End.SUCCEEDED);
    }

    /** Another run may have ended, without coming to the fan-out, since this one said that it would. */
    private void requireNotEnded(NestedRun run, NestedTask outer) {
        FanOutAnswer nested = ask(new FanOutRequest.Nest(outer.own, run.task.number, run.task.own));
        if (nested.code() == Code.HAS_FAILED && run.token > 1) {
            end(run, End.FAILED);
        } else if (nested.code() == Code.DUPLICATE || nested.code() == Code.HAS_FAILED) {
            late++;
            endsAsCopy(run);
        }
    }

    private void open(NestedRun run) {
        NestedTask task = run.task;
        FanOutPlan plan = new FanOutPlan(
                "q",
                "0/" + task.own,
                "m",
                "t",
                task.parent(),
                task.depth,
                rule,
                0.3,
                task.master == null ? "q" : "",
                new byte[0],
                1_000,
                1_000);
        FanOutAnswer begun = ask(new FanOutRequest.Open(task.own, run.token, plan));
        switch (begun.code()) {
            case OK, RESUMED -> {
                repeated += run.token > 1 ? 1 : 0;
                run.stage = Stage.PUBLISHES;
                run.next = begun.cursor();
                run.isResumed = begun.code() == Code.RESUMED;
                stopWith(run, begun);
                if (task.master != null) {
                    requireNotEnded(run, task.master);
                }
            }
            case CLOSED, COMPLETE -> closed(run, begun);
            default -> runs.remove(run); // It fails, and its next attempt follows.
        }
    }

    private static void stopWith(NestedRun run, FanOutAnswer answer) {
        if (answer.stop() != Stop.NO) {
            run.stop();
        }
    }

    private void closed(NestedRun run, FanOutAnswer answer) {
        run.stage = Stage.RETURNED;
        if (answer.stop() == Stop.ABANDONED) {
            end(run, End.FAILED);
        }
    }

    private void publish(NestedRun run) {
        String own = run.task.own;
        if (fails && random.nextInt(40) == 0) {
            end(run, End.FAILED); // Its stream breaks off.
        } else if (random.nextInt(5) == 0) {
            went(run, ask(new FanOutRequest.Note(own, run.token, run.next)));
        } else if (run.next < run.bound) {
            publish(run.task, (int) run.next++, run.isResumed || run.token > 1);
        } else {
            FanOutAnswer sealed = ask(new FanOutRequest.Seal(own, run.token, run.next));
            assertThat(sealed.code()).isNotEqualTo(Code.NOT_REPEATABLE);
            if (went(run, sealed)) {
                run.stage = Stage.RETURNED;
            }
        }
    }

    /** Returns whether the run may go on with its stream. */
    private boolean went(NestedRun run, FanOutAnswer answer) {
        if (answer.code() == Code.FENCED) {
            runs.remove(run);
            return false;
        } else if (answer.code() == Code.CLOSED) {
            closed(run, answer);
            return false;
        }
        stopWith(run, answer);
        return true;
    }

    /** A run ends. That is told before it is recorded, and only the last run is recorded. */
    private void end(NestedRun run, End end) {
        NestedTask task = run.task;
        if (run.hasOpened() && (task.master != null || run.stage == Stage.PUBLISHES)) {
            abandon(task, run.token, end, true);
        } else if (task.master != null && !run.isOfCopy) {
            tellOuter(task, run.token, end);
        }
        kill(15);
        runs.remove(run);
        if (run.token == task.token) {
            task.recorded = end;
        }
    }

    private void tellOuter(NestedTask task, long token, End end) {
        NestedTask outer = Objects.requireNonNull(task.master);
        FanOutAnswer answer = tell(outer, task.number, end, null);
        if (answer.code() == Code.NESTED && answer.other().equals(task.own)) {
            abandon(task, token, end, true);
        }
    }

    private FanOutAnswer tell(NestedTask outer, int number, End end, @Nullable String inner) {
        return ask(new FanOutRequest.Tell(outer.own, number, end, "error", inner));
    }

    private void abandon(NestedTask task, long token, End end, boolean byRun) {
        FanOutAnswer answer = ask(new FanOutRequest.Abandon(task.own, token, end, "its master ended"));
        if (byRun && answer.code() == Code.UNKNOWN && task.master != null) {
            tell(task.master, task.number, end, task.own);
        }
    }

    private void patrol() {
        for (String id : model.due(now)) {
            FanOutRecord record = Objects.requireNonNull(view(id));
            NestedTask task = Objects.requireNonNull(byOwn.get(id));
            boolean looks = record.phase() == Phase.OPEN || record.awaitsOnlyMaster();
            if (record.phase() == Phase.COMPLETE) {
                finish(task);
            } else if (looks && task.recorded != null) {
                abandon(task, record.token(), task.recorded, false);
            } else {
                awaited += record.awaitsOnlyMaster() ? 1 : 0;
                ask(new FanOutRequest.Postpone(id, 60_000));
            }
        }
    }

    /** Submits the final task, or tells the fan-out around it, if nobody else does. */
    private void finish(NestedTask task) {
        FanOutRecord record = ask(new FanOutRequest.Claim(task.own, "claim " + claims++, 30_000))
                .record();
        if (record == null) {
            return;
        } else if (task.master == null) {
            finals.add("final-" + record.tries());
        } else {
            End master = record.master().end();
            End end = record.stop() == Stop.NO ? master : End.FAILED; // Nobody cancels one here.
            tell(task.master, task.number, end, task.own);
        }
        ask(new FanOutRequest.Finish(task.own));
    }

    private void kill(int oneIn) {
        if (happens(oneIn)) {
            throw new KilledException();
        }
    }

    private FanOutAnswer ask(FanOutRequest request) {
        kill(40);
        FanOutAnswer answer = model.apply(request, now);
        if (happens(8)) {
            answer = model.apply(request, now); // The answer was lost, so the request is repeated.
        }
        NestedTask its = Objects.requireNonNull(byOwn.get(request.id()));
        checks.applied(request, answer, its, view(its.own));
        tasks.forEach(each -> checks.check(each, tasks, view(each.own)));
        kill(40);
        if (answer.code() == Code.COMPLETE) {
            finish(its);
        }
        return answer;
    }
}
