package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders.Binding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Submits tasks to Kafka and RabbitMQ, at least as safely as their own clients can: all in-sync replicas of Kafka, or
 * RabbitMQ's confirmation that a queue has the message.
 *
 * <p>The tasks of one key that one thread submits are accepted in that order. A task that fails leaves a gap, so whoever
 * needs the next one to wait has to await each.
 *
 * <p>Submitting waits where the client has no room, for five seconds at most; then {@link TaskRef#accepted} fails. Room is
 * the buffer of Kafka's producer (32 MiB, or two of the largest payloads), and 5,000 tasks or 39 MiB that RabbitMQ has not
 * confirmed. The first task of a Kafka topic waits for that topic, for 30 s at most. A task that is not acknowledged
 * within 30 s fails. What depends on {@code accepted} runs on a thread of the broker's client, so it must not block.
 */
public final class TandemClient implements TaskClient {

    /** How the tasks of a queue are sent. */
    record Route(Publisher publisher, boolean ordered, Binding binding) {

        Route(Publisher publisher, boolean ordered) {
            this(publisher, ordered, Binding.KAFKA);
        }
    }

    private final Map<String, Route> routes;
    private final Set<Publisher> publishers;
    private final TaskEncoder encoder;
    private final List<SubmitInterceptor> interceptors;
    private final HeldSubmissions held;
    private final TaskIds ids = new TaskIds();
    private volatile boolean closed;

    TandemClient(
            Map<String, Route> routes,
            TaskEncoder encoder,
            List<SubmitInterceptor> interceptors,
            TransactionBoundary transactions) {
        this.routes = routes;
        this.publishers = routes.values().stream().map(Route::publisher).collect(Collectors.toUnmodifiableSet());
        this.encoder = encoder;
        this.interceptors = List.copyOf(interceptors);
        this.held = new HeldSubmissions(transactions);
    }

    /** Returns a builder without queues. */
    public static TandemClientBuilder builder() {
        return new TandemClientBuilder();
    }

    @Override
    @SuppressWarnings("unchecked") // T is a promise of the request's maker, which nothing can check
    public <T> TaskRef<T> submit(TaskRequest<T> task) {
        requireOpen();
        if (held.mustHold()) {
            List<PreparedTask> prepared = new ArrayList<>(1);
            TaskRef<?> ref = prepareAll(prepared, () -> intercepted(task, prepared::add));
            held.hold(prepared);
            return (TaskRef<T>) ref;
        }
        return (TaskRef<T>) intercepted(task, each -> {
            each.send();
            each.submission().requireNotRefused();
        });
    }

    @Override
    public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
        requireOpen();
        List<PreparedTask> prepared = new ArrayList<>(tasks.size());
        List<TaskRef<?>> refs = prepareAll(prepared, () -> {
            List<TaskRef<?>> all = new ArrayList<>(tasks.size());
            for (TaskRequest<?> each : tasks) {
                all.add(intercepted(each, prepared::add));
            }
            return all;
        });
        if (held.mustHold()) {
            held.hold(prepared);
        } else {
            prepared.forEach(PreparedTask::send);
        }
        return refs;
    }

    /** Prepares submissions. If one of them fails, all others are given up. */
    private static <R> R prepareAll(List<PreparedTask> prepared, Supplier<R> preparation) {
        try {
            return preparation.get();
        } catch (RuntimeException | Error e) {
            String why = "The task was not submitted, because another one of the same call was refused";
            prepared.forEach(each -> each.submission().giveUp(why, e));
            throw e;
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("The task cannot be submitted: this client is closed");
        }
    }

    /** Passes a task through the interceptors, and then what became of it to {@code then}. */
    private TaskRef<?> intercepted(TaskRequest<?> task, Consumer<PreparedTask> then) {
        return interceptors.isEmpty() ? prepared(task, then) : next(0, then).submit(task);
    }

    private SubmitInterceptor.Next next(int index, Consumer<PreparedTask> then) {
        if (index == interceptors.size()) {
            return task -> prepared(task, then);
        }
        SubmitInterceptor interceptor = interceptors.get(index);
        return task -> Objects.requireNonNull(
                interceptor.around(task, next(index + 1, then)),
                () -> interceptor + " returned null: return what next returned");
    }

    private TaskRef<?> prepared(TaskRequest<?> request, Consumer<PreparedTask> then) {
        PreparedTask prepared = prepared(request);
        then.accept(prepared);
        return prepared.submission();
    }

    private PreparedTask prepared(TaskRequest<?> request) {
        Route route = route(routes, request);
        String given = request.options().id();
        long number = given == null ? ids.next() : 0;
        Task task = encoder.encode(request, given == null ? ids.id(number) : given, route.binding());
        Submission<?> submission =
                given == null ? new Submission<>(ids, number, task.queue()) : new Submission<>(given, task.queue());
        return new PreparedTask(submission, task.payload().length, publication(route, task));
    }

    /** @throws InvalidTaskException if the request's queue is unknown, or has no order although the request has a key */
    static Route route(Map<String, Route> routes, TaskRequest<?> request) {
        Route route = routes.get(request.queue());
        if (route == null) {
            throw new InvalidTaskException(
                    "The queue '" + request.queue() + "' is not among the queues of this client, " + routes.keySet()
                            + ": name it when the client is built, or use one of these");
        }
        if (request.key() != null && !route.ordered()) {
            throw new InvalidTaskException("The task has the key '" + request.key() + "', but the queue '"
                    + request.queue() + "' has no order (ordering: none): leave the key out, or order the queue, here"
                    + " and in its executors. In settings that is tandem.queues." + request.queue()
                    + ".ordering: key, in Java .queue(\"" + request.queue()
                    + "\").setting(\"ordering\", \"key\") of Tandem's builder, and orderedByHeader() of the"
                    + " RabbitSettings of a client");
        }
        return route;
    }

    private static Publication publication(Route route, Task task) {
        try {
            return route.publisher().prepare(task);
        } catch (Publisher.InvalidTaskException e) {
            throw new InvalidTaskException(message(e), e);
        } catch (PublishException e) {
            throw new SubmitException(message(e), e);
        }
    }

    private static String message(@Nullable Throwable problem) {
        String message = problem == null ? null : problem.getMessage();
        return message == null ? String.valueOf(problem) : message;
    }

    /** Returns what publishes on behalf of Tandem itself. It is closed with this client. */
    public TaskSender sender() {
        return new TaskSender(routes, encoder);
    }

    /**
     * Returns how many tasks failed after the ends of their transactions, since this client was built: their transactions were
     * committed, or nobody knows. Each is lost, unless it arrived all the same. The log names them.
     */
    public long lostAfterCommit() {
        return held.lost();
    }

    @Override
    public void close() {
        closed = true;
        // At the same time, since each may wait for its broker.
        CompletableFuture<?>[] closing = publishers.stream()
                .map(each -> CompletableFuture.runAsync(
                        each::close, command -> new Thread(command, "tandem-client-close").start()))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(closing).join();
    }

    /** Names the queues. */
    @Override
    public String toString() {
        return "TandemClient" + routes.keySet();
    }
}
