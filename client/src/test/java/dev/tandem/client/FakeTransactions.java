package dev.tandem.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One transaction after another, whatever the thread. */
final class FakeTransactions implements TransactionBoundary {

    private final List<Consumer<Outcome>> actions = new ArrayList<>();
    private final Map<Object, Object> attachments = new HashMap<>();
    private boolean open;

    void begin() {
        open = true;
    }

    void end(Outcome outcome) {
        open = false;
        attachments.clear();
        List<Consumer<Outcome>> ended = List.copyOf(actions);
        actions.clear();
        ended.forEach(each -> each.accept(outcome));
    }

    /** Ends what was given since a savepoint, as a rollback to it does. The end of the transaction tells it again. */
    void rollBackSince(int savepoint) {
        actions.subList(savepoint, actions.size()).forEach(each -> each.accept(Outcome.ROLLED_BACK));
    }

    int savepoint() {
        return actions.size();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void onEnd(Consumer<Outcome> action) {
        actions.add(action);
    }

    @Override
    @SuppressWarnings("unchecked") // each owner asks for one type
    public <T> T attachment(Object owner, Supplier<T> maker) {
        return (T) attachments.computeIfAbsent(owner, each -> maker.get());
    }
}
