package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.LookBack.Ask;
import dev.tandem.task.store.LookBack.State;
import dev.tandem.task.store.PartitionHistory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Keeps the histories of queues' partitions, and looks for tasks of keys in earlier partitions. Thread-safe. */
final class RedisHistories {

    private static final State[] STATES = State.values();

    private final AdminConnection connection;

    RedisHistories(AdminConnection connection) {
        this.connection = connection;
    }

    CompletionStage<Optional<PartitionHistory>> read(String queue) {
        return connection
                .run(commands -> commands.get(connection.keys().partitionHistory(queue)))
                .thenApply(found -> found == null
                        ? Optional.empty()
                        : Optional.of(PartitionHistory.decode(new String(found, StandardCharsets.UTF_8))));
    }

    CompletionStage<Boolean> change(
            String queue, @Nullable PartitionHistory expected, PartitionHistory next, long notBeforeMillis) {
        return connection
                .runScript(
                        Script.CHANGE_PARTITION_HISTORY,
                        new byte[][] {connection.keys().partitionHistory(queue)},
                        bytes(expected == null ? "" : expected.encode()),
                        bytes(next.encode()),
                        bytes(Long.toString(notBeforeMillis)))
                .thenApply(reply -> new ReplyReader(reply).number() == 1);
    }

    CompletionStage<LookBack.Answer> lookBack(Partition partition, LookBack question) {
        List<byte[]> args = new ArrayList<>(2 + 2 * question.asks().size());
        args.add(bytes(question.sourceId()));
        args.add(bytes(Long.toString(question.listBelow())));
        for (Ask ask : question.asks()) {
            args.add(bytes(ask.key()));
            args.add(bytes(Long.toString(ask.end())));
        }
        return connection
                .runScript(Script.LOOK_BACK, partition, args.toArray(byte[][]::new))
                .thenApply(RedisHistories::answer);
    }

    private static LookBack.Answer answer(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        long storedCommit = in.number();
        List<State> states = new ArrayList<>();
        for (ReplyReader each = in.list(); each.hasMore(); ) {
            states.add(STATES[each.count()]);
        }
        List<String> listed = new ArrayList<>();
        for (ReplyReader each = in.list(); each.hasMore(); ) {
            listed.add(each.text());
        }
        return new LookBack.Answer(storedCommit, states, listed, in.number() == 1);
    }
}
