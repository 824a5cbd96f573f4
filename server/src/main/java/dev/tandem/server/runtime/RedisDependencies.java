package dev.tandem.server.runtime;

import dev.tandem.scheduler.AwaitedView;
import dev.tandem.scheduler.Waits;
import dev.tandem.server.inspect.AwaitedInfo;
import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.WaitingInfo;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** Reads which tasks wait for which others from Redis. */
final class RedisDependencies implements Dependencies {

    /** How many tasks are listed that wait for one. */
    private static final int MAX_WAITING = 100;

    private final Waits waits;

    RedisDependencies(Waits waits) {
        this.waits = waits;
    }

    @Override
    public List<AwaitedInfo> of(String queue, TaskRef ref, TaskDependencies its) {
        Waiter task = new Waiter(new Partition(queue, ref.partition()), new Position(ref.position()));
        return RedisCalls.await(waits.of(task, its)).stream()
                .map(RedisDependencies::info)
                .toList();
    }

    private static AwaitedInfo info(AwaitedView view) {
        Partition partition = view.partition();
        Position position = view.position();
        return new AwaitedInfo(
                view.on().queue(),
                view.on().key(),
                view.state() == null ? null : view.state().name().toLowerCase(Locale.ROOT),
                partition == null || position == null ? null : new TaskRef(partition.name(), position.text()),
                view.id().isEmpty() ? null : view.id(),
                view.since() == 0 ? null : Instant.ofEpochMilli(view.since()),
                view.over());
    }

    @Override
    public List<WaitingInfo> waitingFor(BusinessId id) {
        return RedisCalls.await(waits.waitingFor(id, MAX_WAITING)).stream()
                .map(each -> new WaitingInfo(
                        each.partition().queue(),
                        new TaskRef(each.partition().name(), each.position().text())))
                .toList();
    }
}
