package dev.tandem.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.credentials.TokenFiles;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tokens that a server makes by itself. */
class LocalTokenTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Book book = new Book();
    private Instant now = Instant.parse("2026-11-24T10:00:00Z");

    @TempDir
    Path folder;

    /** Tokens in memory. */
    private static final class Book implements TokenBook {
        private final List<AccessToken> tokens = new ArrayList<>();

        @Override
        public CompletionStage<List<AccessToken>> list() {
            return CompletableFuture.completedFuture(List.copyOf(tokens));
        }

        @Override
        public CompletionStage<Added> add(AccessToken token) {
            tokens.add(token);
            return CompletableFuture.completedFuture(Added.ADDED);
        }

        @Override
        public CompletionStage<Added> addFirst(AccessToken token) {
            return tokens.stream().anyMatch(each -> each.expiresAt() == null)
                    ? CompletableFuture.completedFuture(Added.NOT_FIRST)
                    : add(token);
        }

        @Override
        public CompletionStage<Removed> remove(String id) {
            tokens.removeIf(token -> token.id().equals(id));
            return CompletableFuture.completedFuture(Removed.REMOVED);
        }
    }

    private LocalToken on(String host, Path file) {
        return new LocalToken(
                book,
                new KnownTokens(book, () -> now, System::nanoTime),
                () -> now,
                host,
                file,
                new PrintStream(printed, true));
    }

    private void run(LocalToken token, Duration time) throws InterruptedException {
        for (Instant end = now.plus(time); now.isBefore(end); now = now.plusSeconds(30)) {
            token.turn();
        }
    }

    @Test
    void theFirstTokenIsPrintedOnceAndStaysInTheFile() throws Exception {
        Path file = folder.resolve("token");

        run(on("a:8080", file), Duration.ofHours(1));
        run(on("a:8080", file), Duration.ofHours(1));

        assertThat(book.tokens).hasSize(1);
        assertThat(printed.toString().split("tandem_", -1)).hasSize(2);
        assertThat(printed.toString()).contains(Files.readString(file).strip());
    }

    @Test
    void aServerKeepsOneTokenOfItsOwnForYears() throws Exception {
        run(on("a:8080", folder.resolve("a")), Duration.ofMinutes(1));
        LocalToken other = on("b:8080", folder.resolve("b"));

        for (int day = 0; day < 400; day++) {
            run(other, Duration.ofMinutes(2));
            now = now.plus(Duration.ofDays(1));
            assertThat(book.tokens).hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void aFileThatCannotBeWrittenCostsNoTokens() throws Exception {
        run(on("a:8080", folder.resolve("a")), Duration.ofMinutes(1));
        Path notAFolder = Files.writeString(folder.resolve("plain"), "");

        run(on("b:8080", notAFolder.resolve("token")), Duration.ofHours(20));

        assertThat(book.tokens).hasSize(1);
    }

    /** Two platforms whose servers share a home on a network, and a port. */
    @Test
    void aFileThatSomebodyElseOverwritesCostsNoTokens() throws Exception {
        Path file = folder.resolve("token");
        LocalToken mine = on("a:8080", file);

        for (int minute = 0; minute < 100; minute++) {
            run(mine, Duration.ofMinutes(1));
            TokenFiles.write(file, "tandem_ABCDEFGHJKLM_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
        }

        assertThat(book.tokens).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void afterALossOfAllTokensThereIsALastingOneAgain() throws Exception {
        Path file = folder.resolve("token");
        LocalToken token = on("a:8080", file);
        run(token, Duration.ofMinutes(1));
        book.tokens.clear();

        run(token, Duration.ofMinutes(2));

        assertThat(book.tokens).anyMatch(each -> each.expiresAt() == null);
        assertThat(printed.toString()).contains(Files.readString(file).strip());
    }
}
