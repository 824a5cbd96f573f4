package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.store.RateInfo;
import dev.tandem.task.store.RateView;
import io.lettuce.core.Range;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Writes and reads what people see of rate limits: which there are, and which of their buckets are in use. Thread-safe. */
final class RateRecords {

    private static final long DESCRIBE_MILLIS = 60_000;

    /** A rate limit that nobody has used for so long is not listed any more. */
    private static final long FORGOTTEN_MILLIS = 24 * 3_600_000L;

    private static final int MOST_LISTED = 1_000;

    private final AdminConnection connection;
    private final RedisKeys keys;
    /** The time at which each rate limit was last written, by the monotonic clock in milliseconds. */
    private final Map<String, Long> described = new ConcurrentHashMap<>();

    RateRecords(AdminConnection connection) {
        this.connection = connection;
        this.keys = connection.keys();
    }

    /** Writes now and then what a rate limit is. */
    void describe(RateInfo rate) {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        Long last = described.get(rate.name());
        if (last != null && now - last < DESCRIBE_MILLIS) {
            return;
        }
        described.put(rate.name(), now);
        var unused = connection
                .run(commands -> commands.set(
                        keys.rateInfo(rate.name()), bytes(text(rate)), SetArgs.Builder.px(FORGOTTEN_MILLIS)))
                .thenCompose(written -> connection.now())
                .thenCompose(
                        at -> connection.run(commands -> commands.zadd(keys.rates(), (double) at, bytes(rate.name()))))
                .exceptionally(failure -> {
                    described.remove(rate.name());
                    return 0L;
                });
    }

    CompletableFuture<List<String>> names() {
        return connection
                .now()
                .thenCompose(now -> connection.run(commands ->
                        commands.zremrangebyscore(keys.rates(), Range.create(0.0, (double) (now - FORGOTTEN_MILLIS)))))
                .thenCompose(gone -> connection.run(commands -> commands.zrevrange(keys.rates(), 0, MOST_LISTED - 1)))
                .thenApply(names -> names.stream()
                        .map(name -> new String(name, StandardCharsets.UTF_8))
                        .sorted()
                        .toList());
    }

    CompletableFuture<Optional<RateView>> show(String name, int buckets) {
        byte[][] used = keys.usedRates(name);
        return connection
                .runScript(
                        Script.SHOW_RATE,
                        new byte[][] {keys.rateInfo(name), used[0], used[1]},
                        bytes(Integer.toString(buckets)))
                .thenApply(reply -> view(name, new ReplyReader(reply)));
    }

    private static Optional<RateView> view(String name, ReplyReader in) {
        in.number();
        String text = in.text();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        RateInfo info = info(name, text);
        int used = in.count();
        int paused = in.count();
        long kept = (info.burst() - 1) * info.intervalMicros();
        List<RateView.Bucket> buckets =
                in.all(each -> new RateView.Bucket(each.text(), each.number() - kept, each.number()));
        return Optional.of(new RateView(info, used, paused, List.copyOf(buckets)));
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
