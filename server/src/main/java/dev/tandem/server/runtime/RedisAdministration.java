package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.Admin.Result;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import java.util.ArrayList;
import java.util.List;

/** Changes tasks, keys and queues in Redis on behalf of the API. */
final class RedisAdministration implements Administration {

    private final Inspector inspector;
    private final Admin admin;

    RedisAdministration(RedisStore store) {
        this.inspector = store.inspector();
        this.admin = store.admin();
    }

    @Override
    public Change retry(String queue, TaskRef ref, boolean deadOnly) {
        Partition partition = new Partition(queue, ref.partition());
        TaskView seen =
                await(inspector.task(partition, new Position(ref.position()))).orElse(null);
        if (seen == null) {
            return Change.NOT_FOUND;
        }
        return deadOnly && seen.state() != TaskState.DEAD ? Change.OTHER_STATE : change(await(admin.retry(seen)));
    }

    @Override
    public Change delete(String queue, TaskRef ref, Deletion which) {
        Admin.Deletion tasks = switch (which) {
            case ANY -> Admin.Deletion.ANY;
            case DEAD -> Admin.Deletion.DEAD;
            case DEAD_NOT_HALTING -> Admin.Deletion.DEAD_NOT_HALTING;
            case WAITING -> Admin.Deletion.WAITING;
        };
        return change(await(admin.delete(new Partition(queue, ref.partition()), new Position(ref.position()), tasks)));
    }

    @Override
    public List<KeyChange> key(String queue, String key, KeyAction action, boolean force) {
        List<KeyChange> changes = new ArrayList<>();
        for (KeyView seen : await(inspector.key(queue, key))) {
            Change change = switch (action) {
                case RETRY -> retryHead(seen);
                case SKIP -> change(await(admin.skipKey(seen.partition(), key, force)));
                case DRAIN -> change(await(admin.drainKey(seen.partition(), key, force)));
            };
            changes.add(new KeyChange(change, RedisInspection.info(seen)));
        }
        return changes;
    }

    private Change retryHead(KeyView seen) {
        TaskView head = seen.headTask();
        return head == null ? Change.IN_BROKER : change(await(admin.retry(head)));
    }

    @Override
    public void pause(String queue, boolean paused) {
        await(paused ? admin.pause(queue) : admin.resume(queue));
    }

    private static Change change(Result result) {
        return switch (result) {
            case DONE -> Change.DONE;
            case NOT_FOUND -> Change.NOT_FOUND;
            case ACTIVE -> Change.RUNNING;
            case OTHER_STATE -> Change.OTHER_STATE;
            case HALTS_KEY -> Change.HALTS_KEY;
            case NOT_HALTED -> Change.NOT_HALTED;
        };
    }
}
