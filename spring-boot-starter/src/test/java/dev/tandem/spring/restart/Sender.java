package dev.tandem.spring.restart;

import dev.tandem.api.TaskHandler;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submits parcels, and keeps the last one that its handler got. Implements interfaces of the JDK, by which a test with other
 * classes than this one's can call it.
 */
public class Sender implements Consumer<String>, Supplier<@Nullable Object> {

    private final DepotTasks tasks;
    private volatile @Nullable Parcel last;

    Sender(DepotTasks tasks) {
        this.tasks = tasks;
    }

    @Override
    public void accept(String order) {
        tasks.send("c-7", new Parcel(order));
    }

    @TaskHandler(queue = "${depot.queue}", type = "send")
    void send(Parcel parcel) {
        last = parcel;
    }

    @Override
    public @Nullable Object get() {
        return last;
    }
}
