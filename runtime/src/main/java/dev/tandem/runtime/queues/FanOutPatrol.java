package dev.tandem.runtime.queues;

import dev.tandem.executor.FanOuts;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at fan-outs that nobody sees to: those that have ended, and whose final task nobody has submitted in time; and those whose
 * master is silent, and may have ended without its stream.
 */
final class FanOutPatrol implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FanOutPatrol.class);

    private static final long EVERY_MILLIS = 10_000;

    /** When a silent master is looked at again that has not ended. */
    private static final long LOOK_AGAIN_MILLIS = 60_000;

    /** A master that nobody knows and that is silent for so long has ended. */
    private static final long LOST_MILLIS = TimeUnit.DAYS.toMillis(1);

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
            } else if (record.phase() == Phase.OPEN) {
                lookAtMaster(record);
            }
        });
    }

    private void lookAtMaster(FanOutRecord record) {
        store.inspector()
                .tasks(record.plan().queue(), record.plan().masterId(), MOST_TASKS)
                .whenComplete((tasks, failure) -> {
                    String why = failure == null ? ended(record, tasks) : null;
                    if (why == null) {
                        fanOuts.ask(new FanOutRequest.Postpone(record.id(), LOOK_AGAIN_MILLIS));
                    } else {
                        log.info("Fan-out {} is given up with {} subtasks: {}", record.id(), record.cursor(), why);
                        fanOuts.ask(new FanOutRequest.Abandon(record.id(), record.token(), why));
                    }
                });
    }

    /** Returns why the stream will not go on; null if the master may run, now or later. */
    private static @Nullable String ended(FanOutRecord record, List<TaskView> tasks) {
        for (TaskView task : tasks) {
            String place = task.partition().name() + "/" + task.position();
            if (place.equals(record.plan().master())) {
                return switch (task.state()) {
                    case DEAD, SUCCEEDED, EXPIRED, CANCELLED ->
                        "its master has ended as " + task.state().name().toLowerCase(Locale.ROOT);
                    default -> null;
                };
            }
        }
        boolean isLost = System.currentTimeMillis() - record.since() > LOST_MILLIS && tasks.isEmpty();
        return isLost ? "its master is not known any more" : null;
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
