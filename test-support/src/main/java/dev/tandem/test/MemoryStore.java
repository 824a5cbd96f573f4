package dev.tandem.test;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupModel;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.FanOutModel;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreModel;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.TaskWaits;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** The model of the store, with which the scripts of Redis are compared, as a store. Answers at once. Thread-safe. */
final class MemoryStore implements Store {

    private final StoreModel model = new StoreModel("test");
    private final DedupModel dedup = new DedupModel();
    private final FanOutModel fanOuts = new FanOutModel();
    private final MemoryNotes notes = new MemoryNotes();
    private final TestClock clock;

    MemoryStore(TestClock clock) {
        this.clock = clock;
    }

    /** Reads the data of a partition. */
    <T> T read(Partition partition, Function<ModelPartition, T> reading) {
        synchronized (model) {
            return reading.apply(model.partition(partition));
        }
    }

    /** Returns what the runs of a task have noted. */
    MemoryNotes.Noted noted(Partition partition, Position position) {
        synchronized (model) {
            return notes.of(partition, position);
        }
    }

    /** Returns the milliseconds until the next task of a partition is due; -1 if none waits for its time. */
    long millisToNextDue(Partition partition) {
        synchronized (model) {
            return model.millisToNextDue(partition, clock.wallMillis());
        }
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        listener.up();
        return new Link() {
            @Override
            public void send(StoreRequest request) {
                StoreAnswer answer;
                synchronized (model) {
                    answer = model.apply(request, clock.wallMillis());
                }
                listener.answered(request, answer);
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public CompletionStage<StoreAnswer> ask(RunRequest request) {
        StoreAnswer answer;
        synchronized (model) {
            answer = model.apply(request, clock.wallMillis());
            if (request instanceof RunRequest.SaveCheckpoint save) {
                notes.saved(save, answer);
            } else if (request instanceof RunRequest.KeepProgress keep) {
                ModelPartition data = model.partition(keep.partition());
                keep.runs().forEach(run -> notes.kept(keep.partition(), run.position(), data.notes(run.position())));
            }
        }
        return CompletableFuture.completedFuture(answer);
    }

    @Override
    public CompletionStage<List<DedupAnswer>> dedup(String queue, int bucket, List<DedupRequest> requests) {
        synchronized (model) {
            return CompletableFuture.completedFuture(requests.stream()
                    .map(request -> dedup.apply(queue, request, clock.wallMillis()))
                    .toList());
        }
    }

    @Override
    public CompletionStage<FanOutReply> fanOut(int bucket, FanOutCaller caller, List<FanOutRequest> requests) {
        synchronized (model) {
            return CompletableFuture.completedFuture(fanOuts.call(bucket, caller, requests, clock.wallMillis()));
        }
    }

    @Override
    public TaskWaits waits() {
        return (bucket, requests) -> {
            synchronized (model) {
                return CompletableFuture.completedFuture(requests.stream()
                        .map(request -> dedup.apply(request, clock.wallMillis()))
                        .toList());
            }
        };
    }

    @Override
    public void findHeld(String queue, Collection<Partition> except, Consumer<Collection<Partition>> found) {
        found.accept(List.of());
    }

    @Override
    public void close() {}
}
