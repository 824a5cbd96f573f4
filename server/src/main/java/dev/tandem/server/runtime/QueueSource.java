package dev.tandem.server.runtime;

import dev.tandem.server.settings.QueueSettings.SourceType;
import dev.tandem.task.Source;
import java.util.function.Supplier;

/**
 * A queue's way in, with what is known of its broker.
 *
 * @param reach asked from any thread, never waits
 */
record QueueSource(SourceType type, Source source, Supplier<Reachability> reach) {

    /**
     * @param reached whether tasks can come in
     * @param detail for people: why not, or where to
     */
    record Reachability(boolean reached, String detail) {}
}
