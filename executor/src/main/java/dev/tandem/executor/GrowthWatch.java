package dev.tandem.executor;

import dev.tandem.executor.GrowthCore.Step;
import dev.tandem.task.Delivery;
import dev.tandem.task.LogEnds;
import dev.tandem.task.Partition;
import dev.tandem.task.Source.Growing;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.PartitionHistory.Growth;
import dev.tandem.task.store.Store;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when a queue's log gets more partitions, and tells {@link GrowthGate} what is known of it. Carries out what {@link
 * GrowthCore} decides. The owner of the first partition also looks whether earlier partitions are settled, and forgets the
 * growth then. Used by the loop's thread only.
 */
final class GrowthWatch {

    private static final Logger log = LoggerFactory.getLogger(GrowthWatch.class);

    /** A broker may learn of new partitions somewhat later than the one that told a publisher. */
    private static final long BROKERS_LAG_MILLIS = 1_000;

    private static final long SWEEP_MILLIS = 5_000;

    /** A false alarm is followed by a break, which gets longer from one to the next. */
    private static final long FIRST_BREAK_MILLIS = 10_000;

    private static final long LONGEST_BREAK_MILLIS = 600_000;

    private final QueueSpec spec;
    private final Store store;
    private final ExecutorClock clock;
    private final LoopSource source;
    private final HeldPartitions partitions;
    private final LoopInbox inbox;
    private final GrowthGate gate;
    private final @Nullable Growing growing;
    private final GrowthCore core;
    private final LogRateLimiter failures;
    /** The time from which a hint that may be a false alarm counts again. */
    private long heedAt;

    private long breakMillis = FIRST_BREAK_MILLIS;
    private long sweepAt;
    /** The growth that is looked at, and how many of its partitions are settled. */
    private @Nullable Growth swept;

    private int sweptUpTo;
    private boolean sweeping;

    GrowthWatch(
            QueueSpec spec,
            ExecutorClock clock,
            LoopSource source,
            HeldPartitions partitions,
            LoopInbox inbox,
            GrowthGate gate) {
        this.spec = spec;
        this.store = spec.store();
        this.clock = clock;
        this.source = source;
        this.partitions = partitions;
        this.inbox = inbox;
        this.gate = gate;
        this.growing = gate.log();
        this.core = new GrowthCore(growing == null ? 0 : growing.windowMillis());
        this.failures = new LogRateLimiter(clock, 1, 60_000);
        this.heedAt = clock.millis();
        this.sweepAt = clock.millis();
    }

    // ---- hints

    /**
     * Notes that the broker assigned a partition, before anything of it is delivered. Its former owner may have known more than
     * this process, and may have left tasks in the store that wait.
     */
    void assigned() {
        if (growing != null) {
            doubt(BROKERS_LAG_MILLIS);
        }
    }

    /** Notes that records are not where their keys belong, before they are delivered. */
    void mayHaveGrown() {
        if (growing == null) {
            return;
        }
        knows();
        GrowthView view = core.view();
        // While a growth is under way, records of before are elsewhere: delivered() knows better.
        if (view.isQuiet() || view.history() == null) {
            suspect();
        }
    }

    private void knows() {
        core.knows(source.partitions().size(), clock.millis());
        gate.know(core.view());
    }

    /**
     * Notes how many partitions the source knows of, before its records are handled. Looks, while a growth is under way, whether
     * records are where no known count of partitions puts them.
     */
    void delivered(Partition partition, Collection<Delivery> deliveries) {
        Growing of = growing;
        if (of == null) {
            return;
        }
        knows(); // A new partition's records may come with the metadata that tells of it.
        GrowthView view = core.view();
        PartitionHistory history = view.history();
        if (history == null || view.isQuiet() || clock.millis() < heedAt) {
            return;
        }
        int number = Integer.parseInt(partition.name());
        for (Delivery each : deliveries) {
            String key = each.task().key();
            if (key != null && !history.knowsPlace(count -> of.placement(key, count), number, each.sequence())) {
                suspect();
                return;
            }
        }
    }

    private void suspect() {
        long now = clock.millis();
        if (now >= heedAt) {
            heedAt = now + breakMillis;
            breakMillis = Math.min(LONGEST_BREAK_MILLIS, 2 * breakMillis);
            doubt(BROKERS_LAG_MILLIS);
        }
    }

