package dev.tandem.outbox;

import dev.tandem.api.SubmitException;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Submits tasks by writing them in the calling thread's transaction. */
final class OutboxClient implements TaskClient {

    private final Outbox outbox;
    private final OutboxTransactions transactions;
    private final List<SubmitInterceptor> interceptors;

    OutboxClient(Outbox outbox, OutboxTransactions transactions, List<SubmitInterceptor> interceptors) {
        this.outbox = outbox;
        this.transactions = transactions;
        this.interceptors = List.copyOf(interceptors);
    }

    /** The tasks of one call. */
    private static final class Submissions {
        final List<TaskRequest<?>> tasks = new ArrayList<>();
        final List<OutboxRef<?>> refs = new ArrayList<>();

        TaskRef<?> add(TaskRequest<?> task) {
            String given = task.options().id();
            String id = given != null ? given : UUID.randomUUID().toString();
            tasks.add(given != null ? task : task.with(TaskOptions.id(id)));
            OutboxRef<?> ref = new OutboxRef<>(id, task.queue());
            refs.add(ref);
            return ref;
        }

        void committed() {
            refs.forEach(OutboxRef::committed);
        }

        void rolledBack() {
            refs.forEach(OutboxRef::rolledBack);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // the reference is made for this request
    public <T> TaskRef<T> submit(TaskRequest<T> task) {
        return (TaskRef<T>) submitAll(List.of(task)).get(0);
    }

    @Override
    public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
        Submissions submissions = new Submissions();
        try {
            List<TaskRef<?>> refs = new ArrayList<>(tasks.size());
            tasks.forEach(each -> refs.add(submit(0, each, submissions)));
            List<Outbox.Written> rows = outbox.check(submissions.tasks);
            transactions.write(
                    connection -> outbox.insert(connection, rows), submissions::committed, submissions::rolledBack);
            return refs;
        } catch (SQLException e) {
            submissions.rolledBack();
            throw new SubmitException(
                    "The task was not written to the outbox, so roll the transaction back: " + e.getMessage(), e);
        } catch (RuntimeException | Error e) {
            submissions.rolledBack();
            throw e;
        }
    }

    private TaskRef<?> submit(int interceptor, TaskRequest<?> task, Submissions submissions) {
        if (interceptor == interceptors.size()) {
            return submissions.add(task);
        }
        SubmitInterceptor around = interceptors.get(interceptor);
        return Objects.requireNonNull(
                around.around(task, next -> submit(interceptor + 1, next, submissions)),
                () -> around + " returned null: return what next returned");
    }

    /** Does nothing: transactions and their connections belong to the application. */
    @Override
    public void close() {}
}
