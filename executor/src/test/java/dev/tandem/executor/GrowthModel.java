package dev.tandem.executor;

import dev.tandem.task.LogEnds;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A log that may get more partitions, and a store that keeps its history. Answers at once. A key's hash is its number. */
final class GrowthModel implements Store, Source.Growing {

    final List<LookBack> questions = new ArrayList<>();
    String sourceId = "topic";
    List<Long> ends = List.of(0L, 0L);

    @Nullable
    PartitionHistory history;

    Function<LookBack.Ask, LookBack.State> states = ask -> LookBack.State.CLEAR;

    @Override
    public long windowMillis() {
        return 10_000;
    }

    @Override
    public CompletionStage<LogEnds> lookUp(boolean withEnds) {
        return CompletableFuture.completedFuture(new LogEnds(sourceId, ends.size(), withEnds ? ends : List.of()));
    }

    @Override
    public int placement(String key, int partitions) {
        return Integer.parseInt(key) % partitions;
    }

    @Override
    public CompletionStage<Optional<PartitionHistory>> partitionHistory(String queue) {
        return CompletableFuture.completedFuture(Optional.ofNullable(history));
    }

    @Override
    public CompletionStage<Boolean> changePartitionHistory(
            String queue, @Nullable PartitionHistory expected, PartitionHistory next, long notBeforeMillis) {
        boolean wins = Optional.ofNullable(expected).equals(Optional.ofNullable(history));
        history = wins ? next : history;
        return CompletableFuture.completedFuture(wins);
    }

    @Override
    public CompletionStage<LookBack.Answer> lookBack(Partition partition, LookBack question) {
        questions.add(question);
        List<LookBack.State> answers = question.asks().stream().map(states).toList();
        return CompletableFuture.completedFuture(new LookBack.Answer(0, answers, List.of(), true));
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
