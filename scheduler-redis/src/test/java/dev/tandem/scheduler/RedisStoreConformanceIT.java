package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreConformance;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRedis;
import dev.tandem.testkit.UniqueNames;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Runs the conformance tests of the store protocol against the scripts. */
@TestInstance(Lifecycle.PER_CLASS)
class RedisStoreConformanceIT extends StoreConformance {

    private SharedRedis redis;
    private RedisStore store;
    private StoreClient client;

    SharedRedis redis() {
        return Brokers.redis();
    }

    @BeforeAll
    void start() {
        redis = redis();
        store = RedisStore.open(RedisSettings.of(redis.uri()));
        client = new StoreClient(store);
    }

    @AfterAll
    void stop() {
        if (store != null) {
            client.close();
            store.close();
        }
    }

    @Override
    protected Partition freshPartition() {
        return new Partition("q", UniqueNames.fresh("p"));
    }

    @Override
    protected StoreAnswer ask(StoreRequest request) {
        return client.ask(request);
    }

    @Override
    protected long now() {
        List<String> time = redis.commands().time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    @Override
    protected void pass(long millis) {
        // The current millisecond has begun already, so wait for one more.
        long until = now() + millis + 1;
        while (now() < until) {
            Thread.onSpinWait();
        }
    }

    @Override
    protected Collection<BlockedKey> blockedKeys(Partition of) {
        return store.inspector().keys().blocked(of, null, Inspector.MAX_PAGE).join().items().stream()
                .map(view -> new BlockedKey(view.key(), view.reason(), view.head()))
                .toList();
    }

    @Override
    protected void restarted(Partition restarted) {
        redis.commands().hset("tandem:{" + restarted + "}:owner", "run", "another");
    }
}
