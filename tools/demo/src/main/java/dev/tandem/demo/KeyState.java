package dev.tandem.demo;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/**
 * A key as the API shows it.
 *
 * @param why the reason for which it is blocked, or not known; null if it is neither
 * @param parked how many tasks wait behind its head
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record KeyState(
        boolean blocked,
        @Nullable String why,
        long parked,
        @Nullable HeadTask headTask) {

    /** The first task of the key. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    record HeadTask(@Nullable String id, @Nullable String state) {}

    /** Returns the state of a key that is not known. @param why the reason */
    static KeyState unknown(String why) {
        return new KeyState(false, why, 0, null);
    }

    /** Returns whether a dead task halts the key, and so many wait behind it. */
    boolean isHaltedBy(String id, long waiting) {
        return blocked
                && "halted".equals(why)
                && parked == waiting
                && headTask != null
                && id.equals(headTask.id())
                && "dead".equals(headTask.state());
    }
}
