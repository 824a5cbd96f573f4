package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Utf8;
import dev.tandem.task.store.LimitKind;
import dev.tandem.task.store.LimitNames;
import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.LimitStore;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.PermitRequest.PermitRun;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.RateView;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The limits in Redis: what executors hold of each, in one place for each limit. Different limits may be on different nodes.
 * Thread-safe.
 */
public final class RedisLimits implements LimitStore {

    private static final int MAX_RUN_TEXT = 200;
    private static final int MAX_BUCKET = 200;

    private final AdminConnection connection;
    private final RedisKeys keys;
    private final WakeupSubscriber wakeups;
    private final LimitList listed;
    private final RateRecords rates;
    private final OccasionalWrites announced = new OccasionalWrites();

    RedisLimits(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.keys = connection.keys();
        this.wakeups = wakeups;
        this.listed = new LimitList(connection, RedisLimitKind.PERMITS);
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
        return connection
                .runScript(
                        Script.RESERVE_TOKENS,
                        keysOf(limit, requests),
                        requests.stream().map(RedisLimits::encode).toArray(byte[][]::new))
                .thenApply(RedisLimits::rateAnswers);
    }

    @Override
    public void describe(RateInfo rate) {
        rates.describe(rate);
    }

    byte[][] keysOf(String limit, List<RateRequest> requests) {
        Stream<byte[]> ofLimit =
                Stream.concat(Arrays.stream(keys.usedRates(limit)), Stream.of(keys.rateOverride(limit)));
        return Stream.concat(ofLimit, requests.stream().map(request -> keys.rate(limit, bucket(request.bucket()))))
                .toArray(byte[][]::new);
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
        return in.all(each -> new RateAnswer(at, each.count(), each.number(), each.number(), each.number()));
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
        return new PermitAnswer(in.count(), in.count(), in.flag(), in.count());
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
        announced.write(limit, () -> listed.addUsed(limit));
    }

    @Override
    public AutoCloseable watch(String limit, String executor, Runnable listener) {
        announce(limit);
        String channel = keys.limitChannel(limit);
        WakeupSubscriber.MessageListener onMessage = message -> {
            if (message == null
                    || message.equals(ScriptCodes.ALL_EXECUTORS)
                    || Arrays.asList(message.split("\n")).contains(executor)) {
                listener.run();
            }
        };
        wakeups.add(channel, onMessage);
        return () -> wakeups.remove(channel, onMessage);
    }

    @Override
    public AutoCloseable watchRate(String limit, Runnable listener) {
        String channel = keys.rateChannel(limit);
        wakeups.add(channel, listener);
        return () -> wakeups.remove(channel, listener);
    }

    // ---- what operators change ----

    /**
     * Sets numbers of a limit in place of the settings, or lets these hold again. That is so for each request of an executor that comes
     * after it. Of each bucket of a rate limit the tokens stay, as far as the new burst allows.
     */
    public CompletableFuture<LimitRequest.Answer> change(String limit, LimitRequest request) {
        LimitList list = request.kind() == LimitKind.RATE ? rates.listed() : listed;
        // Reading the list corrects it after a failure.
        return list.addUsed(limit)
                .exceptionally(failure -> 0L)
                .thenCompose(done -> runChange(limit, request))
                .thenCompose(answer ->
                        list.addChanged(limit, isOverridden(request, answer)).handle((done, failure) -> answer));
    }

    private static boolean isOverridden(LimitRequest request, LimitRequest.Answer answer) {
        return answer.done() ? request.numbers() != null : answer.before() != null;
    }

    private CompletableFuture<LimitRequest.Answer> runChange(String limit, LimitRequest request) {
        RedisLimitKind kind = RedisLimitKind.of(request.kind());
        String seen = request.seen();
        byte[][] arguments = Stream.concat(
                        Stream.of(kind.channel(keys, limit), seen == null ? "" : seen),
                        LimitOverrides.fields(request).stream())
                .map(Utf8::bytes)
                .toArray(byte[][]::new);
        return connection
                .runScript(Script.CHANGE_LIMIT, new byte[][] {kind.override(keys, limit)}, arguments)
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    in.number();
                    boolean done = in.flag();
                    String revision = in.text();
                    return new LimitRequest.Answer(done, kind.read(in), revision);
                });
    }

    // ---- what people see ----

    /** Returns the names of the limits that were used within the last day or have an override, at most 1,000. */
    public CompletableFuture<LimitNames> names() {
        return listed.names();
    }

    /** Returns who has permits of a limit, and who wants some. */
    public CompletableFuture<PermitView> show(String limit) {
        return connection.runScript(Script.SHOW_PERMITS, keys.limit(limit)).thenApply(reply -> {
            ReplyReader in = new ReplyReader(reply);
            in.number();
            int configured = in.count();
            LimitOverride.OfPermits override = LimitOverrides.ofPermits(in.list());
            if (override != null) {
                listed.addFound(limit);
            }
            List<PermitView.Holder> holders = in.all(each -> new PermitView.Holder(
                    each.text(), each.count(), each.count(), each.count(), each.number(), runs(each.list())));
            return new PermitView(limit, configured, override, List.copyOf(holders));
        });
    }

    /** Returns the names of the rate limits that were used within the last day or have an override, at most 1,000. */
    public CompletableFuture<LimitNames> rateNames() {
        return rates.listed().names();
    }

    /** Returns a rate limit and some of its buckets; empty if it was not used within the last day and has no override. */
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
