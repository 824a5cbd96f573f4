package dev.tandem.client;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keeps the tasks that were sent, and answers them when a test says so. */
final class FakePublisher implements Publisher {

    final List<Task> sent = new ArrayList<>();
    final List<Consumer<@Nullable PublishException>> ends = new ArrayList<>();
    int closed;

    /** Why there is no room; null if there is. */
    @Nullable
    String full;

    /** How many tasks there was no room for. */
    int refused;

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        throw new UnsupportedOperationException("The client prepares");
    }

    /**
     * Refuses payloads of more than ten bytes. When they are sent, the broker's client refuses the type "refused-by-client" and
     * fails with an error for the type "error".
     */
    @Override
    public Publication prepare(Task task) {
        if (task.payload().length > 10) {
            throw new InvalidTaskException("over the limit of 10 bytes");
        }
        return end -> {
            if (full != null) {
                refused++;
                end.accept(new PublishException(full));
                return;
            }
            if ("error".equals(task.type())) {
                throw new NoClassDefFoundError("com/github/luben/zstd/Zstd");
            }
            sent.add(task);
            ends.add(end);
            if ("refused-by-client".equals(task.type())) {
                end.accept(new InvalidTaskException("too large for the topic"));
            }
        };
    }

    void acknowledge(int index) {
        ends.get(index).accept(null);
    }

    List<String> ids() {
        return sent.stream().map(each -> String.valueOf(each.id())).toList();
    }

    @Override
    public void close() {
        closed++;
    }
}
