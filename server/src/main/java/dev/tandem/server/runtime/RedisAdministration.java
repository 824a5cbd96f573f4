package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.Admin.Result;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.KeyView;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;

/** Changes tasks, keys and queues in Redis on behalf of the API. */
final class RedisAdministration implements Administration {

    private final Inspector inspector;
    private final Admin admin;

    RedisAdministration(RedisStore store) {
        this.inspector = store.inspector();
        this.admin = store.admin();
    }

    @Override
    public Change retry(String queue, TaskRef ref) {
        return change(await(admin.retry(new Partition(queue, ref.partition()), new Position(ref.position()))));
    }

    @Override
    public Change delete(String queue, TaskRef ref) {
        return change(await(admin.delete(new Partition(queue, ref.partition()), new Position(ref.position()))));
    }

    /** Changes the key in every partition where it is blocked: one, or several if their number was changed. */
    @Override
    public Change key(String queue, String key, KeyAction action) {
        Change worst = Change.NOT_FOUND;
        for (KeyView view : await(inspector.key(queue, key))) {
            Result result = await(
                    switch (action) {
                        case RETRY -> admin.retryKey(view.partition(), key);
                        case SKIP -> admin.skipKey(view.partition(), key);
                        case DRAIN -> admin.drainKey(view.partition(), key);
                    });
            Change change = change(result);
            worst = change == Change.NOT_FOUND ? worst : change;
        }
        return worst;
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
        };
    }
}
