package dev.tandem.executor;

import dev.tandem.api.TaskRequest;
import dev.tandem.task.Partition;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Task;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutModel;
import dev.tandem.task.store.Store;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store that knows only fan-outs, and a broker that takes all tasks of the queue {@code orders}. */
final class FanOutStore implements Store, FanOutPublisher {

    final FanOutModel model = new FanOutModel();
    final List<FanOutRequest> requests = new CopyOnWriteArrayList<>();
    final List<Task> published = new CopyOnWriteArrayList<>();
    final Set<Class<?>> lostAnswers = new CopyOnWriteArraySet<>();
    /** The process is killed when it sends such a request: the store does not get it. */
    volatile @Nullable Class<?> killedAt;

    /** Is done before a fan-out begins. */
    volatile Consumer<FanOutRequest.Open> beforeOpen = open -> {};

    volatile long now = 1_800_000_000_000L;

    FanOutAnswer apply(FanOutRequest request) {
        return model.apply(request, now);
    }

    FanOutRecord view(String id) {
        return Objects.requireNonNull(apply(new FanOutRequest.View(id)).record());
    }

    /** Returns the requests of a kind. */
    <T> List<T> requests(Class<T> kind) {
        return requests.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    List<Task> finals() {
        return published.stream().filter(each -> Subtask.of(each) == null).toList();
    }

    @Override
    public synchronized CompletionStage<FanOutReply> fanOut(
            int bucket, FanOutCaller caller, List<FanOutRequest> asked) {
        if (killedAt != null && asked.stream().anyMatch(killedAt::isInstance)) {
            return new CompletableFuture<>();
        }
        boolean lost = false;
        for (FanOutRequest each : asked) {
            requests.add(each);
            if (each instanceof FanOutRequest.Open open) {
                beforeOpen.accept(open);
            }
            lost |= lostAnswers.remove(each.getClass());
        }
        FanOutReply reply = model.call(bucket, caller, asked, now);
        return lost
                ? CompletableFuture.failedFuture(new IllegalStateException("the connection broke"))
                : CompletableFuture.completedFuture(reply);
    }

    @Override
    public boolean reaches(String queue) {
        return queue.equals("orders");
    }

    @Override
    public Task encode(TaskRequest<?> request, String id, Map<String, String> headers) {
        Map<String, String> all = new HashMap<>(request.options().headers());
        all.putAll(headers);
        return new Task(id, request.queue(), request.type(), null, new byte[0], all, 0, 0, 0, 0, null);
    }

    @Override
    public Publication prepare(Task task) {
        return end -> {
            published.add(task);
            end.accept(null);
        };
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
