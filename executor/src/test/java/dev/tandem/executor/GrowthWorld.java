package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.GrowthCore.Step;
import dev.tandem.executor.GrowthView.Place;
import dev.tandem.executor.GrowthView.Verdict;
import dev.tandem.task.LogEnds;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.PartitionHistory.Growth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A log, publishers, a store and executors in discrete time, as far as growths need them. Each key has one publisher, which
 * learns of new partitions late. A run may fail, and its task is tried again after a long time. Executors die, and learn late,
 * new ones even of the first partitions; brokers may answer for a while as if the log had not grown; the clocks of executors
 * differ by more than the window. Asserts at each start that all earlier tasks of the key have ended.
 */
final class GrowthWorld {

    static final int WINDOW = 5_000;
    private static final int STEP_MILLIS = 100;

    /** The time for which a broker may answer as before, and after which executors that suspect a growth ask. */
    private static final int LAG_MILLIS = 1_000;

    /** The time of the store at the beginning. */
    private static final long STORE_AHEAD = 100_000;

    private static final int KEYS = 12;
    private static final int EXECUTORS = 3;

    private enum State {
        UNREAD,
        DELIVERED,
        /** Held by the store: it waits for its time, or is parked. */
        STORED,
        ENDED
    }

    private static final class Task {
        private final int key;
        private final int number;
        private final long offset;
        private State state = State.UNREAD;
        private boolean runs;
        private long dueAt;

        Task(int key, int number, long offset) {
            this.key = key;
            this.number = number;
            this.offset = offset;
        }
    }

    private static final class Log {
        private final List<Task> tasks = new ArrayList<>();
        private int owner;
        /** The settled prefix as the store knows it. */
        private long storedCommit;
    }

    private final class Member {
        private final GrowthCore core = new GrowthCore(WINDOW);
        /** The time by which its clock is ahead of the others'. */
        private final long clockAhead = random.nextInt(5) * 10_000L - 20_000;

        /** 0 at first: the metadata of a new consumer comes late. */
        private int knownPartitions;

        private boolean wantsEnds;
        private @Nullable Step step;
        private @Nullable Object answer;
        private long answerAt;
    }

    private final Random random;
    private final List<Log> logs = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private final int[] knownByPublisher = new int[KEYS];
    private final int[] published = new int[KEYS];
    private final Map<Integer, Integer> endedOf = new HashMap<>();
    private final int tasksPerKey;
    private @Nullable PartitionHistory history;
    private long now;
    private long grownAt;
    private int grownFrom;

    GrowthWorld(Random random, int partitions, int tasksPerKey) {
        this.random = random;
        this.tasksPerKey = tasksPerKey;
        addPartitions(partitions);
        Arrays.fill(knownByPublisher, partitions);
        for (int i = 0; i < EXECUTORS; i++) {
            members.add(new Member());
        }
    }

    private void addPartitions(int count) {
        while (logs.size() < count) {
            Log log = new Log();
            log.owner = random.nextInt(EXECUTORS);
            logs.add(log);
        }
    }

    /** Adds partitions. Publishers and executors learn of them later. */
    void grow(int partitions) {
        int before = logs.size();
        grownFrom = before;
        addPartitions(partitions);
        grownAt = now;
        for (int i = before; i < partitions; i++) {
            assigned(i);
        }
    }

    private void assigned(int partition) {
        members.get(logs.get(partition).owner).core.doubt(now, LAG_MILLIS);
    }

    boolean isSettledHistory() {
        return history != null
                && history.partitions() == logs.size()
                && history.growths().isEmpty();
    }

    /** Returns whether all executors know that no publisher uses an earlier count any more. */
    boolean isWindowClosed() {
        return history != null
                && history.partitions() == logs.size()
                && history.growths().stream().noneMatch(Growth::isOpen)
                && members.stream()
                        .map(member -> member.core.view().history())
                        .allMatch(known -> known == null
                                || known.partitions() == logs.size()
                                        && known.growths().stream().noneMatch(Growth::isOpen));
    }

