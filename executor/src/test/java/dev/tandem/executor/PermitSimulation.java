package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitModel;
import dev.tandem.task.store.PermitRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Executors that share one limit, in simulated time: requests and answers take their time, are lost, and come twice; executors
 * die, are cut off and stand still; operators change the number. Handlers end when they are interrupted.
 */
final class PermitSimulation {

    private static final long LEASE = 2_000;

    final class Member extends LimitsOnlyStore {
        private final String name;
        private final Permits permits;
        private final PermitGate gate;
        private final int threads;
        private int busyThreads;
        private final Deque<Run> queued = new ArrayDeque<>();
        private final List<Run> running = new ArrayList<>();
        private final Map<Run, Long> ends = new HashMap<>();
        private final Map<String, Runnable> listeners = new HashMap<>();
        private boolean dead;
        private long frozenUntil;
        private long cutOffUntil;

        private Member(String name, int threads) {
            this.name = name;
            this.threads = threads;
            permits = new Permits(name, this, LEASE, clock);
            QueueSpec spec = RunnerFixture.queue()
                    .store(this)
                    .policy(QueuePolicy.ordered(threads))
                    .build();
            gate = new PermitGate(spec, permits, limits, clock, () -> {}, runs -> runs.forEach(this::end));
        }

        private boolean isAt() {
            return !dead && clock.millis() >= frozenUntil;
        }

        /** Gives a run to the threads, as the loop does. */
        private void start(Run run) {
            gate.threads().take(1);
            queued.add(run);
            work();
        }

        private void work() {
            while (busyThreads < threads && !queued.isEmpty()) {
                busyThreads++;
                work(queued.remove());
            }
        }

        private void work(Run run) {
            if (gate.mustWait(run, () -> start(run))) {
                threadIsFree();
            } else if (!gate.mayRun(run) || gate.hasLost(run)) {
                gate.ended(run, Outcome.NotStarted.INSTANCE, () -> {});
                long millis = ends.get(run);
                later(20, () -> whenAt(() -> again(run, millis)));
                threadIsFree();
            } else {
                assertThat(isAt()).isTrue();
                running.add(run);
                begun(run);
                later(ends.get(run), () -> end(run));
            }
        }

        private void again(Run run, long millis) {
            Run next = TestRuns.of(run.task(), ++runs);
            ends.remove(run);
            ends.put(next, millis);
            Long since = submittedAt.remove(run);
            if (since != null) {
                submittedAt.put(next, since);
            }
            start(next);
        }

        private void threadIsFree() {
            busyThreads--;
            gate.threads().giveBack();
        }

        private void end(Run run) {
            if (dead) {
                return;
            }
            if (!isAt()) {
                later(frozenUntil - clock.millis() + 1, () -> end(run));
                return;
            }
            if (running.remove(run)) {
                ends.remove(run);
                gate.ended(run, Outcome.Succeeded.INSTANCE, () -> {});
                done++;
                threadIsFree();
                work();
            }
        }

        @Override
        public CompletionStage<PermitAnswer> permits(PermitRequest request) {
            CompletableFuture<PermitAnswer> future = new CompletableFuture<>();
            boolean lost = isLost(50) || clock.millis() < cutOffUntil;
            boolean noAnswer = isLost(50);
            if (!lost) {
                later(random.nextInt(4), () -> reach(request, noAnswer ? new CompletableFuture<>() : future));
            }
            if (isLost(50)) {
                later(random.nextInt(3_000), () -> reach(request, new CompletableFuture<>()));
            }
            later(500, () -> whenAt(() -> future.completeExceptionally(new IllegalStateException("late"))));
            return future;
        }

        private void reach(PermitRequest request, CompletableFuture<PermitAnswer> future) {
            PermitModel model = model(request.limit());
            PermitAnswer answer = model.apply(request, clock.millis());
            List<String> told = List.copyOf(model.told());
            later(random.nextInt(4), () -> whenAt(() -> future.complete(answer)));
            members.stream()
                    .filter(each -> told.contains(each.name) && !isLost(10))
                    .forEach(each -> later(random.nextInt(4), () -> each.whenAt(each.listeners.get(request.limit()))));
        }

