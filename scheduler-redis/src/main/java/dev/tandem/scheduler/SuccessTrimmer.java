package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Trims what is kept of tasks that succeeded to its bounds, one short script at a time. Thread-safe. */
final class SuccessTrimmer {

    /** How many pages one script looks at: a millisecond of Redis, or two. */
    private static final int PIECE_PAGES = 250;

    /** How many pieces a round does at most: more pages than a partition gets in ten seconds. */
    private static final int MAX_PIECES = 5_000;

    private final AdminConnection connection;
    private final Retention retention;
    private final BooleanSupplier hasRoom;

    /** @param hasRoom whether Redis has room for tasks; otherwise nothing is kept that takes room from them */
    SuccessTrimmer(AdminConnection connection, Retention retention, BooleanSupplier hasRoom) {
        this.connection = connection;
        this.retention = retention;
        this.hasRoom = hasRoom;
    }

    /** Does a round in one partition. Returns how many records were removed. */
    CompletableFuture<Long> trim(Partition partition) {
        return trim(partition, 0, 0);
    }

    private CompletableFuture<Long> trim(Partition partition, int pieces, long removed) {
        boolean keep = hasRoom.getAsBoolean();
        return connection
                .runScript(
                        Script.TRIM_SUCCESSES,
                        partition,
                        bytes(retention.succeededFor().toMillis()),
                        bytes(keep ? retention.maxSucceeded() : 0),
                        bytes(keep ? retention.maxSucceededBytes() : 0),
                        bytes(PIECE_PAGES))
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    boolean goesOn = in.flag() && pieces + 1 < MAX_PIECES;
                    long all = removed + in.number();
                    return goesOn ? trim(partition, pieces + 1, all) : CompletableFuture.completedFuture(all);
                });
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
