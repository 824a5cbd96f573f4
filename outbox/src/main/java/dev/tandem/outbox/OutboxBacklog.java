package dev.tandem.outbox;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rows that wait in an outbox.
 *
 * @param rows how many rows there are, those that were set aside included; {@link #MOST} if there are more
 * @param oldest for how long the first row that is not set aside has been there; null if there is none
 * @param refused how many of the rows were set aside, because their tasks can never be published
 */
public record OutboxBacklog(long rows, @Nullable Duration oldest, long refused) {

    /** The most rows that are counted, so that to ask costs little. */
    public static final int MOST = 10_000;
}
