package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel;
import dev.tandem.task.store.StoreModel.Flaw;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The store of a history: a model of it as it is, and another as it would be if all were forgotten that may be. A write
 * younger than the horizon may be forgotten, together with all later ones.
 */
final class SimStore {

    /** Epoch milliseconds at the beginning of the timeline. */
    static final long WALL = 1_790_000_000_000L;

    private record Write(long index, long at, long wall, String runId, boolean full, StoreRequest request) {}

    private final Timeline timeline;
    private final long horizonMillis;
    private final Oracle oracle;
    private final StoreModel model;
    private final StoreModel durable;
    private final ArrayDeque<Write> young = new ArrayDeque<>();
    private long writes;
    private int runs = 1;
    private long frozenUntil;
    private boolean full;

    SimStore(Timeline timeline, long horizonMillis, Oracle oracle, Set<Flaw> flaws) {
        this.timeline = timeline;
        this.horizonMillis = horizonMillis;
        this.oracle = oracle;
        this.model = new StoreModel("run-1", flaws.toArray(Flaw[]::new));
        this.durable = new StoreModel("run-1", flaws.toArray(Flaw[]::new));
    }

    /** Has the partition owned once, long ago. Without that a young store could forget that there was any owner. */
    void ownedBefore(Partition partition, long leaseMillis, Source.Facts facts) {
        for (StoreModel store : List.of(model, durable)) {
            RequestHeader header = new RequestHeader(partition, "before", 1, 0);
            StoreRequest acquire = new StoreRequest.Acquire(
                    header, "before", leaseMillis, facts.generation(), facts.sourceId(), facts.committed(), List.of());
            StoreAnswer.Acquired acquired = (StoreAnswer.Acquired) store.apply(acquire, WALL - leaseMillis);
            store.apply(
                    new StoreRequest.Release(new RequestHeader(partition, "before", 2, acquired.epoch())),
                    WALL - leaseMillis);
        }
    }

    StoreAnswer apply(StoreRequest request) {
        ModelPartition state = model.partition(request.partition());
        oracle.asked(request, state);
        model.full(full);
        StoreAnswer answer = model.apply(request, wall());
        boolean changed = !(answer instanceof StoreAnswer.Fenced
                || answer instanceof StoreAnswer.Gap
                || answer instanceof StoreAnswer.AlreadyApplied
                || answer instanceof StoreAnswer.Refused);
        if (changed) {
            young.add(new Write(++writes, timeline.now(), wall(), model.runId(), full, request));
            oracle.applied(writes, request, answer, state);
        }
        return answer;
    }

    private long wall() {
        return WALL + timeline.now();
    }

    ModelPartition state(Partition partition) {
        return model.partition(partition);
    }

    /** Returns the partition as it would be if all were forgotten that may be. */
    ModelPartition sure(Partition partition) {
        while (!young.isEmpty() && young.peek().at <= timeline.now() - horizonMillis) {
            redo(durable, young.poll());
        }
        return durable.partition(partition);
    }

    private static void redo(StoreModel store, Write write) {
        store.restarted(write.runId);
        store.full(write.full);
        store.apply(write.request, write.wall);
    }

    /** Forgets a random number of its last writes. @param silently the process of the store stays the same */
    void lose(SeededRandom random, boolean silently) {
        sure(Partition.of("q", 0));
        List<Write> all = List.copyOf(young);
        int keep = random.below(all.size() + 1);
        List<Write> kept = all.subList(0, keep);
        long firstLost = keep < all.size() ? all.get(keep).index : Long.MAX_VALUE;
        String runId = model.runId();
        model.restore(durable.snapshot());
        kept.forEach(write -> redo(model, write));
        young.clear();
        young.addAll(kept);
        model.restarted(runId);
        if (!silently) {
            restart();
        }
        oracle.forgot(firstLost, silently);
    }

    /** Another process of the store has its data. Its last writes may be forgotten for a whole horizon again. */
    void restart() {
        sure(Partition.of("q", 0));
        model.restarted("run-" + ++runs);
        List<Write> renewed = new ArrayList<>();
        young.forEach(write -> renewed.add(
                new Write(write.index, timeline.now(), write.wall, write.runId, write.full, write.request)));
        young.clear();
        young.addAll(renewed);
    }

    /** Says whether its memory is full from now on. */
    void full(boolean isFull) {
        full = isFull;
    }

    /** Applies and answers nothing for this time. */
    void freeze(long millis) {
        frozenUntil = timeline.now() + millis;
    }

    long frozenUntil() {
        return frozenUntil;
    }
}
