package dev.tandem.scheduler;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Makes random verdicts, and moves that end tasks, of {@link RandomRequests}. */
final class RandomVerdicts {

    private static final DeadHead[] DEAD_HEADS = DeadHead.values();

    private RandomVerdicts() {}

    /** @param envelope what a verdict stores that needs one */
    static Verdict next(Random random, Position position, @Nullable String key, long token, byte[] envelope) {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> new Verdict.Success(random.nextInt(6) == 0 ? null : kept(position, key, token));
            case 3, 4, 5 -> new Verdict.Retry(random.nextInt(60), envelope);
            case 6 -> new Verdict.Dead(DEAD_HEADS[random.nextInt(DEAD_HEADS.length)], envelope);
            default -> new Verdict.Returned();
        };
    }

    private static SuccessRecord kept(Position position, @Nullable String key, long token) {
        return new SuccessRecord(
                token % 2 == 0 ? null : "id-" + position,
                null,
                key,
                (int) (token % 200) + 1,
                1_800_000_000_000L,
                token % 100_000,
                "executor",
                token % 5 == 0 ? "1\t0\t0\t\tfailed" : null,
                token % 7 == 0 ? TaskEnd.EXPIRED : token % 11 == 0 ? TaskEnd.CANCELLED : TaskEnd.SUCCEEDED,
                token % 3 == 0 ? "{\"n\":" + token + "}" : null,
                token % 13 == 0 ? "first-" + token : null);
    }

    /** Returns a move that ends a task. No request cancels one twice. */
    static Move end(Random random, Position position, @Nullable String key, List<HandOver> entries) {
        boolean cancelled = entries.stream()
                .anyMatch(each ->
                        each.move() instanceof Move.Cancel && each.position().equals(position));
        return cancelled || random.nextBoolean()
                ? new Move.Bury()
                : new Move.Cancel(
                        new SuccessRecord(null, null, key, 0, 5, 0, SuccessRecord.OPERATOR, null, TaskEnd.CANCELLED));
    }
}
