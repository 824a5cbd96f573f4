package dev.tandem.scheduler;

import dev.tandem.scheduler.ExecutorRequests.Answer;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.Registration.Registrant;
import dev.tandem.task.store.RunningTask;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks executors for the tasks that they have in their memory, and to cancel those that they run. Thread-safe. */
public final class RunningTasks {

    private static final Logger log = LoggerFactory.getLogger(RunningTasks.class);

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;
    private final ExecutorRequests cancels;
    private final ExecutorRequests finds;

    RunningTasks(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.wakeups = wakeups;
        RedisKeys keys = connection.keys();
        cancels = new ExecutorRequests(connection, wakeups, keys.cancels(), keys.cancelChannel());
        finds = new ExecutorRequests(connection, wakeups, keys.finds(), keys.findChannel());
    }

    /** Returns questions to executors that have a hash and a channel of their own, for tests. */
    ExecutorRequests requestsOn(byte[] hash, String channel) {
        return new ExecutorRequests(connection, wakeups, hash, channel);
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

        /** Forgets the search and its answers. */
        public CompletableFuture<Void> close() {
            return sent.close();
        }
    }

    /** A question, which executors answer until it is closed. */
    public static final class Question {

        private final String queue;
        private final ExecutorRequests.Request sent;

        private Question(String queue, ExecutorRequests.Request sent) {
            this.queue = queue;
            this.sent = sent;
        }

        /** Returns what executors have answered so far. */
        public CompletableFuture<HeldAnswer> answer() {
            return sent.answersOfEach().thenApply(answers -> {
                List<String> lines =
                        answers.values().stream().flatMap(List::stream).toList();
                return new HeldAnswer(
                        lines.stream()
                                .flatMap(line -> HeldTaskText.read(queue, line).stream())
                                .toList(),
                        answers.values().stream()
                                .flatMap(its -> PartitionReport.read(its).stream())
                                .toList(),
                        answers.keySet());
            });
        }

        /** Forgets the question and its answers. */
        public CompletableFuture<Void> close() {
            return sent.close();
        }
    }

    /** A question for the tasks that executors run, which they answer until it is closed. */
    public static final class Running {

        private final String queue;
        private final ExecutorRequests.Request sent;

        private Running(String queue, ExecutorRequests.Request sent) {
            this.queue = queue;
            this.sent = sent;
        }

        /** Returns the tasks of each executor that has answered so far. */
        public CompletableFuture<Map<String, List<RunningTask>>> answers() {
            return sent.answersOfEach().thenApply(answers -> {
                Map<String, List<RunningTask>> tasks = new LinkedHashMap<>();
                answers.forEach((executor, lines) -> tasks.put(
                        executor,
                        lines.stream()
                                .flatMap(line -> RunningTaskText.read(queue, line).stream())
                                .toList()));
                return tasks;
            });
        }

        /** Forgets the question and its answers. */
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

    /** Asks what executors have of a key or a task. @param executors those whose answers are read */
    public CompletableFuture<Question> held(String queue, HeldQuestion question, Set<String> executors) {
        return finds.ask(queue, question.text(), executors).thenApply(sent -> new Question(queue, sent));
    }

    /** Asks executors which tasks of a queue they run. */
    public CompletableFuture<Running> running(String queue, Set<String> executors) {
        return finds.ask(queue, RunningTaskText.QUESTION, executors).thenApply(sent -> new Running(queue, sent));
    }

    private static CompletionStage<Answer> answer(Registrant executor, String queue, String asked) {
        if (asked.equals(RunningTaskText.QUESTION)) {
            return executor.running(queue)
                    .thenApply(running -> new Answer(
                            executor.id(),
                            running.stream().map(RunningTaskText::of).toList()));
        }
        HeldQuestion question = HeldQuestion.read(asked).orElse(null);
        if (question == null) {
            return executor.find(queue, asked)
                    .thenApply(found -> new Answer(
                            null, found.stream().map(HeldTaskText::of).toList()));
        }
        return executor.held(queue, question)
                .thenApply(answer -> new Answer(
                        executor.id(),
                        Stream.concat(
                                        answer.tasks().stream().map(HeldTaskText::of),
                                        answer.partitions().stream().flatMap(PartitionReport::lines))
                                .toList()));
    }

    /** Has an executor look for requests, until the returned object is closed. */
    AutoCloseable listen(Registrant executor) {
        AutoCloseable listensToCancels =
                cancels.listen((queue, id) -> executor.cancel(queue, id).thenApply(cancelled -> {
                    if (!cancelled.isEmpty()) {
                        log.info("Queue {}: an operator has cancelled the tasks {}", queue, cancelled);
                    }
                    return new Answer(null, cancelled);
                }));
        AutoCloseable listensToFinds = finds.listen((queue, asked) -> answer(executor, queue, asked));
        return () -> {
            listensToCancels.close();
            listensToFinds.close();
        };
    }
}
