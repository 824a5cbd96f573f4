package dev.tandem.outbox;

import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Submits tasks by writing them in the calling thread's transaction. */
final class OutboxClient implements TaskClient {

    private final Outbox outbox;
    private final OutboxTransactions transactions;

    OutboxClient(Outbox outbox, OutboxTransactions transactions) {
        this.outbox = outbox;
        this.transactions = transactions;
    }

    @Override
    @SuppressWarnings("unchecked") // the reference is made for this request
    public <T> TaskRef<T> submit(TaskRequest<T> task) {
        return (TaskRef<T>) submitAll(List.of(task)).get(0);
    }

    @Override
    public List<TaskRef<?>> submitAll(List<? extends TaskRequest<?>> tasks) {
        List<OutboxRef<?>> refs = new ArrayList<>(tasks.size());
        try {
            List<String> ids = outbox.write(transactions.connection(), tasks);
            for (int i = 0; i < tasks.size(); i++) {
                refs.add(new OutboxRef<>(ids.get(i), tasks.get(i).queue()));
            }
        } catch (SQLException e) {
            throw new SubmitException(
                    "The task was not written to the outbox, so roll the transaction back: " + e.getMessage(), e);
        }
        transactions.afterEnd(() -> refs.forEach(OutboxRef::committed), () -> refs.forEach(OutboxRef::rolledBack));
        return List.copyOf(refs);
    }

    /** Does nothing: transactions and their connections belong to the application. */
    @Override
    public void close() {}
}
