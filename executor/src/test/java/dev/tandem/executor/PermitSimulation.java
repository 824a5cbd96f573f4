package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import dev.tandem.task.store.LimitStore;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitModel;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Executors that share one limit, in simulated time: requests and answers take their time, are lost, and come twice; executors
 * die, are cut off and stand still. Handlers end when they are interrupted.
 */
final class PermitSimulation {

    private static final long LEASE = 2_000;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    final class Member implements Store, LimitStore {
        private final String name;
        private final Permits permits;
        private final PermitGate gate;
        private final List<Run> running = new ArrayList<>();
        private final Map<Run, Long> ends = new HashMap<>();
        private Runnable listener = () -> {};
        private boolean dead;
        private long frozenUntil;
        private long cutOffUntil;

        private Member(String name) {
            this.name = name;
            permits = new Permits(name, this, LEASE, clock);
            QueueSpec spec = RunnerFixture.queue().store(this).build();
            TaskLimit limit = new TaskLimit("erp", max, List.of(), List.of());
            gate = new PermitGate(spec, permits, List.of(limit), clock, () -> {}, runs -> runs.forEach(this::end));
        }

        private boolean isAt() {
            return !dead && clock.millis() >= frozenUntil;
        }

        /** Starts a run when it may begin, and ends it after some time. */
        private void submit(Run run, long millis) {
            ends.put(run, millis);
            if (!gate.mustWait(run, () -> begin(run))) {
                begin(run);
            }
        }

        private void begin(Run run) {
            if (!gate.mayRun(run)) {
                gate.ended(run, Outcome.NotStarted.INSTANCE, () -> {});
                submit(TestRuns.of(run.task(), ++runs), ends.remove(run));
                return;
            }
            assertThat(isAt()).isTrue();
            running.add(run);
            later(ends.get(run), () -> end(run));
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
                gate.ended(run, Outcome.Succeeded.INSTANCE, () -> {});
                done++;
            }
        }

        @Override
        public LimitStore limits() {
            return this;
        }

        @Override
        public CompletionStage<List<RateAnswer>> tokens(String limit, List<RateRequest> requests) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<PermitAnswer> permits(PermitRequest request) {
            CompletableFuture<PermitAnswer> future = new CompletableFuture<>();
            boolean lost = random.nextInt(50) == 0 || clock.millis() < cutOffUntil;
            boolean noAnswer = random.nextInt(50) == 0;
            boolean twice = random.nextInt(50) == 0;
            if (!lost) {
                later(random.nextInt(4), () -> reach(request, noAnswer ? new CompletableFuture<>() : future));
            }
            if (twice) {
                later(random.nextInt(3_000), () -> reach(request, new CompletableFuture<>()));
            }
            later(500, () -> whenAt(() -> future.completeExceptionally(new IllegalStateException("late"))));
            return future;
        }

        private void reach(PermitRequest request, CompletableFuture<PermitAnswer> future) {
            PermitAnswer answer = model.apply(request, clock.millis());
            List<String> told = List.copyOf(model.told());
            later(random.nextInt(4), () -> whenAt(() -> future.complete(answer)));
            members.stream()
                    .filter(each -> told.contains(each.name) && random.nextInt(10) > 0)
                    .forEach(each -> later(random.nextInt(4), () -> each.whenAt(each.listener)));
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
            listener = told;
            return () -> {};
        }

        @Override
        public Link link(Partition partition, Listener links) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private final ManualClock clock = new ManualClock();
    private final long from = clock.millis();
    private final PermitModel model = new PermitModel();
    private final List<Member> members = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Random random;
    private final int max;
    private long order;
    private long runs;
    private long submitted;
    private long done;
    /** Permits in use, added up over all milliseconds. */
    private long usedMillis;

    PermitSimulation(long seed) {
        random = new Random(seed);
        max = 1 + random.nextInt(10);
    }

    private void later(long millis, Runnable action) {
        events.add(new Event(clock.millis() + millis, order++, action));
    }

    private void submit(Member member, long millis) {
        submitted++;
        Task task = RunnerFixture.task("ship", "");
        member.submit(TestRuns.of(task, ++runs), millis);
    }

    private int used() {
        return members.stream()
                .filter(Member::isAt)
                .mapToInt(each -> each.running.size())
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
        for (Event next = events.peek(); next != null && next.at() <= now; next = events.peek()) {
            events.remove().action().run();
        }
        usedMillis += used();
        assertThat(used())
                .as("permits in use after %s ms, of %s", now - from, max)
                .isLessThanOrEqualTo(max);
    }

    /** Runs with faults, then without, and returns when all is done. */
    void run() {
        for (int i = 0; i < 2 + random.nextInt(3); i++) {
            members.add(new Member("executor-" + i));
        }
        for (int i = 0; i < 6_000; i++) {
            step();
            Member member = members.get(random.nextInt(members.size()));
            if (member.isAt() && random.nextInt(8) == 0 && member.gate.waiting() < 20) {
                submit(member, random.nextInt(20) == 0 ? random.nextInt(1_500) : 1 + random.nextInt(30));
            }
            fault(member);
        }
        long lost = members.stream()
                .filter(each -> each.dead)
                .mapToLong(each -> each.running.size() + each.gate.waiting())
                .sum();
        for (int i = 0; i < 60_000 && done + lost < submitted; i++) {
            step();
        }
        assertThat(done + lost).as("all that living executors had").isEqualTo(submitted);
        // Nothing is left: all permits are given back, or have lapsed.
        for (int i = 0; i < 2 * LEASE + 3_000; i++) {
            step();
        }
        assertThat(model.held(clock.millis())).isZero();
    }

    private void fault(Member member) {
        long now = clock.millis();
        switch (random.nextInt(6_000)) {
            case 0 -> {
                member.dead |= members.stream().filter(each -> !each.dead).count() > 1;
            }
            case 1, 2 -> member.frozenUntil = now + random.nextInt(5_000);
            case 3, 4 -> member.cutOffUntil = now + random.nextInt(5_000);
            default -> {
                // Most of the time nothing happens.
            }
        }
    }

    /** Keeps executors busy without faults. @return the share of the permits in use, after the first two seconds */
    double utilisation(int executors, int millis) {
        for (int i = 0; i < executors; i++) {
            members.add(new Member("executor-" + i));
        }
        for (int i = 0; i < 12_000; i++) {
            if (i == 2_000) {
                usedMillis = 0;
            }
            step();
            for (Member member : members) {
                while (member.gate.waiting() < 2 + max && member.running.size() + member.gate.waiting() < 2 * max + 2) {
                    submit(member, millis);
                }
            }
        }
        return usedMillis / (10_000.0 * max);
    }

    int max() {
        return max;
    }
}
