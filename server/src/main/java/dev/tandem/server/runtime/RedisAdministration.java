package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.Admin.Result;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskView;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.PausedTasks;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes tasks, keys and queues in Redis on behalf of the API. */
final class RedisAdministration implements Administration {

    private final Inspector inspector;
    private final Admin admin;
    private final TaskCanceller canceller;

    RedisAdministration(RedisStore store) {
        this.inspector = store.inspector();
        this.admin = store.admin();
        this.canceller = new TaskCanceller(store);
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
    public Cancellation cancel(String queue, @Nullable TaskRef ref, String id) {
        return canceller.cancel(queue, ref, id);
    }

    @Override
    public Change reschedule(String queue, TaskRef ref, Instant at, @Nullable Integer starts) {
        TaskView seen = await(inspector.task(new Partition(queue, ref.partition()), new Position(ref.position())))
                .orElse(null);
        if (seen == null
                || starts != null && starts != RedisInspection.info(seen).attempts()) {
            return Change.NOT_FOUND;
        }
        long due = Math.max(at.toEpochMilli(), System.currentTimeMillis());
        long expires = seen.envelope() == null ? 0 : seen.envelope().task().expiresAt();
        return expires > 0 && expires <= due ? Change.WOULD_EXPIRE : change(await(admin.reschedule(seen, due)));
    }

    @Override
    public Change edit(String queue, TaskRef ref, byte[] seen, byte[] payload) {
        TaskView now = await(inspector.task(new Partition(queue, ref.partition()), new Position(ref.position())))
                .orElse(null);
        if (now == null) {
            return Change.NOT_FOUND;
        }
        boolean same =
                now.envelope() == null || Arrays.equals(now.envelope().task().payload(), seen);
        return same ? change(await(admin.edit(now, payload))) : Change.NOT_FOUND;
    }

    @Override
    public List<KeyChange> key(String queue, String key, KeyAction action, boolean force, @Nullable TaskRef head) {
        List<KeyView> blocked = await(inspector.keys().find(queue, key));
        List<KeyView> named = blocked.stream()
                .filter(seen -> head == null || head.equals(ref(seen)))
                .toList();
        if (named.isEmpty()) {
            return blocked.stream()
                    .map(seen -> new KeyChange(Change.OTHER_HEAD, RedisInspection.info(seen)))
                    .toList();
        }
        return named.stream().map(seen -> changed(seen, action, force)).toList();
    }

    private static TaskRef ref(KeyView seen) {
        return new TaskRef(seen.partition().name(), seen.head().text());
    }

    private KeyChange changed(KeyView seen, KeyAction action, boolean force) {
        KeyInfo before = RedisInspection.info(seen);
        try {
            return new KeyChange(
                    switch (action) {
                        case RETRY -> retryHead(seen);
                        case SKIP -> change(await(admin.skip(seen, force)));
                        case DRAIN -> change(await(admin.drain(seen, force)));
                    },
                    before);
        } catch (UnavailableException e) {
            return new KeyChange(Change.UNKNOWN, before, e.getMessage());
        }
    }

    private Change retryHead(KeyView seen) {
        TaskView head = seen.headTask();
        return head == null ? Change.IN_BROKER : change(await(admin.retry(head)));
    }

    @Override
    public boolean freeDedupKey(String queue, String key) {
        return await(admin.freeDedupKey(queue, key));
    }

    @Override
    public void pause(String queue, boolean paused) {
        await(paused ? admin.pause(queue) : admin.resume(queue));
    }

    @Override
    public boolean pauseTasks(String queue, PausedTasks which) {
        return await(admin.pause(queue, which));
    }

    @Override
    public void resumeTasks(String queue, PausedTasks which, @Nullable String defaultType) {
        await(admin.resume(queue, which, defaultType));
    }

    private static Change change(Result result) {
        return switch (result) {
            case DONE -> Change.DONE;
            case NOT_FOUND -> Change.NOT_FOUND;
            case ACTIVE -> Change.RUNNING;
            case OTHER_STATE -> Change.OTHER_STATE;
            case HALTS_KEY -> Change.HALTS_KEY;
            case NOT_HALTED -> Change.NOT_HALTED;
            case DONE_IN_PART -> Change.DONE_IN_PART;
        };
    }
}