    private void doubt(long delayMillis) {
        core.doubt(clock.millis(), delayMillis);
        gate.know(core.view());
    }

    // ---- steps

    /** Does what is due. Called at least every second. */
    void check() {
        Growing of = growing;
        if (of == null || source.isClosed()) {
            return;
        }
        long now = clock.millis();
        knows();
        Step step = core.next(now, clock.wallMillis(), gate.wantsEnds());
        if (step instanceof Step.Read) {
            on(store.partitionHistory(spec.name()), this::read);
        } else if (step instanceof Step.LookUp lookUp) {
            on(of.lookUp(lookUp.withEnds()), this::lookedUp);
        } else if (step instanceof Step.Change change) {
            on(
                    store.changePartitionHistory(spec.name(), change.expected(), change.next(), change.notBefore()),
                    won -> changed(change, won));
        }
        if (step == null && now >= sweepAt) {
            sweepAt = now + SWEEP_MILLIS;
            sweep();
        }
    }

    private <T> void on(CompletionStage<T> answer, Consumer<T> then) {
        answer.whenComplete((found, failure) -> inbox.post(() -> {
            if (failure == null) {
                then.accept(found);
            } else {
                failures.log(notLogged -> log.info(
                        "Queue {}: could not find out how many partitions its topic has and had. Trying again: {}",
                        spec.name(),
                        failure.toString()));
                core.failed(clock.millis());
            }
            gate.know(core.view());
        }));
    }

    private void read(Optional<PartitionHistory> found) {
        core.read(found, clock.millis());
    }

    private void lookedUp(LogEnds found) {
        gate.endsLookedUp();
        core.lookedUp(found, clock.millis());
    }

    private void changed(Step.Change change, boolean won) {
        core.changed(won, clock.millis());
        PartitionHistory before = change.expected();
        PartitionHistory now = change.next();
        if (!won || before == null) {
            return;
        }
        breakMillis = FIRST_BREAK_MILLIS;
        if (now.growths().size() > before.growths().size()) {
            log.info(
                    "Queue {}: its log has {} partitions, it had {}. Tasks of keys that moved wait until the earlier ones of"
                            + " their keys are settled. See ./tandem partitions {}",
                    spec.name(),
                    now.partitions(),
                    before.partitions(),
                    spec.name());
        } else if (now.growths().size() < before.growths().size()) {
            log.info("Queue {}: all tasks of keys that moved are settled in their former partitions", spec.name());
        }
    }

    // ---- the end of a growth

    private void sweep() {
        PartitionHistory history = core.view().history();
        if (sweeping || history == null || history.growths().isEmpty()) {
            return;
        }
        Growth oldest = history.growths().get(0);
        if (oldest.isOpen() || !partitions.owned().contains(Partition.of(spec.name(), 0))) {
            return;
        }
        if (!oldest.equals(swept)) {
            swept = oldest;
            sweptUpTo = 0;
        }
        sweeping = true;
        sweepOn(history, oldest);
    }

    /** Looks at the next partition; forgets the growth behind the last one. */
    private void sweepOn(PartitionHistory history, Growth growth) {
        if (sweptUpTo == growth.from()) {
            sweeping = false;
            Step.Change change = core.forget(history, growth, clock.millis(), clock.wallMillis());
            if (change != null) {
                on(store.changePartitionHistory(spec.name(), history, change.next(), 0), won -> changed(change, won));
            }
            return;
        }
        int partition = sweptUpTo;
        long end = growth.ends().get(partition);
        store.lookBack(
                        Partition.of(spec.name(), partition),
                        new LookBack(history.sourceId(), List.of(), Math.max(0, end)))
                .whenComplete((answer, failure) -> inbox.post(() -> {
                    if (failure == null && isSettled(history, answer, growth, partition)) {
                        sweptUpTo = partition + 1;
                        sweepOn(history, growth);
                    } else {
                        sweeping = false;
                    }
                }));
    }

    private boolean isSettled(PartitionHistory history, LookBack.Answer answer, Growth growth, int partition) {
        Growing of = growing;
        long end = growth.ends().get(partition);
        return of != null
                && (end == 0 || answer.storedCommit() >= end)
                && answer.all()
                && answer.listed().stream()
                        .noneMatch(key -> of.placement(key, growth.from()) == partition
                                && history.moves(count -> of.placement(key, count)));
    }
}
