package dev.tandem.server.security;

import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.Role;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.access.TokenText;
import dev.tandem.server.credentials.TokenFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a token for an admin if there is no valid one: when the first server of a platform starts, or after all were lost. The
 * secret is printed once, and written to a file that only the user of this process can read; kept is its hash. Not
 * thread-safe.
 */
final class FirstToken {

    private static final Logger log = LoggerFactory.getLogger(FirstToken.class);
    private static final long TIMEOUT_SECONDS = 10;

    private final TokenBook book;
    private final InstantSource clock;
    private final @Nullable Path file;
    private final PrintStream out;
    private boolean done;

    /** @param file null if the token is only printed */
    FirstToken(TokenBook book, InstantSource clock, @Nullable Path file, PrintStream out) {
        this.book = book;
        this.clock = clock;
        this.file = file;
        this.out = out;
    }

    /** Makes the token, if that has not been tried with success yet. Waits for Redis for {@value #TIMEOUT_SECONDS} s. */
    void make() {
        if (done) {
            return;
        }
        TokenText text = TokenText.fresh();
        AccessToken token = new AccessToken(
                text.id(), "admin", Role.ADMIN, List.of(), text.hash(), clock.instant(), "the first server", null);
        try {
            TokenBook.Added added = book.addFirst(token).toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            done = true;
            switch (added) {
                case ADDED -> tell(text);
                case FULL ->
                    log.error(
                            "There are {} tokens, and none of them is a valid one of an admin. Delete some in"
                                    + " Redis, and start the server again",
                            TokenBook.MOST);
                case NOT_FIRST -> {}
            }
        } catch (ExecutionException | TimeoutException | CompletionException e) {
            log.debug("Redis cannot say yet whether there is a token", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(TokenText text) {
        String where = "";
        if (file != null) {
            try {
                TokenFiles.write(file, text.text());
                where = "It is also in " + file + ", where commands on this machine find it.\n";
            } catch (IOException e) {
                log.warn(
                        "The first token cannot be written to {} ({}). Keep the one that is printed",
                        file,
                        e.toString());
            }
        }
        // Not by the logger: logs go to places that tokens must not reach.
        out.println("\nThe first token of the API, for an admin. It is shown only here, and only once:\n\n    "
                + text.text() + "\n\n" + where);
        out.flush();
    }
}
