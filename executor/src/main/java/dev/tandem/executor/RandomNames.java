package dev.tandem.executor;

import java.util.UUID;

/** Makes names that no other process has. */
final class RandomNames {

    private RandomNames() {}

    /** Returns random hexadecimal digits, at most 32. */
    static String hex(int digits) {
        return UUID.randomUUID().toString().replace("-", "").substring(0, digits);
    }
}
