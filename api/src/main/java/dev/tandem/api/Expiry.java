package dev.tandem.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Writes when a task expires as its headers, which executors read. */
final class Expiry {

    private static final String EXPIRES_AT = "tandem-expires-at";
    private static final String TTL = "tandem-ttl";

    private Expiry() {}

    static Map<String, String> at(Instant value) {
        return Map.of(EXPIRES_AT, Long.toString(Math.max(1, value.toEpochMilli())));
    }

    static Map<String, String> ttl(Duration value) {
        return Map.of(TTL, Long.toString(value.toMillis()));
    }

    /** Whether a header is one that this class has written. */
    static boolean isOne(String name, String value) {
        return (name.equals(EXPIRES_AT) || name.equals(TTL)) && value.matches("[1-9][0-9]{0,14}");
    }
}
