package dev.tandem.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long sessions last, and how many there are. */
class SessionLimitsTest {

    private final FewTokens book = new FewTokens();
    private Instant now = Instant.parse("2026-11-24T10:00:00Z");
    private final KnownTokens tokens = new KnownTokens(book, () -> now, System::nanoTime);
    private final Sessions sessions = new Sessions(tokens, Duration.ofMinutes(30), Duration.ofHours(12), () -> now);

    @BeforeEach
    void read() {
        book.put("a", null);
        book.put("b", now.plus(Duration.ofHours(1)));
        tokens.renew();
    }

    @Test
    void aSessionThatIsNotUsedEnds() {
        String secret = sessions.open(owner("a"));
        for (int i = 0; i < 5; i++) {
            now = now.plus(Duration.ofMinutes(29));
            assertThat(sessions.find(secret)).isPresent();
        }

        now = now.plus(Duration.ofMinutes(30));

        assertThat(sessions.find(secret)).isEmpty();
    }

    @Test
    void aPageThatFollowsByItselfDoesNotKeepASession() {
        String secret = sessions.open(owner("a"));
        now = now.plus(Duration.ofMinutes(29));
        assertThat(sessions.look(secret)).isPresent();

        now = now.plus(Duration.ofMinutes(2));

        assertThat(sessions.look(secret)).isEmpty();
    }

    @Test
    void noSessionLastsForever() {
        String secret = sessions.open(owner("a"));
        for (Instant end = now.plus(Duration.ofHours(12)); now.isBefore(end); now = now.plus(Duration.ofMinutes(20))) {
            assertThat(sessions.find(secret)).isPresent();
        }

        assertThat(sessions.find(secret)).isEmpty();
    }

    @Test
    void aSessionEndsWhenItsTokenExpires() {
        String secret = sessions.open(owner("b"));
        now = now.plus(Duration.ofMinutes(25));
        assertThat(sessions.find(secret)).isPresent();
        now = now.plus(Duration.ofMinutes(25));
        assertThat(sessions.find(secret)).isPresent();

        now = now.plus(Duration.ofMinutes(10));

        assertThat(sessions.find(secret)).isEmpty();
    }

    @Test
    void aTokenHasTenSessionsTheLatestUsed() {
        String kept = sessions.open(owner("a"));
        String unused = sessions.open(owner("a"));
        for (int i = 2; i < Sessions.MOST_OF_OWNER; i++) {
            sessions.open(owner("a"));
        }
        sessions.find(kept);

        sessions.open(owner("a"));

        assertThat(sessions.find(kept)).isPresent();
        assertThat(sessions.find(unused)).isEmpty();
    }

    @Test
    void theNumberOfAllSessionsIsBounded() {
        List<String> secrets = new ArrayList<>();
        for (int i = 0; i < Sessions.MOST + 50; i++) {
            secrets.add(sessions.open(new Caller("user " + i, Role.VIEWER, List.of(), null, Caller.By.OIDC)));
        }

        assertThat(secrets.stream().filter(secret -> sessions.find(secret).isPresent()))
                .hasSize(Sessions.MOST);
        assertThat(sessions.find(secrets.get(0))).isEmpty();
    }

    @Test
    void onlyTheSecretFindsASession() {
        String secret = sessions.open(owner("a"));

        assertThat(sessions.find(secret.substring(1))).isEmpty();
        assertThat(sessions.find(secret + "A")).isEmpty();
        assertThat(sessions.find("")).isEmpty();
        assertThat(sessions.find(secret))
                .hasValueSatisfying(caller -> assertThat(caller.token()).isEqualTo("a"));
        sessions.close(secret);
        assertThat(sessions.find(secret)).isEmpty();
    }

    @Test
    void aCodeIsGoodOnceAndForAMinute() {
        OneTimeCodes codes = new OneTimeCodes(tokens, () -> now);
        String spent = codes.make("a");
        assertThat(codes.spend(spent)).isPresent();
        assertThat(codes.spend(spent)).isEmpty();

        String late = codes.make("a");
        now = now.plus(OneTimeCodes.LIFETIME);
        assertThat(codes.spend(late)).isEmpty();
    }

    @Test
    void anOwnerPushesOutItsOwnCodesOnly() {
        OneTimeCodes codes = new OneTimeCodes(tokens, () -> now);
        String other = codes.make("b");
        String first = codes.make("a");
        List<String> later = new ArrayList<>();
        for (int i = 0; i < OneTimeCodes.MOST_OF_OWNER; i++) {
            later.add(codes.make("a"));
        }

        assertThat(codes.spend(first)).isEmpty();
        assertThat(codes.spend(later.get(0))).isPresent();
        for (int i = 0; i < OneTimeCodes.MOST; i++) {
            codes.make("a");
        }
        assertThat(codes.spend(other)).isPresent();
    }

    private static Caller owner(String token) {
        return new Caller(token, Role.VIEWER, List.of(), token, Caller.By.SESSION);
    }
}
