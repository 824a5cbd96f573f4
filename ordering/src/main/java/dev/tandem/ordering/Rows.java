package dev.tandem.ordering;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The rows of a partition that may go on, at most one of a key. Whatever must find a key at rest stops its row first. */
final class Rows {

    private final Map<String, Row> rows = new HashMap<>();
    private final Consumer<Row> stopper;

    /** @param stopper stops a row for good, and takes in what has begun of it */
    Rows(Consumer<Row> stopper) {
        this.stopper = stopper;
    }

    void add(Row row) {
        rows.put(row.key(), row);
    }

    void remove(Row row) {
        rows.remove(row.key(), row);
    }

    /** Stops the key's row, if it has one. */
    void stop(@Nullable String key) {
        Row row = key == null ? null : rows.get(key);
        if (row != null) {
            stopper.accept(row);
        }
    }

    void stopAll() {
        if (!rows.isEmpty()) {
            List.copyOf(rows.values()).forEach(stopper);
        }
    }
}