    boolean allEnded() {
        return logs.stream().flatMap(log -> log.tasks.stream()).allMatch(task -> task.state == State.ENDED);
    }

    boolean allPublished() {
        for (int count : published) {
            if (count < tasksPerKey) {
                return false;
            }
        }
        return true;
    }

    /** Lets some time pass. */
    void step(boolean calm) {
        now += STEP_MILLIS;
        publish();
        if (!calm && random.nextInt(150) == 0) {
            kill(random.nextInt(EXECUTORS));
        }
        if (!calm && random.nextInt(60) == 0) {
            moveOwner(random.nextInt(logs.size()));
        }
        members.forEach(this::work);
        for (int i = 0; i < logs.size(); i++) {
            work(i);
        }
        sweep();
    }

    private void publish() {
        for (int key = 0; key < KEYS; key++) {
            boolean late = now - grownAt >= WINDOW - STEP_MILLIS;
            if (knownByPublisher[key] < logs.size() && (late || random.nextInt(40) == 0)) {
                knownByPublisher[key] = logs.size();
            }
            if (published[key] < tasksPerKey && random.nextInt(12) == 0) {
                Log log = logs.get(key % knownByPublisher[key]);
                log.tasks.add(new Task(key, published[key]++, log.tasks.size()));
            }
        }
    }

    // ---- executors

    private void kill(int member) {
        members.set(member, new Member());
        for (int i = 0; i < logs.size(); i++) {
            if (logs.get(i).owner == member) {
                moveOwner(i);
            }
        }
    }

    private void moveOwner(int partition) {
        Log log = logs.get(partition);
        for (Task task : log.tasks) {
            task.runs = false;
            if (task.state == State.DELIVERED) {
                task.state = State.UNREAD;
            }
        }
        log.owner = random.nextInt(EXECUTORS);
        assigned(partition);
    }

    private void work(Member member) {
        if (member.knownPartitions < logs.size() && random.nextInt(30) == 0) {
            member.knownPartitions = logs.size();
        }
        member.core.knows(member.knownPartitions, now);
        Step under = member.step;
        if (under == null) {
            Step next = member.core.next(now, now + STORE_AHEAD + member.clockAhead, member.wantsEnds);
            member.step = next;
            if (next != null) {
                member.answer = answer(next);
                member.answerAt = now + random.nextInt(4) * STEP_MILLIS;
            }
        } else if (now >= member.answerAt) {
            member.step = null;
            if (random.nextInt(20) == 0) {
                member.core.failed(now);
            } else {
                answered(member, under);
            }
        }
    }

    private Object answer(Step step) {
        if (step instanceof Step.Read) {
            return Optional.ofNullable(history);
        } else if (step instanceof Step.LookUp lookUp) {
            List<Long> ends = logs.stream().map(log -> (long) log.tasks.size()).toList();
            boolean isBehind = grownFrom > 0 && now - grownAt < LAG_MILLIS && random.nextBoolean();
            int count = isBehind ? grownFrom : logs.size();
            return new LogEnds("topic", count, lookUp.withEnds() ? ends.subList(0, count) : List.of());
        }
        Step.Change change = (Step.Change) step;
        boolean wins = Optional.ofNullable(change.expected()).equals(Optional.ofNullable(history))
                && now + STORE_AHEAD >= change.notBefore();
        history = wins ? change.next().begun(now + STORE_AHEAD) : history;
        return wins;
    }

    @SuppressWarnings("unchecked")
    private void answered(Member member, Step step) {
        if (step instanceof Step.Read) {
            member.core.read((Optional<PartitionHistory>) member.answer, now);
        } else if (step instanceof Step.LookUp) {
            member.wantsEnds = false;
            member.core.lookedUp((LogEnds) member.answer, now);
        } else {
            member.core.changed((Boolean) member.answer, now);
        }
    }

