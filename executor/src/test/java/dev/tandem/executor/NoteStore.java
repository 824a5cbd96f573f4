package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store of notes whose next answers a test says. Without one, every run is claimed. */
final class NoteStore implements Store {

    final List<RunRequest> asked = new CopyOnWriteArrayList<>();
    /** Futures of answers, in order; then the usual ones. */
    final Deque<CompletableFuture<StoreAnswer>> answers = new ArrayDeque<>();

    private byte[] saved;
    private Error error;

    void answers(Standing standing) {
        answers.add(CompletableFuture.completedFuture(new StoreAnswer.Checkpoint(standing, null)));
    }

    void fails() {
        answers.add(CompletableFuture.failedFuture(new IllegalStateException("away")));
    }

    /** Makes the next request throw. */
    synchronized void throwsNext(Error thrown) {
        error = thrown;
    }

    @Override
    public synchronized CompletionStage<StoreAnswer> ask(RunRequest request) {
        asked.add(request);
        if (error != null) {
            Error thrown = error;
            error = null;
            throw thrown;
        }
        if (!answers.isEmpty()) {
            return answers.poll();
        } else if (request instanceof RunRequest.SaveCheckpoint save) {
            saved = save.checkpoint();
        } else if (request instanceof RunRequest.ReadCheckpoint) {
            return CompletableFuture.completedFuture(new StoreAnswer.Checkpoint(Standing.CLAIMED, saved));
        } else {
            return CompletableFuture.completedFuture(new StoreAnswer.ProgressKept(1));
        }
        return CompletableFuture.completedFuture(new StoreAnswer.Checkpoint(Standing.CLAIMED, null));
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
