package dev.tandem.server.why;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.WaitReason;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The numbers that are in force of the limits for which tasks wait, and who has set them in place of the settings. Limits of which
 * they are not known are missing.
 *
 * @param permits how many tasks of a limit may run at once, by its name
 * @param rates how many tasks of a rate limit may begin in which time, by its name
 */
public record LimitNumbers(Map<String, Sentence> permits, Map<String, Sentence> rates) {

    public static final LimitNumbers NONE = new LimitNumbers(Map.of(), Map.of());

    /** Returns the limits of which these reasons want a permit. */
    public static Set<String> limits(Collection<WaitReason> reasons) {
        Set<String> names = new TreeSet<>();
        for (WaitReason reason : reasons) {
            if (reason instanceof WaitReason.Permits permits) {
                names.addAll(permits.limits());
            }
        }
        return names;
    }

    /** Returns the rate limits of which these reasons want a token. */
    public static Set<String> rateLimits(Collection<WaitReason> reasons) {
        Set<String> names = new TreeSet<>();
        for (WaitReason reason : reasons) {
            if (reason instanceof WaitReason.Token token) {
                names.add(token.limit());
            }
        }
        return names;
    }

    LimitInForce limit(String name) {
        return new LimitInForce(name, permits.get(name));
    }

    LimitInForce rateLimit(String name) {
        return new LimitInForce(name, rates.get(name));
    }
}
