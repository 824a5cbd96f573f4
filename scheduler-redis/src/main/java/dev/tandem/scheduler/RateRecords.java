package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.LimitOverride;
import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.RateView;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Writes and reads what people see of rate limits: which there are, and which of their buckets are in use. Thread-safe. */
final class RateRecords {

    /** How long it is known what a rate limit is that nobody uses. */
    private static final long FORGOTTEN_MILLIS = 24 * 3_600_000L;

    private final AdminConnection connection;
    private final RedisKeys keys;
    private final LimitList listed;
    private final OccasionalWrites described = new OccasionalWrites();

    RateRecords(AdminConnection connection) {
        this.connection = connection;
        this.keys = connection.keys();
        this.listed = new LimitList(connection, RedisLimitKind.RATE);
    }

    /** Returns the list of all rate limits. */
    LimitList listed() {
        return listed;
    }

    /** Writes now and then what a rate limit is. */
    void describe(RateInfo rate) {
        described.write(
                rate.name(),
                () -> connection
                        .run(commands -> commands.set(
                                keys.rateInfo(rate.name()), bytes(text(rate)), SetArgs.Builder.px(FORGOTTEN_MILLIS)))
                        .thenCompose(written -> listed.addUsed(rate.name())));
    }

    /** Returns a rate limit and some of its buckets; empty if nothing is known of it. */
    CompletableFuture<Optional<RateView>> show(String name, int buckets) {
        byte[][] used = keys.usedRates(name);
        return connection
                .run(commands -> commands.zrevrange(used[0], 0, buckets - 1L))
                .thenCompose(names -> show(name, names))
                .thenApply(reply -> view(name, new ReplyReader(reply)));
    }

    private CompletableFuture<List<Object>> show(String name, List<byte[]> buckets) {
        byte[][] used = keys.usedRates(name);
        Stream<byte[]> its = Stream.of(keys.rateInfo(name), used[0], used[1], keys.rateOverride(name));
        return connection.runScript(
                Script.SHOW_RATE,
                Stream.concat(its, buckets.stream().map(each -> keys.rate(name, text(each))))
                        .toArray(byte[][]::new),
                Stream.concat(Stream.of(bytes(Long.toString(RateRequest.AHEAD_MILLIS * 1_000))), buckets.stream())
                        .toArray(byte[][]::new));
    }

    private Optional<RateView> view(String name, ReplyReader in) {
        in.number();
        String text = in.text();
        LimitOverride.OfRate override = LimitOverrides.ofRate(in.list());
        if (override != null) {
            listed.addFound(name);
        }
        if (text.isEmpty() && override == null) {
            return Optional.empty();
        }
        int used = in.count();
        int paused = in.count();
        List<RateView.Bucket> buckets = in.all(each -> new RateView.Bucket(each.text(), each.number(), each.number()));
        RateInfo info = text.isEmpty() ? null : info(name, text);
        return Optional.of(new RateView(name, info, override, used, paused, List.copyOf(buckets)));
    }

    private static String text(byte[] name) {
        return new String(name, StandardCharsets.UTF_8);
    }

    private static String text(RateInfo rate) {
        return rate.intervalMicros() + " " + rate.burst() + (rate.per() == null ? "" : " " + rate.per());
    }

    private static RateInfo info(String name, String text) {
        String[] parts = text.split(" ", 3);
        return new RateInfo(
                name, Long.parseLong(parts[0]), Integer.parseInt(parts[1]), parts.length == 3 ? parts[2] : null);
    }
}
