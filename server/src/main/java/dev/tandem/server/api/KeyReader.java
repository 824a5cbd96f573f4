package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.Pauses;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads blocked keys for the API and the console, with the same bounds and masks. Thread-safe. */
public final class KeyReader {

    /** How many parked tasks a single key shows. */
    private static final int SHOWN_BEHIND = 10;

    /** The keys that need somebody come first. */
    private static final Comparator<KeyInfo> HALTED_FIRST = Comparator.comparing(key -> !key.isHalted());

    private final ConfiguredQueues queues;
    private final Inspection inspection;

    KeyReader(ConfiguredQueues queues, Inspection inspection) {
        this.queues = queues;
        this.inspection = inspection;
    }

    /**
     * Returns a page of the blocked keys.
     *
     * @param cursor null for the first page
     * @throws ApiException if there is no such queue, or a parameter is wrong
     */
    public Views.Keys list(String queue, @Nullable String cursor, int limit) {
        QueueSettings settings = queues.get(queue);
        Cursors cursors = Cursors.of("keys", queue);
        try {
            Page<KeyInfo> page = inspection.keys(queue, cursors.place(cursor), TaskReader.bounded(limit));
            Pauses pauses = Pauses.of(inspection, queue, settings.handler());
            return new Views.Keys(
                    page.items().stream()
                            .sorted(HALTED_FIRST)
                            .map(key -> Views.Key.of(key, headTask(queue, settings, pauses, key), null))
                            .toList(),
                    cursors.next(page.next()),
                    Views.partial(page));
        } catch (IllegalArgumentException e) {
            throw Cursors.refusal(e);
        }
    }

    /**
     * Returns a key, which is open if nothing blocks it, with the first tasks behind its head.
     *
     * @throws ApiException if there is no such queue
     */
    public Views.Key one(String queue, String key) {
        QueueSettings settings = queues.get(queue);
        Pauses pauses = Pauses.of(inspection, queue, settings.handler());
        List<Views.Key> found = inspection.key(queue, key).stream()
                .map(each -> Views.Key.of(
                        each, headTask(queue, settings, pauses, each), behind(queue, settings, pauses, each)))
                .toList();
        return found.isEmpty() ? Views.Key.open(key) : found.get(0).and(found.subList(1, found.size()));
    }

    private static Views.@Nullable Task headTask(String queue, QueueSettings settings, Pauses pauses, KeyInfo key) {
        return key.headTask() == null ? null : TaskViews.inList(queue, settings, pauses, key.headTask());
    }

    private @Nullable List<Views.Task> behind(String queue, QueueSettings settings, Pauses pauses, KeyInfo key) {
        if (key.parked() == 0) {
            return null;
        }
        return inspection.parkedBehind(queue, key.partition(), key.key(), SHOWN_BEHIND).stream()
                .map(task -> TaskViews.inList(queue, settings, pauses, task))
                .toList();
    }
}
