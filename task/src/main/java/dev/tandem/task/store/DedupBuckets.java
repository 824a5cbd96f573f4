package dev.tandem.task.store;

import dev.tandem.task.BusinessId;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * The buckets over which deduplication keys are spread. What is known of one key is in one bucket, whatever the partitions of
 * its tasks, so that a store decides about it in one place.
 */
public final class DedupBuckets {

    /** How many there are. Never change it: what is stored already would not be found. */
    public static final int COUNT = 4;

    private DedupBuckets() {}

    /** Returns the bucket of a business id, 0 or more. */
    public static int of(BusinessId id) {
        return of(id.queue(), id.key());
    }

    /** Returns the bucket of a deduplication key, 0 or more. */
    public static int of(String queue, String key) {
        CRC32 crc = new CRC32();
        crc.update(queue.getBytes(StandardCharsets.UTF_8));
        crc.update('/');
        crc.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % COUNT);
    }
}
