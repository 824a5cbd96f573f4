package dev.tandem.runtime.queues;

import dev.tandem.executor.FanOuts;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at fan-outs that nobody sees to: those that have ended, and whose final task nobody has submitted in time; those whose
 * master is silent, and may have ended; and those whose master was cancelled, and of which nobody is known to
 * have cancelled what is within.
 */
final class FanOutPatrol implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FanOutPatrol.class);

    private static final long EVERY_MILLIS = 10_000;

    /** When a silent master is looked at again that has not ended. */
    private static final long LOOK_AGAIN_MILLIS = 60_000;

    /** A master that nobody knows has ended if its fan-out began so long ago. */
    private static final long LOST_MILLIS = TimeUnit.DAYS.toMillis(1);

    /** When one is looked at again within which all has been cancelled. */
    private static final long CANCELLED_MILLIS = TimeUnit.DAYS.toMillis(1);

    private static final int MOST_TASKS = 10;

    /** How many fan-outs are known here whose final tasks only other programs can submit. */
    private static final int MAX_OTHERS = 1_000;

    private final RedisStore store;
    private final FanOuts fanOuts;
    private final ScheduledExecutorService thread;
    /** The fan-outs whose final tasks only other programs can submit. Guarded by itself. */
    private final Set<String> others = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > MAX_OTHERS;
        }
    });

    FanOutPatrol(RedisStore store, FanOuts fanOuts) {
        this.store = store;
        this.fanOuts = fanOuts;
        this.thread = Executors.newSingleThreadScheduledExecutor(action -> {
            Thread made = new Thread(action, "tandem-fan-out-patrol");
            made.setDaemon(true);
            return made;
        });
    }

    void start() {
        // Processes that start together do not look together.
        long first = EVERY_MILLIS / 2 + ThreadLocalRandom.current().nextLong(EVERY_MILLIS / 2);
        var unused = thread.scheduleWithFixedDelay(this::look, first, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        // Those that are left to others stay due, and must not hide the rest.
        store.fanOuts().due(leftToOthers()).whenComplete((due, failure) -> {
            if (failure == null) {
                due.stream().filter(this::isOurs).forEach(this::look);
            } else {
                log.debug("Cannot look at fan-outs", failure);
            }
        });
    }

    private int leftToOthers() {
        synchronized (others) {
            return others.size();
        }
    }

    private boolean isOurs(String id) {
        synchronized (others) {
            return !others.contains(id);
        }
    }

    private void look(String id) {
        fanOuts.ask(new FanOutRequest.View(id)).thenAccept(answer -> {
            FanOutRecord record = answer == null ? null : answer.record();
            if (record == null) {
                return;
            }
            if (record.phase() == Phase.COMPLETE && !fanOuts.reaches(record)) {
                synchronized (others) {
                    others.add(id);
                }
            } else if (record.phase() == Phase.COMPLETE) {
                fanOuts.finish(id);
            } else if (record.phase() == Phase.OPEN || record.awaitsOnlyMaster()) {
                lookAtMaster(record);
            } else if (answer.cancelled()) {
                cancelWithin(record);
            } else {
                // It is due without a reason that is known here. It must not hide the others.
                fanOuts.ask(new FanOutRequest.Postpone(record.id(), LOOK_AGAIN_MILLIS));
            }
        });
    }

    private void lookAtMaster(FanOutRecord record) {
        found(record).whenComplete((tasks, failure) -> {
            MasterEnd master = failure == null ? ended(record, tasks) : null;
            if (master == null) {
                fanOuts.ask(new FanOutRequest.Postpone(record.id(), LOOK_AGAIN_MILLIS));
            } else {
                masterEnded(record, master);
            }
        });
    }

    /** Looks for a master in its place, and if it is not there, for tasks that have its id. */
    private CompletableFuture<List<TaskView>> found(FanOutRecord record) {
        String queue = record.plan().queue();
        String place = record.plan().master();
        int slash = place.indexOf('/');
        Partition partition = new Partition(queue, place.substring(0, slash));
        return store.inspector()
                .task(partition, new Position(place.substring(slash + 1)))
                .thenCompose(there -> there.isPresent()
                        ? CompletableFuture.completedFuture(List.of(there.get()))
                        : store.inspector().tasks(queue, record.plan().masterId(), MOST_TASKS));
    }

    /**
     * Cancels what is within a fan-out that was given up: whoever gave it up may have died before he did. One that cannot be
     * cancelled is looked at again soon.
     */
    private void cancelWithin(FanOutRecord record) {
        fanOuts.ask(new FanOutRequest.Postpone(record.id(), LOOK_AGAIN_MILLIS));
        fanOuts.cancel(record.id(), record.why(), isCancelled -> {
            if (isCancelled) {
                fanOuts.ask(new FanOutRequest.Postpone(record.id(), CANCELLED_MILLIS));
            }
        });
    }

    /** Tells a fan-out how its master ended. If that was cancelled, what it has begun is, too. */
    private void masterEnded(FanOutRecord record, MasterEnd master) {
        String how =
                record.phase() == Phase.OPEN ? "is given up with" : "does not wait for its master any more, and has";
        log.info("Fan-out {} {} {} subtasks: {}", record.id(), how, record.cursor(), master.why());
        boolean cancels = master.end() == End.CANCELLED;
        FanOutRequest request =
                new FanOutRequest.Abandon(record.id(), record.token(), master.end(), master.why(), cancels);
        fanOuts.ask(request).thenAccept(answer -> {
            if (answer != null && answer.isGivenUp() && cancels) {
                fanOuts.cancel(record.id(), master.why(), isCancelled -> {});
            }
        });
    }

    private record MasterEnd(End end, String why) {}

    /** Returns how a master ended; null if it may run, now or later. */
    private static @Nullable MasterEnd ended(FanOutRecord record, List<TaskView> tasks) {
        for (TaskView task : tasks) {
            String place = task.partition().name() + "/" + task.position();
            if (place.equals(record.plan().master())) {
                String state = task.state().name().toLowerCase(Locale.ROOT);
                return switch (task.state()) {
                    case CANCELLED -> new MasterEnd(End.CANCELLED, "its master was cancelled");
                    case SUCCEEDED -> new MasterEnd(End.SUCCEEDED, "its master has ended as " + state);
                    case DEAD, EXPIRED -> new MasterEnd(End.FAILED, "its master has ended as " + state);
                    default -> null;
                };
            }
        }
        // A copy of the master that has ended says nothing of it. One that may run could be the master in another
        // place.
        boolean isLost = System.currentTimeMillis() - record.since() > LOST_MILLIS
                && tasks.stream().allMatch(task -> task.state().isFinal());
        return isLost ? new MasterEnd(End.SUCCEEDED, "its master is not known any more") : null;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
