package dev.tandem.executor;

import dev.tandem.api.TaskRequest;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutModel;
import dev.tandem.task.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A history of some processes with fan-outs in a store that forgets up to its last second, loses requests and answers, and is away
 * for a time. No process dies. A broker knows at once of each end that was answered, so that no subtask runs twice.
 */
final class ForgetfulFanOuts {

    private static final int PROCESSES = 3;
    private static final int MAX_SUBTASKS = 25;
    private static final long FORGETS_MILLIS = 1_000;
    private static final long PATROL_MILLIS = 10_000;
    private static final int MAX_STANDSTILL = 8_000;

    private record Snapshot(long at, FanOutModel model) {}

    /** A master, and its subtasks that have ended. */
    final class FanOut {
        final String id;
        final int total;
        final Map<Integer, End> ends = new TreeMap<>();
        /** The copies of the final task that have begun. */
        final Set<Integer> begun = new HashSet<>();

        int finals;
        /** Which subtask its master is; null if it is none. */
        final @Nullable Subtask parent;

        /** The fan-outs of its subtasks. */
        private final Map<Integer, FanOut> inner = new HashMap<>();

        private long token;
        private int published;

        FanOut(String id, int total, @Nullable Subtask parent) {
            this.id = id;
            this.total = total;
            this.parent = parent;
        }

        /** A run of the master. It is repeated until it has sealed the fan-out. */
        private void run() {
            long its = ++token;
            FanOuts process = process();
            if (parent == null) {
                open(process, its);
                return;
            }
            process.ask(new FanOutRequest.Nest(parent.fanOut(), parent.number(), id), answer -> {
                if (answer == null) {
                    after(1_000, this::run);
                } else {
                    open(process, its);
                }
            });
        }

        private void open(FanOuts process, long its) {
            process.ask(new FanOutRequest.Open(id, its, plan()), begun -> {
                if (begun == null) {
                    after(1_000, this::run);
                } else if (begun.code() == Code.OK || begun.code() == Code.RESUMED) {
                    publish(process, its);
                } else if (FanOutWriter.isClosed(begun)) {
                    returned(process, its);
                }
            });
        }

        /** The handler of the master goes on for some time behind its fan-out. Nobody waits for that of one that is no subtask. */
        private void returned(FanOuts process, long its) {
            if (parent != null) {
                FanOutRequest ended = new FanOutRequest.Abandon(id, its, End.SUCCEEDED, "its master ended");
                after(random.nextInt(1_500), () -> process.tell(ended, answer -> {}));
            }
        }

        private void publish(FanOuts process, long its) {
            if (its != token) {
                return;
            } else if (published < total) {
                int number = published++;
                after(random.nextInt(1_500), () -> end(number));
                after(random.nextInt(100), () -> publish(process, its));
            } else {
                process.ask(new FanOutRequest.Seal(id, its, total), answer -> {
                    if (answer == null || FanOutWriter.problem(id, answer) != null) {
                        after(1_000, this::run);
                    } else {
                        returned(process, its);
                    }
                });
            }
        }

        private void end(int number) {
            FanOut its = inner.get(number);
            if (its != null) {
                ends.put(number, End.SUCCEEDED);
                its.run();
                return;
            }
            End end = random.nextInt(5) == 0 ? End.FAILED : End.SUCCEEDED;
            process().tell(new FanOutRequest.Tell(id, number, end, "error"), answer -> ends.put(number, end));
        }

        private void finalTask(int copy) {
            process().ask(new FanOutRequest.Begin(id, "place-" + copy, "final"), answer -> {
                if (answer == null) {
                    after(1_000, () -> finalTask(copy));
                } else if (answer.code() != Code.DUPLICATE) {
                    begun.add(copy);
                }
            });
        }

        private FanOutPlan plan() {
            Task last = new Task(id, "orders", "done", null, new byte[0], Map.of(), 0, 0, 0, 0, null);
            byte[] envelope = Envelope.of(last).encode();
            String around = parent == null ? "" : parent.text();
            String then = parent == null ? "orders" : "";
            return new FanOutPlan(
                    "orders", "0/1", "m", "t", around, 1, FanOutPlan.Rule.COMPLETE, 0, then, envelope, 600_000, 100);
        }

        FanOutRecord record() {
            return Objects.requireNonNull(
                    model.apply(new FanOutRequest.View(id), clock.wallMillis()).record());
        }

        boolean isOver() {
            FanOutAnswer answer = model.apply(new FanOutRequest.View(id), clock.wallMillis());
            return answer.record() != null && answer.record().finished();
        }
    }

    final ManualClock clock = new ManualClock();
    final Map<String, FanOut> fanOuts = new HashMap<>();

    private final Random random;
    private final ManualTimers timers = new ManualTimers(clock);
    private final List<FanOuts> processes = new ArrayList<>();
    private final Deque<Snapshot> snapshots = new ArrayDeque<>();
    private FanOutModel model = new FanOutModel();
    private boolean faulty = true;
    private boolean away;

