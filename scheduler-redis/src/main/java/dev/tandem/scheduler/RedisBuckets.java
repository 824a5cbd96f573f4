package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.BusinessId;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutCancellation;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DependencyAnswer;
import dev.tandem.task.store.DependencyRequest;
import dev.tandem.task.store.WrongTypeException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests to buckets: records outside of all partitions that relate tasks of several partitions. Thread-safe. */
final class RedisBuckets {

    private static final Logger log = LoggerFactory.getLogger(RedisBuckets.class);

    private final AdminConnection connection;
    private final RedisKeys keys;
    private final DependentWakeups wakeups;
    private final ExpectedWaits expected;
    private final BooleanSupplier hasSpareRoom;

    /** Of a process that hears of few ends. */
    RedisBuckets(AdminConnection connection) {
        this(connection, () -> true);
    }

    /** @param hasSpareRoom whether Redis has room to remember ends because tasks that come later may wait for them */
    RedisBuckets(AdminConnection connection, BooleanSupplier hasSpareRoom) {
        this.connection = connection;
        this.hasSpareRoom = hasSpareRoom;
        this.expected = new ExpectedWaits(System::nanoTime);
        this.keys = connection.keys();
        this.wakeups = new DependentWakeups(connection);
    }

    /** Tells the buckets again for how long tasks wait, at the next request of each, because Redis may have forgotten it. */
    void expectAnew() {
        expected.forgetAll();
    }

    AdminConnection connection() {
        return connection;
    }

    /** Sends requests about deduplication keys, and wakes the tasks that wait for an end which was told. */
    CompletableFuture<List<DedupAnswer>> dedup(String queue, int bucket, List<DedupRequest> requests) {
        Stream<byte[]> entries = requests.stream().map(request -> keys.dedup(queue, bucket, request.key()));
        Stream<byte[]> longestWait =
                hasSpareRoom.getAsBoolean() ? Stream.of(keys.longestWait(queue, bucket)) : Stream.empty();
        byte[][] redisKeys = Stream.concat(entries, longestWait).toArray(byte[][]::new);
        return run(
                        Script.DEDUPLICATE,
                        redisKeys,
                        requests.stream().map(DedupCodec::encode).toArray(byte[][]::new))
                .thenApply(reply -> {
                    List<DedupAnswer> answers = DedupCodec.decode(reply);
                    for (int i = 0; i < answers.size(); i++) {
                        if (answers.get(i) instanceof DedupAnswer.Noted noted && noted.awaited()) {
                            wakeups.wake(new BusinessId(queue, requests.get(i).key()));
                        }
                    }
                    return answers;
                });
    }

    /** Sends requests about tasks that wait for those with deduplication keys. */
    CompletableFuture<List<DependencyAnswer>> dependencies(int bucket, List<DependencyRequest> requests) {
        for (DependencyRequest each : requests) {
            if (each instanceof DependencyRequest.Ask ask
                    && expected.isNews(ask.on().queue(), ask.limitMillis())) {
                expect(ask.on().queue(), ask.limitMillis());
            }
        }
        byte[][] redisKeys = new byte[2 * requests.size()][];
        for (int i = 0; i < requests.size(); i++) {
            BusinessId on = requests.get(i).on();
            redisKeys[2 * i] = keys.dedup(on.queue(), bucket, on.key());
            redisKeys[2 * i + 1] = keys.waiting(on.queue(), bucket, on.key());
        }
        return run(
                        Script.ASK_DEPENDENCIES,
                        redisKeys,
                        requests.stream().map(DependencyCodec::encode).toArray(byte[][]::new))
                .thenApply(DependencyCodec::decode);
    }

    /** Tells all buckets for how long tasks wait for those of a queue, so that the ends of these are remembered for as long. */
    private void expect(String queue, long millis) {
        for (int bucket = 0; bucket < DedupBuckets.COUNT; bucket++) {
            byte[][] redisKeys = {keys.longestWait(queue, bucket)};
            run(Script.EXPECT_WAITS, redisKeys, new byte[][] {bytes(Long.toString(millis))})
                    .whenComplete((reply, failure) -> {
                        if (failure != null) {
                            log.debug("Could not note for how long tasks wait for those of queue {}", queue, failure);
                            expected.forget(queue);
                        }
                    });
        }
    }

    /** Tells a bucket of the end of a task without a run. */
    CompletableFuture<List<DedupAnswer>> tell(String queue, DedupRequest.Tell end) {
        return dedup(queue, DedupBuckets.of(queue, end.key()), List.of(end));
    }

    /** Sends requests about fan-outs, without a number. */
    CompletableFuture<List<FanOutAnswer>> fanOut(int bucket, List<FanOutRequest> requests) {
        return fanOut(bucket, FanOutCaller.UNNUMBERED, requests)
                .thenApply(reply -> ((FanOutReply.Applied) reply).answers());
    }

    /** Returns what cancels fan-outs. */
    FanOutCancellation cancellation() {
        return new FanOutCancellation(request ->
                fanOut(FanOutBuckets.of(request.id()), List.of(request)).thenApply(answers -> answers.get(0)));
    }

    CompletableFuture<FanOutReply> fanOut(int bucket, FanOutCaller caller, List<FanOutRequest> requests) {
        FanOutCall call = new FanOutCall(caller, requests);
        return run(Script.FAN_OUT, call.keys(keys, bucket), call.arguments()).thenApply(call::reply);
    }

    /** Runs a script of a bucket. Fails with {@link WrongTypeException} if one of the keys has another type. */
    private CompletableFuture<List<Object>> run(Script script, byte[][] redisKeys, byte[][] arguments) {
        return connection.runScript(script, redisKeys, arguments).exceptionallyCompose(failure -> {
            if (!RedisFailures.isWrongType(failure)) {
                return CompletableFuture.failedFuture(failure);
            }
            String first = new String(redisKeys[0], StandardCharsets.UTF_8);
            String bucket = first.substring(0, first.indexOf('}') + 1);
            return CompletableFuture.failedFuture(new WrongTypeException(
                    "a key that begins with " + bucket + " has another type than Tandem gives it, so another program"
                            + " wrote it. Find it with SCAN and TYPE, and delete it",
                    failure));
        });
    }
}
