package dev.tandem.ordering;

import dev.tandem.task.store.StoreModel.Flaw;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Runs histories, each from a seed of its own, and fails with the first that breaks a guarantee.
 *
 * <p>{@code -Dsimulation.seed=N} runs that one history again, with its trace; {@code -Dsimulation.histories=N} says how
 * many, {@code -Dsimulation.from=N} from which seed on. By default other ones in every run.
 */
class SimulationTest {

    private static final int HISTORIES = Integer.getInteger("simulation.histories", 100_000);

    /**
     * The same histories at every run, so that a failure is that of the change under test. {@code random} looks for what
     * no run has met.
     */
    static final long FROM = from(System.getProperty("simulation.from", "1"));

    /** A history that broke a guarantee. */
    record Failure(long seed, Throwable cause) {}

    /** What kind of world a seed makes. */
    interface Worlds {
        Simulation of(long seed, @Nullable List<String> trace);
    }

    private static Worlds logs(Set<Rule> broken, Set<Flaw> flaws, boolean fills) {
        return (seed, trace) -> {
            Simulation world = new Simulation(seed, broken, flaws, trace);
            return fills ? world.withStoreThatFills() : world;
        };
    }

    private static long from(String setting) {
        return setting.equals("random") ? System.nanoTime() & 0xffff_ffff_ffffL : Long.parseLong(setting);
    }

    @Test
    void everyHistoryKeepsTheGuarantees() throws InterruptedException {
        Long seed = Long.getLong("simulation.seed");
        if (seed != null) {
            report(
                    "SimulationTest#every*",
                    logs(Set.of(), Set.of(), false),
                    new Failure(seed, new AssertionError("asked for")));
            return;
        }
        BehaviourDigests digests = new BehaviourDigests("log");
        Failure failure = hunt(logs(Set.of(), Set.of(), false), FROM, HISTORIES, digests);
        if (failure != null) {
            report("SimulationTest#every*", logs(Set.of(), Set.of(), false), failure);
        }
        digests.check();
    }

    @Test
    void aStoreWhoseMemoryIsFullAtTimesKeepsThemToo() throws InterruptedException {
        Long seed = Long.getLong("simulation.seed");
        if (seed != null) {
            report(
                    "SimulationTest#aStore*",
                    logs(Set.of(), Set.of(), true),
                    new Failure(seed, new AssertionError("asked for")));
            return;
        }
        Failure failure = hunt(FROM, Math.min(500, HISTORIES), Set.of(), Set.of(), true);
        if (failure != null) {
            report("SimulationTest#aStore*", logs(Set.of(), Set.of(), true), failure);
        }
    }

    static @Nullable Failure hunt(long from, int histories, Set<Rule> broken, Set<Flaw> flaws, boolean fills)
            throws InterruptedException {
        return hunt(logs(broken, flaws, fills), from, histories);
    }

    /** Runs histories on all cores until one fails. Returns the failure with the lowest seed of those that were met. */
    static @Nullable Failure hunt(Worlds worlds, long from, int histories) throws InterruptedException {
        return hunt(worlds, from, histories, new BehaviourDigests("none"));
    }

    static @Nullable Failure hunt(Worlds worlds, long from, int histories, BehaviourDigests digests)
            throws InterruptedException {
        AtomicLong next = new AtomicLong(from);
        AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread thread = new Thread(() -> {
                for (long seed = next.getAndIncrement();
                        seed < from + histories && failure.get() == null;
                        seed = next.getAndIncrement()) {
                    Throwable cause = history(worlds, seed, null, digests);
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

    private static @Nullable Throwable history(
            Worlds worlds, long seed, @Nullable List<String> trace, BehaviourDigests digests) {
        try {
            Simulation world = worlds.of(seed, trace);
            world.run();
            digests.add(seed, world.digest.value());
            return null;
        } catch (AssertionError | RuntimeException e) {
            return e;
        }
    }

    static void report(String test, Worlds worlds, Failure failure) {
        List<String> trace = new ArrayList<>();
        Throwable again = history(worlds, failure.seed(), trace, new BehaviourDigests("none"));
        trace.forEach(System.out::println);
        if (again == null) {
            Assertions.fail(
                    "The history of seed " + failure.seed() + " kept the guarantees, with its trace above",
                    failure.cause());
        }
        Assertions.fail(
                "The history of seed " + failure.seed() + " breaks a guarantee (its trace is above): "
                        + again.getMessage()
                        + "\nAgain: mvn -o -pl ordering -am test -Dtest='" + test + "'"
                        + " -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dsimulation.seed=" + failure.seed(),
                again);
    }
}
