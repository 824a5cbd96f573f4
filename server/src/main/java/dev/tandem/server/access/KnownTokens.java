package dev.tandem.server.access;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tokens as this server knows them: a copy in memory, so that a request costs no round trip, and operators can log in
 * while Redis is down. The copy is renewed every {@link #RENEWED_EVERY}, and at once for a token that it lacks. So a token
 * that another server revoked is good here for that long, or until Redis answers again. Thread-safe.
 */
public final class KnownTokens {

    public static final Duration RENEWED_EVERY = Duration.ofSeconds(2);

    /** How often in a second unknown tokens can make this server ask. */
    private static final int MOST_RENEWALS = 10;

    /** How long a request waits for that, and how many of them at once: the others have what is known. */
    private static final long WAIT_MILLIS = 1_000;

    private static final int MOST_WAITING = 2;

    /** What a token is worth. */
    public sealed interface Check {}

    /** The token is good. */
    public record Good(Caller caller) implements Check {}

    /** The token is not good. @param reason for its owner */
    public record Bad(String reason) implements Check {}

    /** The tokens could not be read since this server started. */
    public record Unavailable() implements Check {}

    private record Copy(Map<String, AccessToken> tokens) {}

    private final TokenBook book;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Semaphore waiting = new Semaphore(MOST_WAITING);
    private volatile @Nullable Copy copy;
    private @Nullable CompletableFuture<Copy> renewing;
    private long secondBegan;
    private int renewalsOfSecond;

    /** @param nanos the time in nanoseconds from any beginning */
    public KnownTokens(TokenBook book, InstantSource clock, LongSupplier nanos) {
        this.book = book;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** Says what a token is worth. Waits up to a second if it has to be read first. */
    public Check check(String presented) {
        Optional<TokenText> text = TokenText.parse(presented);
        if (text.isEmpty()) {
            return new Bad("it has not the form of a token");
        }
        AccessToken token = find(text.get().id());
        if (token == null || !text.get().matches(token)) {
            return copy == null ? new Unavailable() : new Bad("there is no such token, or it was revoked");
        }
        return token.isValidAt(clock.instant())
                ? new Good(token.caller(Caller.By.TOKEN))
                : new Bad("it expired at " + token.expiresAt());
    }

    /** Returns the token with this id if it is good as far as this server knows. Waits for nothing. */
    public Optional<AccessToken> valid(String id) {
        Copy known = copy;
        return Optional.ofNullable(known == null ? null : known.tokens().get(id))
                .filter(token -> token.isValidAt(clock.instant()));
    }

    private @Nullable AccessToken find(String id) {
        Copy known = copy;
        AccessToken token = known == null ? null : known.tokens().get(id);
        if (token == null && mayRenew()) {
            known = awaited(renewed());
            token = known == null ? null : known.tokens().get(id);
        }
        return token;
    }

    private synchronized boolean mayRenew() {
        long now = nanos.getAsLong();
        if (renewalsOfSecond == 0 || now - secondBegan >= TimeUnit.SECONDS.toNanos(1)) {
            secondBegan = now;
            renewalsOfSecond = 0;
        }
        return renewalsOfSecond++ < MOST_RENEWALS;
    }

    private @Nullable Copy awaited(CompletableFuture<Copy> renewal) {
        if (!waiting.tryAcquire()) {
            return copy;
        }
        try {
            return renewal.get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return copy;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return copy;
        } finally {
            waiting.release();
        }
    }

    /** Reads all tokens again. */
    public CompletionStage<Void> renew() {
        return renewed().thenApply(read -> null);
    }

    /** Those who ask while it happens share one request. */
    private synchronized CompletableFuture<Copy> renewed() {
        CompletableFuture<Copy> current = renewing;
        if (current == null || current.isDone()) {
            current = book.list().thenApply(this::keep).toCompletableFuture();
            renewing = current;
        }
        return current;
    }

    private Copy keep(List<AccessToken> tokens) {
        Copy read =
                new Copy(tokens.stream().collect(Collectors.toUnmodifiableMap(AccessToken::id, Function.identity())));
        copy = read;
        return read;
    }
}
