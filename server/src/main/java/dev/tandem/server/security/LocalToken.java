package dev.tandem.server.security;

import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.access.TokenText;
import dev.tandem.server.credentials.TokenFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that somebody can log in. If no valid token of an admin is known, it makes the first one and prints it, once. And it
 * keeps a token of an admin in a file that only the user of this process can read, so that commands of that user need nothing
 * else: whoever may start a server may do everything in Redis anyway. Not thread-safe.
 */
final class LocalToken {

    /** For how long a token in the file is good. It is replaced in time while a server runs. */
    static final Duration LIFETIME = Duration.ofDays(2);

    private static final Duration LEFT_AT_LEAST = Duration.ofHours(12);
    private static final Duration LOOKS_EVERY = Duration.ofMinutes(1);
    private static final long TIMEOUT_SECONDS = 10;

    private static final Logger log = LoggerFactory.getLogger(LocalToken.class);

    private final TokenBook book;
    private final KnownTokens known;
    private final InstantSource clock;
    private final String host;
    private final @Nullable Path file;
    private final PrintStream out;
    private Instant looksAgainAt = Instant.MIN;

    /**
     * @param host names this machine and the port of the server
     * @param file null if the first token is only printed, and no other one is made
     */
    LocalToken(
            TokenBook book, KnownTokens known, InstantSource clock, String host, @Nullable Path file, PrintStream out) {
        this.book = book;
        this.known = known;
        this.clock = clock;
        this.host = host;
        this.file = file;
        this.out = out;
    }

    /** Makes what is missing. Waits for Redis for {@value #TIMEOUT_SECONDS} s; what it did not answer is tried again later. */
    void turn() throws InterruptedException {
        try {
            if (!clock.instant().isBefore(looksAgainAt)) {
                makeFirst();
                if (file != null) {
                    seeTo(file);
                }
                looksAgainAt = clock.instant().plus(LOOKS_EVERY);
            }
        } catch (ExecutionException | TimeoutException e) {
            log.debug("Redis cannot say yet which tokens there are", e);
        } catch (IOException e) {
            looksAgainAt = clock.instant().plus(LOOKS_EVERY);
            log.warn("Commands have no token for this server, because {}: {}", file, e.getMessage());
        }
    }

    private void makeFirst() throws ExecutionException, TimeoutException, InterruptedException, IOException {
        TokenText text = TokenText.fresh();
        TokenBook.Added added = await(book.addFirst(token(text, "admin", null)));
        switch (added) {
            case ADDED -> {
                // Not by the logger: logs go to places that tokens must not reach.
                out.println(
                        "\nThe first token of the API, for an admin. It is shown once:\n\n    " + text.text() + "\n");
                out.flush();
                if (file != null) {
                    TokenFiles.write(file, text.text());
                }
            }
            case FULL ->
                log.error(
                        "There are {} tokens, the most there may be, and none is a valid one of an admin",
                        TokenBook.MOST);
            case NOT_FIRST -> {}
        }
    }

    private void seeTo(Path mine) throws ExecutionException, TimeoutException, InterruptedException, IOException {
        Optional<TokenText> present = TokenFiles.read(mine).flatMap(TokenText::parse);
        Instant enough = clock.instant().plus(LEFT_AT_LEAST);
        List<AccessToken> tokens = await(book.list());
        boolean isGood = present.isPresent()
                && tokens.stream()
                        .anyMatch(token -> token.id().equals(present.get().id())
                                && present.get().matches(token)
                                && token.isValidAt(enough));
        if (isGood) {
            return;
        }
        // The file first: if it cannot be written, no token is made that nobody has.
        TokenText text = TokenText.fresh();
        TokenFiles.write(mine, text.text());
        AccessToken token = token(text, "commands on " + host, clock.instant().plus(LIFETIME));
        for (AccessToken earlier : tokens) {
            if (earlier.name().equals(token.name()) && earlier.createdBy().equals(token.createdBy())) {
                await(book.remove(earlier.id()));
            }
        }
        if (await(book.add(token)) == TokenBook.Added.ADDED) {
            await(known.renew());
        } else {
            log.error("There are {} tokens, the most there may be: revoke some", TokenBook.MOST);
        }
    }

    private AccessToken token(TokenText text, String name, @Nullable Instant expires) {
        return new AccessToken(
                text.id(), name, Role.ADMIN, List.of(), text.hash(), clock.instant(), "the server on " + host, expires);
    }

    private static <T> T await(CompletionStage<T> answer)
            throws ExecutionException, TimeoutException, InterruptedException {
        return answer.toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
}
