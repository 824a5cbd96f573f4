package dev.tandem.scheduler;

import dev.tandem.scheduler.ProcessRegistry.Hold;
import dev.tandem.scheduler.ProcessRegistry.Holder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The fixed name of an executor, of which the operator promises that only one process with it lives. A new process takes
 * the name over, with the leases of its predecessor, once that one is silent; two that live at a time are told apart, and
 * only one of them holds the name. Thread-safe.
 */
public final class FixedName implements AutoCloseable {

    private static final long TAKE_MILLIS = 250;
    private static final long KEEP_MILLIS = 500;

    /** A holder says that it lives twice a second. */
    static final long SILENT_MILLIS = 1_500;

    private static final long LEAVE_SECONDS = 2;

    /** Hears what becomes of the name. Called on a thread of the name, one call after another. */
    public interface Listener {

        /** This process holds the name. What its predecessor had is free. */
        void held();

        /** Another executor holds the name and lives. May be called again and again. */
        void waiting(String holder);

        /** Another executor took the name, since this process was silent. Nothing may be done under it any more. */
        void lost(String holder);
    }

    private final ProcessRegistry registry;
    private final DeathWatch deaths;
    private final String name;
    private final String executor;
    private final long leaseMillis;
    private final Listener listener;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tandem-name");
        thread.setDaemon(true);
        return thread;
    });

    // Used by the timer's thread only.
    private String lastRecord = "";
    /** Whether the holder was seen to live while this process lives: then silence proves nothing before a lease. */
    private boolean holderLived;

    FixedName(
            ProcessRegistry registry,
            DeathWatch deaths,
            String name,
            String executor,
            long leaseMillis,
            Listener listener) {
        this.registry = registry;
        this.deaths = deaths;
        this.name = name;
        this.executor = executor;
        this.leaseMillis = leaseMillis;
        this.listener = listener;
    }

    /** Begins to take the name. To be called once. */
    public void start() {
        timer.execute(this::take);
    }

    private void take() {
        try {
            Holder holder = ask(Hold.TAKE, "");
            if (!holder.held()) {
                holder = replace(holder);
            }
            if (holder.held()) {
                listener.held();
                again(this::keep, KEEP_MILLIS);
                return;
            }
            listener.waiting(holder.executor());
        } catch (ExecutionException | TimeoutException e) {
            // The store reports that Redis cannot be reached.
        } catch (InterruptedException e) {
            return;
        }
        again(this::take, TAKE_MILLIS);
    }

    /** Takes the name from its holder if that one must be dead. Ends its leases if that is proven. */
    private Holder replace(Holder holder) throws ExecutionException, TimeoutException, InterruptedException {
        String other = holder.executor();
        holderLived |= !lastRecord.isEmpty() && !lastRecord.equals(holder.record());
        lastRecord = holder.record();
        boolean gone = deaths.isGone(other);
        boolean silent = !holderLived && holder.silentMillis() >= SILENT_MILLIS;
        if (!gone && !silent && holder.silentMillis() < leaseMillis) {
            return holder;
        }
        Holder replaced = ask(Hold.TAKE, holder.record());
        if (replaced.held() && (gone || silent)) {
            String proof = gone ? "its process on this host is gone" : "this process has its id '" + name + "'";
            declare(other, proof);
        }
        return replaced;
    }

    private void declare(String other, String proof) throws InterruptedException {
        CompletableFuture<Void> done = deaths.declareDead(other, deaths.queues(), proof);
        try {
            done.get(LEAVE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // Its leases run out by themselves.
        }
    }

    private void keep() {
        try {
            Holder holder = ask(Hold.KEEP, "");
            if (!holder.held()) {
                listener.lost(holder.executor());
                return;
            }
        } catch (ExecutionException | TimeoutException e) {
            // As long as Redis cannot be reached, nothing can be done under the name either.
        } catch (InterruptedException e) {
            return;
        }
        again(this::keep, KEEP_MILLIS);
    }

    private Holder ask(Hold what, String replaced) throws ExecutionException, TimeoutException, InterruptedException {
        return registry.hold(name, executor, what, replaced).get(LEAVE_SECONDS, TimeUnit.SECONDS);
    }

    private void again(Runnable step, long millis) {
        if (!timer.isShutdown()) {
            Future<?> unused = timer.schedule(step, millis, TimeUnit.MILLISECONDS);
        }
    }

    /** Gives the name up. To be called when nothing of this process runs any more, so that the next one need not wait. */
    @Override
    public void close() throws Exception {
        timer.shutdownNow();
        timer.awaitTermination(LEAVE_SECONDS, TimeUnit.SECONDS);
        try {
            ask(Hold.LEAVE, "");
        } catch (ExecutionException | TimeoutException e) {
            // The next process waits until this one is silent.
        }
    }
}