        private void whenAt(Runnable action) {
            if (dead) {
                return;
            }
            if (!isAt()) {
                later(frozenUntil - clock.millis() + 1, () -> whenAt(action));
            } else {
                action.run();
            }
        }

        @Override
        public AutoCloseable watch(String limit, String executor, Runnable told) {
            listeners.put(limit, told);
            return () -> {};
        }
    }

    private final ManualClock clock = new ManualClock();
    private final long from = clock.millis();
    private final Map<String, PermitModel> models = new HashMap<>();
    private final List<TaskLimit> limits;
    private final List<Member> members = new ArrayList<>();
    private final SimulatedEvents events = new SimulatedEvents();
    /** When the tasks that are measured were submitted, by the runs that have not begun. */
    private final Map<Run, Long> submittedAt = new HashMap<>();

    private final Random random;
    private final int max;
    private final boolean losses;
    private final NumbersInForce numbers;
    private long longestWait;
    private long runs;
    private long submitted;
    private long done;
    /** Permits in use, added up over all milliseconds. */
    private long usedMillis;

    PermitSimulation(Random random) {
        this(random, 1 + random.nextInt(10), true);
    }

    /** @param losses whether messages to and from Redis are lost, and executors do not hear what they are told */
    PermitSimulation(Random random, int max, boolean losses) {
        this.random = random;
        this.max = max;
        this.losses = losses;
        numbers = new NumbersInForce(max);
        limits = List.of(new TaskLimit("erp", max, TaskPattern.ALL));
    }

    /** Has two limits. Tasks of the types a and b need a permit of one of them, and those of the type both one of each. */
    PermitSimulation(long seed, int max) {
        random = new Random(seed);
        this.max = max;
        losses = true;
        numbers = new NumbersInForce(max);
        limits = List.of(
                new TaskLimit("b", max, new TaskPattern(List.of("b", "both"), List.of())),
                new TaskLimit("a", max, new TaskPattern(List.of("a", "both"), List.of())));
    }

    private boolean isLost(int oneIn) {
        return losses && random.nextInt(oneIn) == 0;
    }

    private PermitModel model(String limit) {
        return models.computeIfAbsent(limit, none -> new PermitModel());
    }

    private void later(long millis, Runnable action) {
        events.add(clock.millis() + millis, action);
    }

    private void submit(Member member, String type, long millis) {
        submitted++;
        Run run = TestRuns.of(RunnerFixture.task(type, ""), ++runs);
        if (type.equals("both")) {
            submittedAt.put(run, clock.millis());
        }
        member.ends.put(run, millis);
        member.start(run);
    }

    /** A run begins by the number that its executor knows: it has asked for permits within the lease. */
    private void begun(Run run) {
        int most = numbers.mostSince(clock.millis() - LEASE);
        limits.stream()
                .filter(each -> each.covers(run.task().type(), run.task().key()))
                .forEach(each -> assertThat(used(each))
                        .as("permits of %s at the begin of a run after %s ms", each.name(), clock.millis() - from)
                        .isLessThanOrEqualTo(most));
        Long since = submittedAt.remove(run);
        if (since != null) {
            longestWait = Math.max(longestWait, clock.millis() - since);
        }
    }

    private int used(TaskLimit limit) {
        return members.stream()
                .filter(Member::isAt)
                .mapToInt(each -> (int) each.running.stream()
                        .filter(run ->
                                limit.covers(run.task().type(), run.task().key()))
                        .count())
                .sum();
    }

    private void step() {
        clock.advance(1);
        long now = clock.millis();
        // Before anything else, as the thread that keeps the permits does when its process goes on.
        members.stream()
                .filter(Member::isAt)
                .filter(each -> now % 5 == 0 || each.frozenUntil == now)
                .forEach(each -> each.permits.tick());
        events.run(now);
        for (TaskLimit limit : limits) {
            int used = used(limit);
            usedMillis += used;
            assertThat(used)
                    .as("permits of %s in use after %s ms", limit.name(), now - from)
                    .isLessThanOrEqualTo(numbers.most());
        }
        for (Member each : members) {
            if (each.isAt() && limits.size() == 1) {
                assertThat(each.permits.status().get(0).used())
                        .as("permits of runs, which all have a thread")
                        .isEqualTo(each.running.size());
            }
        }
    }

