package dev.tandem.task.fanout;

/** The buckets over which fan-outs are spread. What is known of one is in one bucket, so that a store decides about it in one place. */
public final class FanOutBuckets {

    /** The number of buckets. Never change it: what is stored already would not be found. */
    public static final int COUNT = 8;

    private FanOutBuckets() {}

    /** Returns the bucket of a fan-out, 0 or more. */
    public static int of(String id) {
        return (id.hashCode() & Integer.MAX_VALUE) % COUNT;
    }
}
