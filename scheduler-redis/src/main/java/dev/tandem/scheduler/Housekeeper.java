package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Trims the history of partitions to its bounds, one bounded piece at a time. */
final class Housekeeper {

    private static final Logger log = LoggerFactory.getLogger(Housekeeper.class);

    private static final int PIECE_ENTRIES = 500;

    /** Pieces of one partition in one round. The rest waits for the next round. */
    private static final int MAX_PIECES = 100;

    private final AdminConnection connection;
    private final Retention retention;

    Housekeeper(AdminConnection connection, Retention retention) {
        this.connection = connection;
        this.retention = retention;
    }

    /** Trims a partition. Returns how many tasks were removed. */
    CompletableFuture<Long> trim(Partition partition) {
        return piece(partition, 0, "0", 0, 0).whenComplete((removed, failure) -> {
            if (failure != null) {
                log.warn("Could not trim the history of {}: {}", partition, RedisFailures.describe(failure));
            } else if (removed > 0) {
                log.info("Trimmed {} tasks from the history of {}", removed, partition);
            }
        });
    }

    private CompletableFuture<Long> piece(Partition partition, long rank, String cursor, long removed, int pieces) {
        return connection
                .runScript(
                        Script.TRIM_HISTORY,
                        partition,
                        bytes(rank),
                        bytes(retention.deadFor().toMillis()),
                        bytes(retention.maxDead()),
                        bytes(retention.maxSucceeded()),
                        cursor.getBytes(StandardCharsets.UTF_8),
                        bytes(PIECE_ENTRIES))
                .thenCompose((List<Object> reply) -> {
                    ReplyReader in = new ReplyReader(reply);
                    long nextRank = in.number();
                    String nextCursor = in.text();
                    long sum = removed + in.number();
                    boolean done = nextRank == 0 && nextCursor.equals("0");
                    return done || pieces == MAX_PIECES
                            ? CompletableFuture.completedFuture(sum)
                            : piece(partition, nextRank, nextCursor, sum, pieces + 1);
                });
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.UTF_8);
    }
}