    /** Runs with faults, then without, and returns when all is done. */
    void run() {
        for (int i = 0; i < 2 + random.nextInt(3); i++) {
            members.add(new Member("executor-" + i, 1 + random.nextInt(max + 3)));
        }
        for (int i = 0; i < 6_000; i++) {
            step();
            Member member = members.get(random.nextInt(members.size()));
            if (member.isAt() && random.nextInt(8) == 0 && member.gate.waiting() + member.queued.size() < 20) {
                submit(member, "ship", random.nextInt(20) == 0 ? random.nextInt(1_500) : 1 + random.nextInt(30));
            }
            fault(member);
            if (random.nextInt(600) == 0) {
                override();
            }
        }
        long lost = members.stream()
                .filter(each -> each.dead)
                .mapToLong(each -> each.running.size() + each.gate.waiting() + each.queued.size())
                .sum();
        for (int i = 0; i < 60_000 && done + lost < submitted; i++) {
            step();
        }
        assertThat(done + lost).as("all that living executors had").isEqualTo(submitted);
        // Nothing is left: all permits are given back, or have lapsed.
        for (int i = 0; i < 2 * LEASE + 3_000; i++) {
            step();
        }
        models.values().forEach(each -> assertThat(each.held(clock.millis())).isZero());
    }

    /** An operator sets another number, or resets it. Not all executors hear of it. */
    private void override() {
        Integer set = random.nextInt(3) == 0 ? null : 1 + random.nextInt(2 * max);
        String limit = limits.get(0).name();
        model(limit).override(set);
        numbers.change(set == null ? max : set, clock.millis());
        members.stream()
                .filter(each -> !isLost(5))
                .forEach(each -> later(random.nextInt(4), () -> each.whenAt(each.listeners.get(limit))));
    }

    private void fault(Member member) {
        long now = clock.millis();
        switch (random.nextInt(6_000)) {
            case 0 -> member.dead |= members.stream().filter(each -> !each.dead).count() > 1;
            case 1, 2 -> member.frozenUntil = now + random.nextInt(5_000);
            case 3, 4 -> member.cutOffUntil = now + random.nextInt(5_000);
            default -> {}
        }
    }

    /** Keeps executors busy without faults. @return the share of the permits in use, after the first two seconds */
    double utilisation(int executors, int millis) {
        for (int i = 0; i < executors; i++) {
            members.add(new Member("executor-" + i, 2 * max + 2));
        }
        for (int i = 0; i < 12_000; i++) {
            if (i == 2_000) {
                usedMillis = 0;
            }
            step();
            for (Member member : members) {
                while (member.gate.waiting() < 2 + max && member.running.size() + member.gate.waiting() < 2 * max + 2) {
                    submit(member, "ship", millis);
                }
            }
        }
        return usedMillis / (10_000.0 * max);
    }

    /**
     * Keeps executors busy with short and long tasks of each limit, of which some need both, and returns when a minute is over.
     *
     * @param longest the longest task, in milliseconds
     */
    void runTwoLimits(int executors, int longest) {
        for (int i = 0; i < executors; i++) {
            members.add(new Member("executor-" + i, 3 * max));
        }
        for (int i = 0; i < 60_000; i++) {
            step();
            for (Member member : members) {
                for (String type : List.of("a", "b")) {
                    while (count(member, type) < 2 + max) {
                        submit(member, type, 1 + random.nextInt(longest));
                    }
                }
                if (random.nextInt(500) == 0 && count(member, "both") == 0) {
                    submit(member, "both", 1 + random.nextInt(longest));
                }
            }
        }
        submittedAt.values().forEach(since -> longestWait = Math.max(longestWait, clock.millis() - since));
    }

    /** Returns the number of runs of a type that have not begun. */
    private static long count(Member member, String type) {
        return member.ends.keySet().stream()
                .filter(run -> type.equals(run.task().type()) && !member.running.contains(run))
                .count();
    }

    /** Returns the share of the permits that was in use, of all limits. */
    double used() {
        return usedMillis / (double) (clock.millis() - from) / max / limits.size();
    }

    /** Returns the longest time from when a task of both limits was submitted until it began. */
    long longestWait() {
        return longestWait;
    }
}
