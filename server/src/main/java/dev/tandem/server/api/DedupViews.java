package dev.tandem.server.api;

import dev.tandem.server.inspect.DedupKeyInfo;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How the API shows deduplication keys. Null components are left out of the JSON. */
final class DedupViews {

    private DedupViews() {}

    /**
     * A deduplication key. Only {@code key} and {@code taken} are there if nothing is known of it.
     *
     * @param taken whether a task with the key that comes now is a duplicate, in a queue where the first one runs
     */
    record DedupKey(
            String key,
            boolean taken,
            @Nullable Instant takenUntil,
            @Nullable String ref,
            @Nullable String id,
            @Nullable String state,
            @Nullable Instant since,
            @Nullable Instant dueAt,
            @Nullable Long others) {

        static DedupKey free(String key) {
            return new DedupKey(key, false, null, null, null, null, null, null, null);
        }

        static DedupKey of(String key, DedupKeyInfo info) {
            return new DedupKey(
                    key,
                    info.taken(),
                    info.takenUntil(),
                    info.ref().toString(),
                    info.id(),
                    info.state(),
                    info.since(),
                    info.dueAt(),
                    info.others());
        }
    }
}
