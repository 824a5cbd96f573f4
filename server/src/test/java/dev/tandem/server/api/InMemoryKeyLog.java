package dev.tandem.server.api;

import dev.tandem.kafka.LogPart;
import dev.tandem.kafka.LoggedTask;
import dev.tandem.server.inspect.KeyLog;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A log of which the test says what it has of any key. */
final class InMemoryKeyLog implements KeyLog {

    final List<String> reads = new ArrayList<>();
    List<LoggedTask> tasks = List.of();

    @Nullable
    RuntimeException failure;

    void reset() {
        reads.clear();
        tasks = List.of();
        failure = null;
    }

    @Override
    public LogPart read(String queue, String partition, String key, long before) {
        reads.add(queue + " " + partition + " " + key + " " + before);
        if (failure != null) {
            throw failure;
        }
        return new LogPart(3, 100, 40, 100, 60, 6_000, 1_700_000_000_000L, LogPart.Stop.RECORDS, tasks);
    }
}
