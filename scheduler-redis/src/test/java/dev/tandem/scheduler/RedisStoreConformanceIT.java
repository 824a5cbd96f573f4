package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.QueueConformance;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Names;
import dev.tandem.testkit.SharedRedis;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The scripts keep every rule of the store protocol. */
@TestInstance(Lifecycle.PER_CLASS)
class RedisStoreConformanceIT extends QueueConformance {

    private SharedRedis redis;
    private RedisStore store;
    private StoreClient asked;

    SharedRedis redis() {
        return Brokers.redis();
    }

    @BeforeAll
    void start() {
        redis = redis();
        store = RedisStore.open(RedisSettings.of(redis.uri()));
        asked = new StoreClient(store);
    }

    @AfterAll
    void stop() {
        if (store != null) {
            asked.close();
            store.close();
        }
    }

    @Override
    protected Partition freshPartition() {
        return new Partition("q", Names.fresh("p"));
    }

    @Override
    protected StoreAnswer ask(StoreRequest request) {
        return asked.ask(request);
    }

    @Override
    protected long now() {
        List<String> time = redis.commands().time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    @Override
    protected void pass(long millis) {
        // The clock's last millisecond has begun already: without one more, a part of it would be missing.
        long until = now() + millis + 1;
        while (now() < until) {
            Thread.onSpinWait();
        }
    }

    @Override
    protected void restarted(Partition restarted) {
        redis.commands().hset("tandem:{" + restarted + "}:owner", "run", "another");
    }
}
