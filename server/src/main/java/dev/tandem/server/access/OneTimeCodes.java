package dev.tandem.server.access;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Codes with which the owner of a token logs in once in a browser, so that nobody pastes tokens. A code is good for {@link
 * #LIFETIME}, at this server. There are {@value #MOST_OF_OWNER} of each owner and {@value #MOST} in all, the latest. Thread-safe.
 */
public final class OneTimeCodes {

    public static final Duration LIFETIME = Duration.ofSeconds(60);

    static final int MOST = 1_000;
    static final int MOST_OF_OWNER = 10;

    private static final int CODE_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private record Code(String token, Instant endsAt) {}

    private final KnownTokens tokens;
    private final InstantSource clock;
    private final Map<String, Code> codes = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Code> eldest) {
            return size() > MOST;
        }
    };

    public OneTimeCodes(KnownTokens tokens, InstantSource clock) {
        this.tokens = tokens;
        this.clock = clock;
    }

    /** Makes a code for the owner of this token. */
    public synchronized String make(String token) {
        byte[] random = new byte[CODE_BYTES];
        RANDOM.nextBytes(random);
        List<String> ofOwner = codes.entrySet().stream()
                .filter(entry -> entry.getValue().token().equals(token))
                .map(Map.Entry::getKey)
                .toList();
        if (ofOwner.size() >= MOST_OF_OWNER) {
            codes.remove(ofOwner.get(0));
        }
        String code = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        codes.put(code, new Code(token, clock.instant().plus(LIFETIME)));
        return code;
    }

    /** Returns who logs in with this code, and spends it. Empty if it is not good any more, or its token is not. */
    public synchronized Optional<Caller> spend(String code) {
        Code kept = codes.remove(code);
        return kept == null || !clock.instant().isBefore(kept.endsAt())
                ? Optional.empty()
                : tokens.valid(kept.token()).map(token -> token.caller(Caller.By.SESSION));
    }
}
