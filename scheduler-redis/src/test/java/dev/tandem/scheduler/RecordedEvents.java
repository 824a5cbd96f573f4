package dev.tandem.scheduler;

import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that records what it is called with. */
final class RecordedEvents implements Store.Listener {

    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void answered(StoreRequest request, StoreAnswer answer) {
        events.add(answer.toString());
    }

    @Override
    public void down(String reason) {
        events.add("down");
    }

    @Override
    public void up() {
        events.add("up");
    }

    @Override
    public void woken() {}
}
