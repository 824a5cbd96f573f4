package dev.tandem.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of browsers, in the memory of this server. A session that began with a token has the token's id and not its rights,
 * so it ends when the token does. Each ends when it was not used for a while, and after a time in any case. There are {@value
 * #MOST_OF_OWNER} of each owner and {@value #MOST} in all: a further one ends the one that was not used for longest. Only hashes
 * of their secrets are kept, and found by them, so that no comparison tells how much of a guess was right. Thread-safe.
 */
public final class Sessions {

    static final int MOST_OF_OWNER = 10;
    static final int MOST = 1_000;

    private static final int SECRET_BYTES = 32;
    private static final int SECRET_CHARS = 43;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** @param user who logged in without a token; null for the owner of a token */
    private record Session(String owner, @Nullable Caller user, Instant endsAt, Instant idleAt) {

        boolean isOver(Instant now) {
            return !now.isBefore(endsAt) || !now.isBefore(idleAt);
        }
    }

    private final KnownTokens tokens;
    private final Duration idle;
    private final Duration longest;
    private final InstantSource clock;

    /** By the hash of the secret. The one that was not used for longest is first. */
    private final Map<String, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param idle how long a session lasts that is not used
     * @param longest how long it lasts in any case
     */
    public Sessions(KnownTokens tokens, Duration idle, Duration longest, InstantSource clock) {
        this.tokens = tokens;
        this.idle = idle;
        this.longest = longest;
        this.clock = clock;
    }

    /** Begins a session of whoever logged in, and returns its secret. */
    public String open(Caller caller) {
        byte[] random = new byte[SECRET_BYTES];
        RANDOM.nextBytes(random);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        String token = caller.token();
        Instant now = clock.instant();
        Session session = token == null
                ? new Session("user " + caller.name(), caller, now.plus(longest), now.plus(idle))
                : new Session(token, null, now.plus(longest), now.plus(idle));
        synchronized (this) {
            makeRoom(session.owner(), now);
            sessions.put(hash(secret), session);
        }
        return secret;
    }

    private void makeRoom(String owner, Instant now) {
        sessions.values().removeIf(session -> session.isOver(now));
        List<String> ofOwner = new ArrayList<>();
        sessions.forEach((hash, session) -> {
            if (session.owner().equals(owner)) {
                ofOwner.add(hash);
            }
        });
        if (ofOwner.size() >= MOST_OF_OWNER) {
            sessions.remove(ofOwner.get(0));
        }
        if (sessions.size() >= MOST) {
            Iterator<String> eldest = sessions.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    /** Returns whose session has this secret, and counts as a use of it. Empty if there is none, or none any more. */
    public Optional<Caller> find(String secret) {
        return find(secret, true);
    }

    /** Returns the same, and does not count as a use, so that the session does not last longer. */
    public Optional<Caller> look(String secret) {
        return find(secret, false);
    }

    private synchronized Optional<Caller> find(String secret, boolean counts) {
        if (secret.length() != SECRET_CHARS) {
            return Optional.empty();
        }
        String hash = hash(secret);
        Session session = sessions.get(hash);
        if (session == null) {
            return Optional.empty();
        }
        Instant now = clock.instant();
        Optional<Caller> caller = session.isOver(now) ? Optional.empty() : caller(session);
        if (caller.isEmpty()) {
            sessions.remove(hash);
        } else if (counts) {
            sessions.put(hash, new Session(session.owner(), session.user(), session.endsAt(), now.plus(idle)));
        }
        return caller;
    }

    private Optional<Caller> caller(Session session) {
        return session.user() == null
                ? tokens.valid(session.owner()).map(token -> token.caller(Caller.By.SESSION))
                : Optional.of(session.user());
    }

    /** Ends a session, if there is one with this secret. Returns whether there was. */
    public synchronized boolean close(String secret) {
        return sessions.remove(hash(secret)) != null;
    }

    private static String hash(String secret) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
