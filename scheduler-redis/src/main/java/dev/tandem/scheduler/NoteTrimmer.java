package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Removes what runs of tasks noted that are gone, a few entries of a partition in each round. Thread-safe. */
final class NoteTrimmer {

    /** How many entries one script looks at, each of which may be a checkpoint of some ten kilobytes. */
    private static final int PIECE_ENTRIES = 50;

    /** A note of this age belongs to a task that the store knows, or to none: the broker delivers a returned task soon. */
    private static final Duration AGE = Duration.ofDays(1);

    private static final String BEGINNING = "0";

    private record Place(String checkpoints, String progress) {
        static final Place FIRST = new Place(BEGINNING, BEGINNING);
    }

    private final AdminConnection connection;
    private final Map<Partition, Place> places = new ConcurrentHashMap<>();
    private final Duration age;

    NoteTrimmer(AdminConnection connection) {
        this(connection, AGE);
    }

    NoteTrimmer(AdminConnection connection, Duration age) {
        this.connection = connection;
        this.age = age;
    }

    /** Forgets where it stopped in all partitions but these. */
    void retain(Collection<Partition> partitions) {
        places.keySet().retainAll(partitions);
    }

    /** Goes on in one partition. Returns how many notes were removed. */
    CompletableFuture<Long> trim(Partition partition) {
        Place from = places.getOrDefault(partition, Place.FIRST);
        return connection
                .runScript(
                        Script.TRIM_NOTES,
                        partition,
                        bytes(from.checkpoints()),
                        bytes(from.progress()),
                        bytes(Integer.toString(PIECE_ENTRIES)),
                        bytes(Long.toString(age.toMillis())))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    places.put(partition, new Place(in.text(), in.text()));
                    return in.number();
                });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
