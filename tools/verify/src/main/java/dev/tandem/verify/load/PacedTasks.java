package dev.tandem.verify.load;

import dev.tandem.verify.load.FeatureTasks.Chosen;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Tasks under a limit, and tasks under a rate limit. {@code lim-3-12} needs a permit, and {@code rate-9.2-1} a token of the
 * bucket {@code 9}. Tasks of a bucket come faster than they may begin, and have several ordering keys, so that several executors
 * run them.
 */
public final class PacedTasks {

    /** The type of tasks that need a permit. */
    public static final String LIMITED_TYPE = "limited";

    /** How many tasks of that type may run at once. */
    public static final int LIMIT = 5;

    /** The type of tasks that need a token. */
    public static final String RATED_TYPE = "rated";

    /** The header with the bucket of such a task. */
    public static final String BUCKET_HEADER = "verify-bucket";

    /** How many tasks of a bucket may begin in a second. */
    public static final int RATE = 5;

    /** How many of them may begin at once after a time without any. */
    public static final int BURST = 3;

    /** How many tasks an executor runs at once. */
    public static final int SLOTS = 64;

    private static final String LIMITED = "lim-";
    private static final String RATED = "rate-";

    private static final int LIMITED_KEYS = 40;
    private static final int RATED_KEYS = 6;
    /** The groups whose tasks share a bucket: 15 tasks that come within a second or two. */
    private static final int GROUPS_OF_BUCKET = 5;

    private PacedTasks() {}

    static Chosen limited(Random random) {
        return Chosen.of(LIMITED + random.nextInt(LIMITED_KEYS), 20L + random.nextInt(160));
    }

    static Chosen rated(int group, Random random) {
        return Chosen.of(RATED + group / GROUPS_OF_BUCKET + "." + random.nextInt(RATED_KEYS), 5);
    }

    /** Returns whether a task needs a permit. */
    public static boolean isLimited(String id) {
        return id.startsWith(LIMITED);
    }

    /** Returns the bucket of the rate limit that a task needs a token of; null if it needs none. */
    public static @Nullable String bucket(String id) {
        return id.startsWith(RATED) ? id.substring(RATED.length(), id.indexOf('.')) : null;
    }

    static @Nullable String type(String id) {
        return isLimited(id) ? LIMITED_TYPE : bucket(id) != null ? RATED_TYPE : null;
    }

    static Map<String, String> headers(String id) {
        String bucket = bucket(id);
        return bucket == null ? Map.of() : Map.of(BUCKET_HEADER, bucket);
    }
}
