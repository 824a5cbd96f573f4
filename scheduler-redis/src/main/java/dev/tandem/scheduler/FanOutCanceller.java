package dev.tandem.scheduler;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutRequest;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Cancels fan-outs, with those that their subtasks have begun. Thread-safe. */
final class FanOutCanceller {

    /** How many fan-outs of subtasks are read at once. */
    private static final int PAGE = 200;

    private final AdminConnection connection;
    private final RedisBuckets buckets;

    FanOutCanceller(AdminConnection connection, RedisBuckets buckets) {
        this.connection = connection;
        this.buckets = buckets;
    }

    /**
     * Cancels a fan-out and all within it. A subtask whose fan-out begins only now runs, so it is interrupted like all that run.
     */
    CompletableFuture<Code> cancel(String id, String why) {
        FanOutRequest request = new FanOutRequest.Cancel(id, why);
        return buckets.fanOut(FanOutBuckets.of(id), List.of(request))
                .toCompletableFuture()
                .thenApply(answers -> answers.get(0))
                .thenCompose(answer -> isOver(answer)
                        ? CompletableFuture.completedFuture(answer.code())
                        : cancelWithin(id, ScanCursor.INITIAL, why).thenApply(done -> answer.code()));
    }

    /** Whether nothing of a fan-out is left to be cancelled. */
    private static boolean isOver(FanOutAnswer answer) {
        return answer.code() == Code.UNKNOWN || answer.code() == Code.CLOSED;
    }

    private CompletableFuture<Void> cancelWithin(String id, ScanCursor from, String why) {
        byte[] inner = connection.keys().fanOut(id)[RedisKeys.FAN_OUT_INNER];
        return connection
                .run(commands -> commands.hscan(inner, from, ScanArgs.Builder.limit(PAGE)))
                .thenCompose(page -> Futures.all(ids(page), each -> cancel(each, why))
                        .thenCompose(done -> page.isFinished()
                                ? CompletableFuture.completedFuture(null)
                                : cancelWithin(id, ScanCursor.of(page.getCursor()), why)));
    }

    private static List<String> ids(MapScanCursor<byte[], byte[]> page) {
        return page.getMap().values().stream()
                .map(each -> new String(each, StandardCharsets.UTF_8))
                .toList();
    }
}
