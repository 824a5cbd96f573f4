package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads the groups of dead tasks. Costs the same however many dead tasks there are. Thread-safe. */
final class DeadGroupReader {

    private static final int FIELDS = 5;

    private final AdminConnection connection;

    DeadGroupReader(AdminConnection connection) {
        this.connection = connection;
    }

    /** Returns those of a partition. @param most how many groups are returned */
    CompletableFuture<DeadGroups> of(Partition partition, int most) {
        return connection
                .runScript(Script.READ_DEAD_GROUPS, partition, bytes(Integer.toString(most)))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    long dead = in.number();
                    long grouped = in.number();
                    long halting = in.number();
                    int count = in.count();
                    List<DeadGroup> groups = new ArrayList<>();
                    while (in.hasMore()) {
                        groups.add(group(in.text(), in.bytes()));
                    }
                    return new DeadGroups(dead, Math.max(0, dead - grouped), halting, count > groups.size(), groups);
                });
    }

    private static DeadGroup group(String fingerprint, byte[] bytes) {
        // The length of the type is one of bytes.
        String record = new String(bytes, StandardCharsets.ISO_8859_1);
        long[] numbers = new long[FIELDS];
        int at = 0;
        for (int i = 0; i < FIELDS; i++) {
            int end = record.indexOf(' ', at);
            numbers[i] = Long.parseLong(record.substring(at, end));
            at = end + 1;
        }
        int error = at + Math.toIntExact(numbers[4]);
        return new DeadGroup(
                fingerprint,
                error == at ? null : new String(bytes, at, error - at, StandardCharsets.UTF_8),
                new String(bytes, error, bytes.length - error, StandardCharsets.UTF_8),
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3]);
    }
}
