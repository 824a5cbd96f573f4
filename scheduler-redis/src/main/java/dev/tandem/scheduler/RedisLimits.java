package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.LimitStore;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.RateView;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The limits in Redis: what executors hold of each, in one place for each limit. Different limits may be on different nodes.
 * Thread-safe.
 */
public final class RedisLimits implements LimitStore {

    private static final long ANNOUNCE_MILLIS = 60_000;

    /** A limit that nobody has used for so long is not listed any more. */
    private static final long FORGOTTEN_MILLIS = 24 * 3_600_000L;

    private static final int MOST_LISTED = 1_000;
    private static final int MAX_RUN_TEXT = 200;
    private static final int MAX_BUCKET = 200;

    private final AdminConnection connection;
    private final RedisKeys keys;
    private final WakeupSubscriber wakeups;
    private final RateRecords rates;
    /** The time at which the name of each limit was last written, by the monotonic clock in milliseconds. */
    private final Map<String, Long> announced = new ConcurrentHashMap<>();

    RedisLimits(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.keys = connection.keys();
        this.wakeups = wakeups;
        this.rates = new RateRecords(connection);
    }

    @Override
    public CompletableFuture<PermitAnswer> permits(PermitRequest request) {
        announce(request.limit());
        return connection
                .runScript(Script.SHARE_PERMITS, keys.limit(request.limit()), arguments(request))
                .thenApply(RedisLimits::answer);
    }

    @Override
    public CompletableFuture<List<RateAnswer>> tokens(String limit, List<RateRequest> requests) {
        byte[][] buckets = Stream.concat(
                        Arrays.stream(keys.usedRates(limit)),
                        requests.stream().map(request -> keys.rate(limit, bucket(request.bucket()))))
                .toArray(byte[][]::new);
        return connection
                .runScript(
                        Script.RESERVE_TOKENS,
                        buckets,
                        requests.stream().map(RedisLimits::encode).toArray(byte[][]::new))
                .thenApply(RedisLimits::rateAnswers);
    }

    @Override
    public void describe(RateInfo rate) {
        rates.describe(rate);
    }

    static byte[] encode(RateRequest request) {
        return new MessagePackWriter()
                .list(6)
                .number(request.tokens())
                .number(request.intervalMicros())
                .number(request.burst())
                .number(request.aheadMillis() * 1_000)
                .number(request.pauseMillis() * 1_000)
                .text(bucket(request.bucket()))
                .toByteArray();
    }

    static List<RateAnswer> rateAnswers(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        in.number();
        long at = in.number();
        return in.all(each -> new RateAnswer(at, each.count(), each.number(), each.number()));
    }

    /** Returns the name of a bucket: what tasks are told apart by, or its hash if that is long. */
    private static String bucket(String value) {
        if (value.length() <= MAX_BUCKET) {
            return value;
        }
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(value)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static PermitAnswer answer(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        in.number();
        return new PermitAnswer(in.count(), in.count(), in.flag());
    }

    byte[][] arguments(PermitRequest request) {
        return new byte[][] {
            bytes(request.executor()),
            bytes(Long.toString(request.number())),
            bytes(Integer.toString(request.max())),
            bytes(Integer.toString(request.used())),
            bytes(Integer.toString(request.kept())),
            bytes(Integer.toString(request.wanted())),
            bytes(Integer.toString(request.waiting())),
            bytes(Long.toString(request.leaseMillis())),
            bytes(keys.limitChannel(request.limit())),
            runs(request)
        };
    }

    private static byte[] runs(PermitRequest request) {
        List<PermitRun> runs = request.runs();
        if (runs == null) {
            return new byte[0];
        }
        MessagePackWriter out = new MessagePackWriter().list(runs.size() * 4);
        runs.forEach(run -> out.text(run.queue())
                .text(run.place())
                .text(run.id().substring(0, Math.min(MAX_RUN_TEXT, run.id().length())))
                .number(run.since()));
        return out.toByteArray();
    }

    /** Writes now and then that the limit exists, so that people find it. */
    private void announce(String limit) {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        Long last = announced.get(limit);
        if (last != null && now - last < ANNOUNCE_MILLIS) {
            return;
        }
        announced.put(limit, now);
        var unused = connection
                .now()
                .thenCompose(at -> connection.run(commands -> commands.zadd(keys.limits(), (double) at, bytes(limit))))
                .exceptionally(failure -> {
                    announced.remove(limit);
                    return 0L;
                });
    }

    @Override
    public AutoCloseable watch(String limit, String executor, Runnable listener) {
        announce(limit);
        String channel = keys.limitChannel(limit);
        WakeupSubscriber.MessageListener heard = message -> {
            if (message == null || Arrays.asList(message.split("\n")).contains(executor)) {
                listener.run();
            }
        };
        wakeups.add(channel, heard);
        return () -> wakeups.remove(channel, heard);
    }

    // ---- what people see ----

    /** Returns the names of the limits that were used within the last day, at most 1,000. */
    public CompletableFuture<List<String>> names() {
        return connection
                .now()
                .thenCompose(now -> connection
                        .run(commands -> commands.zremrangebyscore(
                                keys.limits(), io.lettuce.core.Range.create(0.0, (double) (now - FORGOTTEN_MILLIS))))
                        .thenCompose(gone ->
                                connection.run(commands -> commands.zrevrange(keys.limits(), 0, MOST_LISTED - 1)))
                        .thenApply(names -> names.stream()
                                .map(name -> new String(name, StandardCharsets.UTF_8))
                                .sorted()
                                .toList()));
    }

    /** Returns who has permits of a limit, and who wants some. */
    public CompletableFuture<PermitView> show(String limit) {
        return connection.runScript(Script.SHOW_PERMITS, keys.limit(limit)).thenApply(reply -> {
            ReplyReader in = new ReplyReader(reply);
            in.number();
            int max = in.count();
            List<PermitView.Holder> holders = in.all(each -> new PermitView.Holder(
                    each.text(), each.count(), each.count(), each.count(), each.number(), runs(each.list())));
            return new PermitView(limit, max, List.copyOf(holders));
        });
    }

    /** Returns the names of the rate limits that were used within the last day, at most 1,000. */
    public CompletableFuture<List<String>> rateNames() {
        return rates.names();
    }

    /** Returns a rate limit and some of its buckets; empty if it was not used within the last day. */
    public CompletableFuture<Optional<RateView>> showRate(String limit, int buckets) {
        return rates.show(limit, buckets);
    }

    private static List<PermitRun> runs(ReplyReader in) {
        List<PermitRun> runs = new ArrayList<>();
        while (in.hasMore()) {
            runs.add(new PermitRun(in.text(), in.text(), in.text(), in.number()));
        }
        return runs;
    }
}
