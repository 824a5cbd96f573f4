package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds tasks of one queue for the calls of this server: at its own executor, and at others that have said that tasks wait there.
 * Used by the thread of leases only.
 *
 * <p>While both have some, every {@value #TURNS}th call goes to another executor, so that tasks are not left there whose executor
 * no worker asks.
 */
final class PullSearches {

    static final int TURNS = 4;

    /** How long it counts that an executor has said that tasks wait. */
    static final long COUNTS_MILLIS = 3 * TaskLeases.REMINDER_MILLIS;

    /** How long another executor has to hand tasks out. */
    static final long ANSWER_MILLIS = 1_500;

    /** Asks other executors, and gives tasks back that no worker gets. */
    interface Others {

        /** @param answered gets the tasks that the executor hands out; none if it does not answer in time */
        void take(String executor, LeaseCall call, Consumer<List<LeasedTask>> answered);

        void giveBack(List<LeasedTask> tasks);
    }

    /** @param count about how many tasks wait there */
    private record Waiting(int count, long at) {}

    /** A call that has no tasks yet. */
    private final class Search {
        private final LeaseCall call;
        private final CompletableFuture<List<LeasedTask>> result;
        private final long until;
        private final Set<String> asked = new LinkedHashSet<>();
        private @Nullable CompletableFuture<List<LeasedTask>> here;
        private @Nullable ScheduledFuture<?> end;
        private boolean askedHere;
        private boolean taking;

        Search(LeaseCall call, CompletableFuture<List<LeasedTask>> result) {
            this.call = call;
            this.result = result;
            this.until = millis.getAsLong() + call.waitMillis();
        }
    }

    private final Supplier<@Nullable TaskLeases> own;
    private final Others others;
    private final PullThread thread;
    private final LongSupplier millis;
    private final Map<String, Waiting> elsewhere = new LinkedHashMap<>();
    private final Set<Search> searches = new LinkedHashSet<>();
    private int turns;

    /**
     * @param own returns the leases of this process; null if it does not run the queue
     * @param millis a monotonic clock
     */
    PullSearches(Supplier<@Nullable TaskLeases> own, Others others, PullThread thread, LongSupplier millis) {
        this.own = own;
        this.others = others;
        this.thread = thread;
        this.millis = millis;
    }

    /** Returns how many calls have no tasks yet. */
    int size() {
        return searches.size();
    }

    void begin(LeaseCall call, CompletableFuture<List<LeasedTask>> result) {
        Search search = new Search(call, result);
        searches.add(search);
        result.whenComplete((tasks, failure) -> {
            if (result.isCancelled()) {
                thread.run(() -> over(search));
            }
        });
        TaskLeases mine = own.get();
        TaskLeases.Status status = mine == null ? null : mine.status();
        boolean any = status != null && status.startable() + status.ready() > 0;
        String other = next(search);
        if (other != null && (!any || ++turns % TURNS == 0)) {
            take(search, other);
        } else {
            lookHere(search);
        }
    }

    /** Hears that tasks wait at another executor. */
    void heard(String executor, int count) {
        elsewhere.put(executor, new Waiting(count, millis.getAsLong()));
        int left = count;
        for (Search search : List.copyOf(searches)) {
            if (left <= 0) {
                return;
            }
            if (!search.taking && (search.askedHere || own.get() == null)) {
                left -= search.call.max();
                take(search, executor);
            }
        }
    }

    /** Returns an executor that may have tasks and was not asked for this call; null if there is none. */
    private @Nullable String next(Search search) {
        long now = millis.getAsLong();
        elsewhere.values().removeIf(each -> now - each.at() > COUNTS_MILLIS);
        for (String executor : elsewhere.keySet()) {
            if (!search.asked.contains(executor)) {
                return executor;
            }
        }
        return null;
    }

    private void take(Search search, String executor) {
        search.taking = true;
        search.asked.add(executor);
        // The others first, next time.
        Waiting last = elsewhere.remove(executor);
        if (last != null) {
            elsewhere.put(executor, last);
        }
        LeaseCall call = search.call;
        others.take(
                executor,
                new LeaseCall(call.max(), call.maxBytes(), 0, call.leaseMillis(), call.worker()),
                tasks -> taken(search, executor, tasks));
    }

    private void taken(Search search, String executor, List<LeasedTask> tasks) {
        search.taking = false;
        if (!tasks.isEmpty()) {
            if (!finish(search, tasks)) {
                others.giveBack(tasks);
            }
            return;
        }
        elsewhere.remove(executor);
        if (!searches.contains(search)) {
            return;
        }
        String other = next(search);
        if (other != null) {
            take(search, other);
        } else if (!search.askedHere) {
            lookHere(search);
        } else if (search.here == null && millis.getAsLong() >= search.until) {
            finish(search, List.of());
        } else {
            search.asked.clear();
        }
    }

    /** Asks the executor of this process, for as long as the call may wait. */
    private void lookHere(Search search) {
        search.askedHere = true;
        long left = Math.max(0, search.until - millis.getAsLong());
        TaskLeases mine = own.get();
        if (mine == null) {
            if (left == 0) {
                finish(search, List.of());
            } else {
                search.end = thread.runAfter(left, () -> finish(search, List.of()));
            }
            return;
        }
        LeaseCall call = search.call;
        CompletableFuture<List<LeasedTask>> here =
                mine.lease(new LeaseCall(call.max(), call.maxBytes(), left, call.leaseMillis(), call.worker()));
        search.here = here;
        here.whenComplete((tasks, failure) -> {
            if (!here.isCancelled() && !thread.run(() -> foundHere(search, mine, tasks, failure)) && tasks != null) {
                mine.giveBack(tasks.stream().map(LeasedTask::lease).toList());
            }
        });
    }

    private void foundHere(
            Search search, TaskLeases mine, @Nullable List<LeasedTask> tasks, @Nullable Throwable failure) {
        search.here = null;
        if (tasks == null) {
            over(search);
            search.result.completeExceptionally(failure == null ? new IllegalStateException("no answer") : failure);
        } else if (!tasks.isEmpty()) {
            if (!finish(search, tasks)) {
                mine.giveBack(tasks.stream().map(LeasedTask::lease).toList());
            }
        } else if (!search.taking) {
            String other = next(search);
            if (other != null && searches.contains(search)) {
                take(search, other);
            } else {
                finish(search, List.of());
            }
        }
    }

    /** @return false if nobody wants them any more */
    private boolean finish(Search search, List<LeasedTask> tasks) {
        boolean wanted = searches.contains(search);
        over(search);
        return wanted && search.result.complete(tasks);
    }

    private void over(Search search) {
        searches.remove(search);
        if (search.here != null) {
            search.here.cancel(false);
            search.here = null;
        }
        if (search.end != null) {
            search.end.cancel(false);
        }
    }

    /** Ends all calls. */
    void close(RuntimeException reason) {
        for (Search search : new ArrayList<>(searches)) {
            over(search);
            search.result.completeExceptionally(reason);
        }
    }
}
