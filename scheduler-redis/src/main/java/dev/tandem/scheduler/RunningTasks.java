package dev.tandem.scheduler;

import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.Registration.Registrant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks executors for the tasks that they have in their memory, and to cancel those that they run. Thread-safe. */
public final class RunningTasks {

    private static final Logger log = LoggerFactory.getLogger(RunningTasks.class);

    private final ExecutorRequests cancels;
    private final ExecutorRequests finds;

    RunningTasks(AdminConnection connection, WakeupSubscriber wakeups) {
        RedisKeys keys = connection.keys();
        cancels = new ExecutorRequests(connection, wakeups, keys.cancels(), keys.cancelChannel());
        finds = new ExecutorRequests(connection, wakeups, keys.finds(), keys.findChannel());
    }

    /** Requests to cancel tasks, which executors look for until they are closed. */
    public static final class Request {

        private final ExecutorRequests.Request sent;

        private Request(ExecutorRequests.Request sent) {
            this.sent = sent;
        }

        /** Returns the places of the tasks that were interrupted, as far as executors have answered. */
        public CompletableFuture<List<String>> interrupted() {
            return sent.answers();
        }

        /** Forgets the requests and their answers. */
        public CompletableFuture<Void> close() {
            return sent.close();
        }
    }

    /** A search for a task, for which executors look until it is closed. */
    public static final class Search {

        private final String queue;
        private final ExecutorRequests.Request sent;

        private Search(String queue, ExecutorRequests.Request sent) {
            this.queue = queue;
            this.sent = sent;
        }

        /** Returns the tasks that executors have found so far. */
        public CompletableFuture<List<HeldTask>> found() {
            return sent.answers()
                    .thenApply(lines -> lines.stream()
                            .flatMap(line -> HeldTaskText.read(queue, line).stream())
                            .toList());
        }

        /** Returns what executors have answered so far to a question. */
        public CompletableFuture<HeldAnswer> answer() {
            return sent.answers()
                    .thenApply(lines -> new HeldAnswer(
                            lines.stream()
                                    .flatMap(line -> HeldTaskText.read(queue, line).stream())
                                    .toList(),
                            lines.stream()
                                    .flatMap(line -> HeldPartitionText.read(line).stream())
                                    .toList()));
        }

        /** Forgets the search and its answers. */
        public CompletableFuture<Void> close() {
            return sent.close();
        }
    }

    /** Asks all executors to cancel the runs of tasks with this id. @param id as for {@link Registrant#cancel} */
    public CompletableFuture<Request> cancel(String queue, String id) {
        return cancel(queue, List.of(id));
    }

    /** Asks the same for several tasks at once. @param ids one or more */
    public CompletableFuture<Request> cancel(String queue, List<String> ids) {
        return cancels.send(queue, ids).thenApply(Request::new);
    }

    /** Asks all executors for the tasks with this id. @param id as for {@link Registrant#find} */
    public CompletableFuture<Search> find(String queue, String id) {
        return finds.send(queue, List.of(id)).thenApply(sent -> new Search(queue, sent));
    }

    /** Asks all executors what they have of a key or a task. */
    public CompletableFuture<Search> explain(String queue, HeldQuestion question) {
        return find(queue, question.text());
    }

    private static CompletionStage<List<String>> answer(Registrant executor, String queue, String asked) {
        HeldQuestion question = HeldQuestion.read(asked).orElse(null);
        if (question == null) {
            return executor.find(queue, asked)
                    .thenApply(found -> found.stream().map(HeldTaskText::of).toList());
        }
        return executor.explain(queue, question)
                .thenApply(answer -> Stream.concat(
                                answer.tasks().stream().map(HeldTaskText::of),
                                answer.partitions().stream().map(HeldPartitionText::of))
                        .toList());
    }

    /** Has an executor look for requests, until the returned object is closed. */
    AutoCloseable listen(Registrant executor) {
        AutoCloseable listensToCancels =
                cancels.listen((queue, id) -> executor.cancel(queue, id).thenApply(cancelled -> {
                    if (!cancelled.isEmpty()) {
                        log.info("Queue {}: an operator has cancelled the tasks {}", queue, cancelled);
                    }
                    return cancelled;
                }));
        AutoCloseable listensToFinds = finds.listen((queue, asked) -> answer(executor, queue, asked));
        return () -> {
            listensToCancels.close();
            listensToFinds.close();
        };
    }
}