    /** Forgets the oldest growth if it is settled, as the owner of the first partition does. */
    private void sweep() {
        if (history == null || history.growths().isEmpty() || random.nextInt(10) > 0) {
            return;
        }
        Growth oldest = history.growths().get(0);
        if (oldest.isOpen()) {
            return;
        }
        for (int i = 0; i < oldest.from(); i++) {
            long end = oldest.ends().get(i);
            Log log = logs.get(i);
            if (log.storedCommit < end || log.tasks.stream().anyMatch(task -> isUnsettled(task, end))) {
                return;
            }
        }
        history = history.without(oldest);
    }

    private static boolean isUnsettled(Task task, long end) {
        return task.offset < end && (task.runs || task.state == State.STORED);
    }

    // ---- partitions

    private void work(int partition) {
        Log log = logs.get(partition);
        Member owner = members.get(log.owner);
        for (Task task : log.tasks) {
            if (task.state == State.UNREAD) {
                boolean misplaced = partition < owner.knownPartitions && task.key % owner.knownPartitions != partition;
                GrowthView view = owner.core.view();
                PartitionHistory known = view.history();
                if (view.isQuiet() || known == null
                        ? misplaced
                        : !known.knowsPlace(n -> task.key % n, partition, task.offset)) {
                    owner.core.doubt(now, LAG_MILLIS);
                }
                task.state = State.DELIVERED;
                break;
            }
        }
        Map<Integer, Task> before = new HashMap<>();
        for (Task task : log.tasks) {
            if (task.state == State.ENDED || task.state == State.UNREAD) {
                continue;
            }
            Task last = before.put(task.key, task);
            if (last == null) {
                work(partition, owner, task);
            } else if (last.state == State.STORED && random.nextBoolean()) {
                task.state = State.STORED;
            }
        }
        if (random.nextInt(5) == 0) {
            while (log.storedCommit < log.tasks.size() && isSettled(log.tasks.get((int) log.storedCommit))) {
                log.storedCommit++;
            }
        }
    }

    private static boolean isSettled(Task task) {
        return task.state == State.ENDED || task.state == State.STORED;
    }

    private void work(int partition, Member owner, Task head) {
        if (head.runs) {
            if (random.nextInt(6) == 0) {
                end(head);
            }
        } else if (head.dueAt <= now) {
            if (mayRun(partition, owner, head)) {
                begin(head);
            } else {
                head.state = State.STORED;
                head.dueAt = now + 500;
            }
        }
    }

    private void begin(Task task) {
        assertThat(endedOf.getOrDefault(task.key, 0))
                .as("ended tasks of key %d when number %d begins, after %d ms", task.key, task.number, now)
                .isGreaterThanOrEqualTo(task.number);
        assertThat(logs.stream()
                        .flatMap(log -> log.tasks.stream())
                        .filter(other -> other.runs && other.key == task.key))
                .as("runs of key %d when number %d begins", task.key, task.number)
                .isEmpty();
        task.runs = true;
    }

    private void end(Task task) {
        task.runs = false;
        if (random.nextInt(5) == 0) {
            task.state = State.STORED;
            task.dueAt = now + random.nextInt(8_000);
        } else {
            task.state = State.ENDED;
            endedOf.merge(task.key, task.number + 1, Math::max);
        }
    }

    private boolean mayRun(int partition, Member owner, Task task) {
        GrowthView view = owner.core.view();
        IntUnaryOperator placement = count -> task.key % count;
        if (view.isQuiet() || !view.concerns(placement)) {
            return true;
        }
        Verdict verdict = view.decide(placement, partition, task.offset);
        if (verdict instanceof Verdict.Ask ask) {
            return ask.places().stream().allMatch(place -> isClear(place, task.key));
        }
        owner.wantsEnds |= verdict instanceof Verdict.NoEnds;
        return verdict instanceof Verdict.Go;
    }

    private boolean isClear(Place place, int key) {
        Log log = logs.get(place.partition());
        return log.storedCommit >= place.end()
                && log.tasks.stream().noneMatch(task -> task.key == key && isUnsettled(task, place.end()));
    }

    @Override
    public String toString() {
        return "at " + now + " ms: " + history;
    }
}
