package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.FanOutAdmin;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.inspect.Page;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.List;
import java.util.Optional;

/** Shows, cancels and ends fan-outs in Redis on behalf of the API. */
final class RedisFanOuts implements FanOutAdministration {

    private final RedisStore store;

    RedisFanOuts(RedisStore store) {
        this.store = store;
    }

    @Override
    public Page<FanOutRecord> list(boolean ended, int limit, String after) {
        FanOutAdmin.Found found = await(store.fanOuts().list(ended, limit, after));
        return new Page<>(found.records(), found.next());
    }

    @Override
    public Optional<FanOutRecord> find(String id) {
        return Optional.ofNullable(ask(new FanOutRequest.View(id)).record());
    }

    @Override
    public boolean hasFanOutOf(String masterHash) {
        return await(store.fanOuts().anyOf(masterHash));
    }

    @Override
    public FanOutAnswer.Code cancel(String id, String why) {
        return await(store.fanOuts().cancel(id, why));
    }

    @Override
    public FanOutAnswer.Code end(String id, String why) {
        FanOutAnswer.Code code = ask(new FanOutRequest.GiveUp(id, why)).code();
        // The patrol of a program with the queue of the final task sees to what follows.
        ask(new FanOutRequest.Postpone(id, 0));
        return code;
    }

    @Override
    public List<Long> missing(String id, int limit) {
        return await(store.fanOuts().missing(id, limit));
    }

    private FanOutAnswer ask(FanOutRequest request) {
        return await(store.fanOut(FanOutBuckets.of(request.id()), List.of(request)))
                .get(0);
    }
}
