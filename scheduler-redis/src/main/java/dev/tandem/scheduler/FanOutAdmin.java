package dev.tandem.scheduler;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutCancellation;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds and cancels fan-outs. Thread-safe. */
public final class FanOutAdmin {

    /** How many of one bucket are found at once. */
    private static final int MOST_DUE = 20;

    /** How many may have begun or ended in one millisecond and one bucket. Of more, some are not shown. */
    private static final int MOST_AT_ONCE = 50;

    private static final int DUE = 0;
    private static final int OPEN = 1;
    private static final int ENDED = 2;
    private static final int MASTERS = 3;

    /** How many fan-outs of one master and one bucket are looked for at once. */
    static final int PAGE_OF_A_MASTER = 200;

    private static final Comparator<Place> NEWEST_FIRST =
            Comparator.comparing(Place::at).thenComparing(Place::id).reversed();

    private final AdminConnection connection;
    private final RedisBuckets buckets;
    private final FanOutCancellation cancellation;

    FanOutAdmin(AdminConnection connection, RedisBuckets buckets) {
        this.connection = connection;
        this.buckets = buckets;
        this.cancellation = buckets.cancellation();
    }

    /** A page. @param next where the next one begins; null if this is the last */
    public record Found(
            List<FanOutRecord> records, @Nullable String next) {}

    /** Where a fan-out stands in a list: when it began or ended. */
    private record Place(long at, String id) {

        String text() {
            return at + "-" + id;
        }

        /** @throws IllegalArgumentException if this is no place of a list */
        static Place parse(String text) {
            int dash = text.indexOf('-');
            try {
                return new Place(Long.parseLong(text.substring(0, Math.max(0, dash))), text.substring(dash + 1));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "'" + text + "' is no cursor: leave it out, or take that of a page", e);
            }
        }
    }

    /**
     * Returns the ids of fan-outs that somebody has to look at, the first of each bucket.
     *
     * @param known how many of them the caller knows already
     */
    public CompletableFuture<List<String>> due(int known) {
        return connection
                .now()
                .thenCompose(now -> ofEachBucket(bucket -> connection.run(commands -> commands.zrangebyscore(
                        connection.keys().fanOuts(bucket)[DUE],
                        Range.create(Double.NEGATIVE_INFINITY, now),
                        Limit.from(MOST_DUE + known)))))
                .thenApply(found -> found.stream().map(FanOutAdmin::text).toList());
    }

    /**
     * Returns fan-outs, those that began or ended last first.
     *
     * @param ended those that have ended, or those that have not
     * @param after where the page before ended; "" for the first page
     */
    public CompletableFuture<Found> list(boolean ended, int limit, String after) {
        Place last = after.isEmpty() ? null : Place.parse(after);
        double from = last == null ? Double.POSITIVE_INFINITY : last.at();
        return ofEachBucket(bucket -> connection.run(commands -> commands.zrevrangebyscoreWithScores(
                        connection.keys().fanOuts(bucket)[ended ? ENDED : OPEN],
                        Range.create(Double.NEGATIVE_INFINITY, from),
                        Limit.from(limit + MOST_AT_ONCE))))
                .thenCompose(found -> {
                    List<Place> places = found.stream()
                            .map(FanOutAdmin::place)
                            .filter(each -> last == null || NEWEST_FIRST.compare(each, last) > 0)
                            .sorted(NEWEST_FIRST)
                            .limit(limit + 1L)
                            .toList();
                    List<Place> page = places.subList(0, Math.min(limit, places.size()));
                    String next = places.size() > limit ? page.get(limit - 1).text() : null;
                    return records(page).thenApply(records -> new Found(records, next));
                });
    }

    private CompletableFuture<List<FanOutRecord>> records(List<Place> places) {
        return Futures.all(
                        places,
                        each -> buckets.fanOut(FanOutBuckets.of(each.id()), List.of(new FanOutRequest.View(each.id())))
                                .toCompletableFuture())
                .thenApply(answers -> answers.stream()
                        .flatMap(List::stream)
                        .map(FanOutAnswer::record)
                        .filter(Objects::nonNull)
                        .toList());
    }

    /**
     * Returns whether a fan-out of a master is kept, whatever its name.
     *
     * @param masterHash as for {@link FanOutRequest.Open}
     */
    public CompletableFuture<Boolean> anyOf(String masterHash) {
        double master = FanOutCall.master(masterHash);
        return FanOutAdmin.<Boolean>ofEachBucket(
                        bucket -> anyOf(master, bucket, 0).thenApply(List::of))
                .thenApply(found -> found.contains(true));
    }

    /** Returns whether a fan-out of a master is kept in a bucket. Ids of fan-outs that are kept no more may be listed for a while. */
    private CompletableFuture<Boolean> anyOf(double master, int bucket, int offset) {
        return connection
                .run(commands -> commands.zrangebyscore(
                        connection.keys().fanOuts(bucket)[MASTERS],
                        Range.create(master, master),
                        Limit.create(offset, PAGE_OF_A_MASTER)))
                .thenCompose(ids -> {
                    if (ids.isEmpty()) {
                        return CompletableFuture.completedFuture(false);
                    }
                    byte[][] records = ids.stream()
                            .map(id -> connection.keys().fanOut(text(id))[0])
                            .toArray(byte[][]::new);
                    return connection
                            .run(commands -> commands.exists(records))
                            .thenCompose(kept -> kept > 0 || ids.size() < PAGE_OF_A_MASTER
                                    ? CompletableFuture.completedFuture(kept > 0)
                                    : anyOf(master, bucket, offset + PAGE_OF_A_MASTER));
                });
    }

    /** Returns the numbers of the first subtasks that are published and have not ended, by their bits. */
    public CompletableFuture<List<Long>> missing(String id, int limit) {
        byte[] bits = connection.keys().fanOut(id)[1];
        return buckets.fanOut(FanOutBuckets.of(id), List.of(new FanOutRequest.View(id)))
                .toCompletableFuture()
                .thenCombine(connection.run(commands -> commands.get(bits)), (answers, ended) -> {
                    FanOutRecord record = answers.get(0).record();
                    byte[] known = ended == null ? new byte[0] : ended;
                    List<Long> missing = new ArrayList<>();
                    long count = record == null ? 0 : record.phase() == Phase.OPEN ? record.cursor() : record.total();
                    for (long number = 0; number < count && missing.size() < limit; number++) {
                        int at = (int) (number / 8);
                        if (at >= known.length || (known[at] & 0x80 >> number % 8) == 0) {
                            missing.add(number);
                        }
                    }
                    return missing;
                });
    }

    /**
     * Cancels a fan-out, then those of its subtasks that have not ended, and so on. May be repeated.
     *
     * @param why the reason that their results give
     * @return what became of the fan-out itself, when those within it are cancelled, too
     */
    public CompletableFuture<FanOutAnswer.Code> cancel(String id, String why) {
        return cancellation.cancel(id, why).thenApply(FanOutAnswer::code).toCompletableFuture();
    }

    private static <T> CompletableFuture<List<T>> ofEachBucket(Function<Integer, CompletableFuture<List<T>>> question) {
        return Futures.all(IntStream.range(0, FanOutBuckets.COUNT).boxed().toList(), question)
                .thenApply(all -> all.stream().flatMap(List::stream).toList());
    }

    private static Place place(ScoredValue<byte[]> member) {
        return new Place((long) member.getScore(), text(member.getValue()));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
