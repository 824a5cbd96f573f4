package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the history of partitions within its bounds, a bounded piece at a time. */
final class Housekeeper {

    private static final Logger log = LoggerFactory.getLogger(Housekeeper.class);

    private static final int LOOK = 500;

    /** Pieces of one partition in one round; the rest has time until the next. */
    private static final int MOST_PIECES = 100;

    private final Side side;
    private final Retention retention;

    Housekeeper(Side side, Retention retention) {
        this.side = side;
        this.retention = retention;
    }

    /** How many tasks went. */
    CompletableFuture<Long> trim(Partition partition) {
        return piece(partition, 0, "0", 0, 0).whenComplete((removed, failure) -> {
            if (failure != null) {
                log.warn("History of {} could not be trimmed: {}", partition, Failures.why(failure));
            } else if (removed > 0) {
                log.info("{} tasks of {} are beyond the history's bounds and went", removed, partition);
            }
        });
    }

    private CompletableFuture<Long> piece(Partition partition, long rank, String cursor, long removed, int pieces) {
        return side.script(
                        Script.TRIM,
                        partition,
                        bytes(rank),
                        bytes(retention.deadFor().toMillis()),
                        bytes(retention.maxDead()),
                        bytes(retention.maxSucceeded()),
                        cursor.getBytes(StandardCharsets.UTF_8),
                        bytes(LOOK))
                .thenCompose((List<Object> reply) -> {
                    Answers.Reader in = new Answers.Reader(reply);
                    long nextRank = in.number();
                    String nextCursor = in.text();
                    long sum = removed + in.number();
                    boolean done = nextRank == 0 && nextCursor.equals("0");
                    return done || pieces == MOST_PIECES
                            ? CompletableFuture.completedFuture(sum)
                            : piece(partition, nextRank, nextCursor, sum, pieces + 1);
                });
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.UTF_8);
    }
}
