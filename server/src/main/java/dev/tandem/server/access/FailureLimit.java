package dev.tandem.server.access;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bounds how often an address may fail to log in: {@value #BURST} times at once, and then once in {@value #SECONDS_EACH} s.
 * Good tokens are not counted and always pass, so that nobody is locked out by a neighbour behind the same address.
 * Remembers the latest {@value #MAX_ADDRESSES} addresses. Thread-safe.
 */
public final class FailureLimit {

    /** After how many seconds an address that failed too often may fail once more. */
    public static final int SECONDS_EACH = 3;

    static final int BURST = 20;
    static final int MAX_ADDRESSES = 10_000;

    private static final long NANOS_EACH = Duration.ofSeconds(SECONDS_EACH).toNanos();

    /** By address, until when its failures count, in nanoseconds. The one that failed longest ago is first. */
    private final Map<String, Long> spentUntil = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_ADDRESSES;
        }
    };

    /**
     * Counts a failure.
     *
     * @param now in nanoseconds from any beginning
     * @return whether the address has failed too often
     */
    public synchronized boolean isOverAfter(String address, long now) {
        String counted = network(address);
        Long before = spentUntil.get(counted);
        long from = before == null || before - now < 0 ? now : before;
        if (from - now > (BURST - 1) * NANOS_EACH) {
            return true;
        }
        spentUntil.put(counted, from + NANOS_EACH);
        return false;
    }

    /** Returns the network of an IPv6 address: a client can choose the other half of it. */
    public static String network(String address) {
        String[] groups = address.split(":", -1);
        return groups.length == 8 ? String.join(":", groups[0], groups[1], groups[2], groups[3]) : address;
    }
}