    /** @param horizonMillis of the processes */
    ForgetfulFanOuts(long seed, long horizonMillis) {
        random = new Random(seed);
        FanOutPolicy policy = new FanOutPolicy(1_000, 3, 600_000, horizonMillis);
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(
                    new FanOuts(new Wire(), new Broker(), policy, FanOutMetrics.NONE, clock, Runnable::run, timers));
        }
        after(PATROL_MILLIS, this::patrol);
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            String id = String.format("%018d%02d", random.nextInt(1_000), i);
            FanOut its = new FanOut(id, random.nextInt(MAX_SUBTASKS), null);
            fanOuts.put(id, its);
            if (its.total > 0 && random.nextBoolean()) {
                nestOne(its, i);
            }
            after(random.nextInt(3_000), its::run);
        }
        int forgets = random.nextInt(4);
        for (int i = 0; i < forgets; i++) {
            after(500 + random.nextInt(6_000), this::forget);
        }
    }

    /** Lets one of the subtasks fan out itself. */
    private void nestOne(FanOut outer, int index) {
        int number = random.nextInt(outer.total);
        String id = String.format("%018d%02d", random.nextInt(1_000), 50 + index);
        FanOut its = new FanOut(id, random.nextInt(MAX_SUBTASKS), new Subtask(outer.id, number, 1, false));
        outer.inner.put(number, its);
        fanOuts.put(id, its);
    }

    private FanOuts process() {
        return processes.get(random.nextInt(PROCESSES));
    }

    private void after(long millis, Runnable action) {
        timers.after(millis, action);
    }

    /** Goes on until nothing is open any more and everything is durable, for ten minutes at most. */
    void run() {
        long faultyUntil = clock.millis() + 10_000;
        long end = clock.millis() + 600_000;
        while (clock.millis() < end && !(clock.millis() > faultyUntil && isOver())) {
            faulty = clock.millis() < faultyUntil;
            timers.runNext();
        }
    }

    private boolean isOver() {
        return fanOuts.values().stream()
                        .allMatch(each -> each.isOver() && (each.parent != null || !each.begun.isEmpty()))
                && processes.stream().allMatch(each -> each.mayBeForgotten() == 0);
    }

    /** Goes back to an earlier state, and does not answer for a time. */
    private void forget() {
        long until = clock.millis() - random.nextInt((int) FORGETS_MILLIS);
        while (!snapshots.isEmpty() && snapshots.getLast().at() > until) {
            snapshots.removeLast();
        }
        model = snapshots.isEmpty()
                ? new FanOutModel()
                : snapshots.getLast().model().copy();
        away = true;
        after(random.nextInt(2_000), () -> away = false);
    }

    private void patrol() {
        after(PATROL_MILLIS, this::patrol);
        for (String id : model.due(clock.wallMillis())) {
            process().finish(id);
        }
    }

    /** A connection to the store. */
    private final class Wire implements Store {

        private long slowUntil;

        @Override
        public CompletionStage<FanOutReply> fanOut(int bucket, FanOutCaller caller, List<FanOutRequest> requests) {
            CompletableFuture<FanOutReply> future = new CompletableFuture<>();
            if (faulty && random.nextInt(100) == 0) {
                slowUntil = clock.millis() + random.nextInt(MAX_STANDSTILL);
            }
            long stands = Math.max(0, slowUntil - clock.millis());
            after(stands + random.nextInt(20), () -> apply(bucket, caller, requests, future));
            return future;
        }

        /** Keeps the last one that is old enough, and those behind it. */
        private void forgetSnapshots() {
            Snapshot oldest = snapshots.removeFirst();
            while (!snapshots.isEmpty() && snapshots.getFirst().at() <= clock.millis() - FORGETS_MILLIS) {
                oldest = snapshots.removeFirst();
            }
            snapshots.addFirst(oldest);
        }

        private void apply(
                int bucket, FanOutCaller caller, List<FanOutRequest> requests, CompletableFuture<FanOutReply> future) {
            FanOutReply reply = null;
            if (!away && !(faulty && random.nextInt(20) == 0)) {
                reply = model.call(bucket, caller, requests, clock.wallMillis());
                snapshots.addLast(new Snapshot(clock.millis(), model.copy()));
                forgetSnapshots();
            }
            boolean arrives = reply != null && !(faulty && random.nextInt(20) == 0);
            FanOutReply answer = reply;
            after(random.nextInt(20), () -> {
                if (arrives) {
                    future.complete(answer);
                } else {
                    future.completeExceptionally(new IllegalStateException("the connection broke"));
                }
            });
        }

        @Override
        public Link link(Partition partition, Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    /** Takes final tasks, which begin soon. */
    private final class Broker implements FanOutPublisher {

        @Override
        public boolean reaches(String queue) {
            return true;
        }

        @Override
        public Task encode(TaskRequest<?> request, String id, Map<String, String> headers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Publication prepare(Task task) {
            return end -> {
                @Nullable FanOut its = fanOuts.get(task.id().substring(0, 20));
                if (its != null) {
                    int copy = its.finals++;
                    after(random.nextInt(500), () -> its.finalTask(copy));
                }
                end.accept(null);
            };
        }
    }
}
