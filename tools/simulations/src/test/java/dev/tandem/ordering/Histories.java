package dev.tandem.ordering;

import dev.tandem.task.store.StoreModel.Flaw;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;

/**
 * Runs many histories of one kind, each from a seed of its own, and finds one that breaks a guarantee.
 *
 * <p>System properties choose which:
 *
 * <ul>
 *   <li>{@code simulation.histories}: how many of each kind; or {@code ordinary}, as in the run of all tests; or {@code full}
 *   <li>{@code simulation.from}: the first seed, or {@code random} for histories that no run has met
 *   <li>{@code simulation.seed}: only the history of this seed, with its trace
 *   <li>{@code simulation.digests=write}: writes the digests anew instead of checking them; implies full runs
 * </ul>
 */
final class Histories {

    private static final int DEFAULT_COUNT = 3_000;

    /** A history that broke a guarantee. */
    record Failure(long seed, Throwable cause) {}

    private final HistoryKind kind;
    private final Set<Flaw> flaws;

    private Histories(HistoryKind kind, Set<Flaw> flaws) {
        this.kind = kind;
        this.flaws = flaws;
    }

    static Histories of(HistoryKind kind) {
        return new Histories(kind, Set.of());
    }

    /** Returns the same histories with a store that breaks a rule. */
    Histories with(Flaw flaw) {
        return new Histories(kind, Set.of(flaw));
    }

    /** Runs the histories that the system properties ask for, and fails if one of them breaks a guarantee. */
    void check(BehaviourDigests digests) throws InterruptedException {
        Long seed = Long.getLong("simulation.seed");
        if (seed != null) {
            report(new Failure(seed, new AssertionError("Run for its trace")));
            return;
        }
        Failure failure = hunt(firstSeed(), count(), digests);
        if (failure != null) {
            report(failure);
        }
        digests.check();
    }

    /** Runs these histories until one fails. Returns that one, or null if all keep the guarantees. */
    @Nullable
    Failure hunt(long from, int count) throws InterruptedException {
        return hunt(from, count, BehaviourDigests.none());
    }

    /** The same for callers in another class loader. Returns what was broken, or null. */
    static @Nullable String hunt(String kind, long from, int count) throws InterruptedException {
        Failure failure = of(HistoryKind.valueOf(kind)).hunt(from, count);
        return failure == null ? null : "seed " + failure.seed() + ": " + failure.cause();
    }

    private @Nullable Failure hunt(long from, int count, BehaviourDigests digests) throws InterruptedException {
        AtomicLong next = new AtomicLong(from);
        AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread thread = new Thread(() -> {
                for (long seed = next.getAndIncrement();
                        seed < from + count && failure.get() == null;
                        seed = next.getAndIncrement()) {
                    Throwable cause = run(seed, null, digests);
                    if (cause != null) {
                        failure.compareAndSet(null, new Failure(seed, cause));
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return failure.get();
    }

    private @Nullable Throwable run(long seed, @Nullable List<String> trace, BehaviourDigests digests) {
        try {
            Simulation simulation = kind.simulation(seed, flaws, trace);
            simulation.run();
            digests.add(seed, simulation.digest.value());
            return null;
        } catch (AssertionError | RuntimeException e) {
            return e;
        }
    }

    private void report(Failure failure) {
        List<String> trace = new ArrayList<>();
        Throwable again = run(failure.seed(), trace, BehaviourDigests.none());
        trace.forEach(System.out::println);
        if (again == null) {
            Assertions.fail(
                    "The history of seed " + failure.seed() + " keeps the guarantees. Its trace is above.",
                    failure.cause());
        }
        Assertions.fail(
                "The history of seed " + failure.seed() + " breaks a guarantee (its trace is above): "
                        + again.getMessage()
                        + "\nRun it again: mvn -o -pl tools/simulations -am test -Dtest='" + kind.test() + "'"
                        + " -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dsimulation.seed=" + failure.seed(),
                again);
    }

    private static long firstSeed() {
        String setting = System.getProperty("simulation.from", "1");
        return setting.equals("random") ? System.nanoTime() & 0xffff_ffff_ffffL : Long.parseLong(setting);
    }

    private int count() {
        String byDefault = BehaviourDigests.areWritten() ? "full" : Integer.toString(DEFAULT_COUNT);
        String setting = System.getProperty("simulation.histories", byDefault);
        if (setting.equals("full")) {
            return kind.fullRun();
        }
        if (setting.equals("ordinary")) {
            return kind.ordinaryRun();
        }
        int count = Integer.parseInt(setting);
        return kind == HistoryKind.LOG_WITH_FULL_STORE ? Math.min(kind.fullRun(), count) : count;
    }
}
