package dev.tandem.executor;

import dev.tandem.api.Handler;
import dev.tandem.ordering.Run;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The tasks that pull workers have, as the handlers of their queue. A worker hears of an interruption when it next says something
 * of its task; if it says nothing, the task ends with its lease. Thread-safe.
 */
final class PulledHandlers implements RunningHandlers {

    /** Stands for the handlers of the queue, and is never called. */
    static final Handler NONE = task -> {
        throw new IllegalStateException("The tasks of queue '" + task.queue() + "' are pulled");
    };

    private final PullDesk desk;

    PulledHandlers(PullDesk desk) {
        this.desk = desk;
    }

    @Override
    public Set<Run> running() {
        Set<Run> runs = new HashSet<>();
        desk.all(each -> true).forEach(lease -> runs.add(lease.run()));
        return runs;
    }

    @Override
    public List<Started> started() {
        return desk.all(each -> true).stream().map(PulledLease::started).toList();
    }

    @Override
    public void interrupt(Set<Run> runs) {
        desk.all(lease -> runs.contains(lease.run()))
                .forEach(lease -> lease.attempt().stop());
    }

    @Override
    public void interruptAll() {
        desk.endAll();
    }

    @Override
    public void cancel(Set<Run> runs) {
        desk.all(lease -> runs.contains(lease.run())).forEach(lease -> {
            boolean unused = lease.attempt().cancel();
        });
    }

    @Override
    public List<String> cancel(String id) {
        List<String> cancelled = new ArrayList<>();
        for (PulledLease lease : desk.all(each ->
                id.equals(each.attempt().position()) || id.equals(each.attempt().id()))) {
            if (lease.attempt().cancel()) {
                cancelled.add(lease.attempt().position());
            }
        }
        return cancelled;
    }
}
