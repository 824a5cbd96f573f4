package dev.tandem.scheduler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Notices that the process of another executor of this host is gone, and ends that executor's leases at once: nobody has to
 * wait until they run out. Where the kernel tells too little to be certain, nothing is ended. Thread-safe.
 */
public final class DeathWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DeathWatch.class);

    private static final long CHECK_MILLIS = 250;
    private static final long LIST_MILLIS = 2_500;
    private static final long REGISTER_MILLIS = 60_000;
    private static final long LEAVE_SECONDS = 2;

    private final ProcessRegistry registry;
    private final Presence presence;
    private final String executor;
    private final Set<String> queues;
    private final Consumer<String> died;
    private final Optional<HostProcess> self = HostProcess.current();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tandem-death-watch");
        thread.setDaemon(true);
        return thread;
    });

    /** The processes of this host, by their executors' ids. */
    private volatile Map<String, ProcessRegistry.Entry> known = Map.of();

    private @Nullable AutoCloseable watch;

    // Used by the timer's thread only.
    /** Executors whose process was gone at the last check. */
    private Set<String> gone = Set.of();

    /** Executors whose leases could not be ended. The first of them has a line in the log, the others follow from it. */
    private final FailureStreak failing = new FailureStreak();

    private final Map<String, CompletableFuture<Void>> declaring = new HashMap<>();
    private long listedAt = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(LIST_MILLIS);
    private long registeredAt;

    DeathWatch(
            ProcessRegistry registry, Presence presence, String executor, Set<String> queues, Consumer<String> died) {
        this.registry = registry;
        this.presence = presence;
        this.executor = executor;
        this.queues = Set.copyOf(queues);
        this.died = died;
    }

    /** Returns whether deaths can be proven on this host. */
    public static boolean isAvailable() {
        return HostProcess.current().isPresent();
    }

    /** Registers this process, and begins to watch the others. To be called once. */
    public void start() {
        if (self.isEmpty()) {
            log.info("Deaths of other executors cannot be proven here, since /proc tells too little about processes."
                    + " Their leases must run out");
            return;
        }
        register(self.get());
        watch = presence.watch(this::list);
        Future<?> unused = timer.scheduleWithFixedDelay(this::check, 0, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void register(HostProcess process) {
        registeredAt = System.nanoTime();
        var unused = registry.register(executor, process, queues);
    }

    private void list() {
        self.ifPresent(process -> {
            var unused = registry.processes(process.host()).thenAccept(found -> known = found);
        });
    }

    /** Returns whether the process of an executor is certainly gone. False if it is not known. */
    boolean isGone(String other) {
        ProcessRegistry.Entry entry = known.get(other);
        return entry != null && self.isPresent() && entry.process().isGone(self.get());
    }

    private void check() {
        try {
            if (isOver(listedAt, LIST_MILLIS)) {
                listedAt = System.nanoTime();
                list();
            }
            if (isOver(registeredAt, REGISTER_MILLIS) || !known.isEmpty() && !known.containsKey(executor)) {
                register(self.orElseThrow());
            }
            Set<String> goneNow = new HashSet<>();
            declaring.keySet().removeIf(this::isForgotten);
            known.forEach((id, entry) -> {
                if (!id.equals(executor) && isGone(id)) {
                    goneNow.add(id);
                    // At the second check, so that what it had sent before has arrived.
                    if (gone.contains(id)) {
                        declare(id, entry.queues());
                    }
                }
            });
            gone = goneNow;
        } catch (RuntimeException e) {
            log.warn("Could not check which executors of this host are gone: {}", e.toString());
        }
    }

    /** Returns whether nobody has to end the leases of this executor any more. */
    private boolean isForgotten(String id) {
        if (known.containsKey(id)) {
            return false;
        }
        failing.ended(id);
        return true;
    }

    private static boolean isOver(long since, long millis) {
        return System.nanoTime() - since >= TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void declare(String id, Set<String> itsQueues) {
        CompletableFuture<Void> before = declaring.get(id);
        if (before == null || before.isCompletedExceptionally()) {
            declaring.put(id, declareDead(id, itsQueues, "its process on this host is gone"));
        }
    }

    /**
     * Ends the leases of an executor that is certainly dead, in these queues. The future fails if Redis cannot be reached:
     * then some of the leases may have ended.
     *
     * @param proof why it is certain, for the log
     */
    CompletableFuture<Void> declareDead(String id, Set<String> itsQueues, String proof) {
        died.accept(id);
        List<CompletableFuture<Integer>> all =
                itsQueues.stream().map(queue -> registry.endLeases(id, queue)).toList();
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .thenCompose(done -> presence.leave(id))
                .thenCompose(done -> forget(id, itsQueues))
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        failing.ended(id);
                        int leases =
                                all.stream().mapToInt(CompletableFuture::join).sum();
                        log.atLevel(leases > 0 ? Level.INFO : Level.DEBUG)
                                .log(
                                        "Executor {} is dead: {}. Ended its {} leases of partitions and claims",
                                        id,
                                        proof,
                                        leases);
                    } else {
                        log.atLevel(failing.begins(id) ? Level.WARN : Level.DEBUG)
                                .log(
                                        "Could not end the leases of {}: {}. This is tried again until it succeeds",
                                        id,
                                        RedisFailures.describe(failure));
                    }
                });
    }

    /** Forgets a process, unless others still have to remove it from queues that this process does not run. */
    private CompletableFuture<Void> forget(String id, Set<String> itsQueues) {
        return self.isPresent() && queues.containsAll(itsQueues)
                ? registry.remove(id, self.get().host())
                : CompletableFuture.completedFuture(null);
    }

    /** Returns the queues whose leases are ended for an executor that is not of this host. */
    Set<String> queues() {
        return queues;
    }

    /** Ends the watch, and removes this process from the registry. To be called when nothing of it runs any more. */
    @Override
    public void close() throws Exception {
        timer.shutdownNow();
        if (watch != null) {
            watch.close();
        }
        if (self.isPresent()) {
            try {
                registry.remove(executor, self.get().host()).get(LEAVE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                // The next process of this host finds out that this one is gone.
            }
        }
    }
}
