package dev.tandem.client;

import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Keeps the tasks that were sent, and answers them when a test says so. */
final class FakePublisher implements Publisher {

    final List<Task> sent = new ArrayList<>();
    final List<CompletableFuture<PublishedId>> answers = new ArrayList<>();
    int closed;

    @Override
    public CompletionStage<PublishedId> publish(Task task) {
        return prepare(task).send();
    }

    /** Refuses payloads of more than ten bytes. The broker's client refuses the type "refused-by-client" when it is sent. */
    @Override
    public Publication prepare(Task task) {
        if (task.payload().length > 10) {
            throw new InvalidTaskException("over the limit of 10 bytes");
        }
        return () -> {
            CompletableFuture<PublishedId> answer = new CompletableFuture<>();
            if ("refused-by-client".equals(task.type())) {
                answer.completeExceptionally(new InvalidTaskException("too large for the topic"));
            }
            sent.add(task);
            answers.add(answer);
            return answer;
        };
    }

    void acknowledge(int index) {
        answers.get(index).complete(new PublishedId(String.valueOf(sent.get(index).id()), "place"));
    }

    List<String> ids() {
        return sent.stream().map(each -> String.valueOf(each.id())).toList();
    }

    @Override
    public void close() {
        closed++;
    }
}
