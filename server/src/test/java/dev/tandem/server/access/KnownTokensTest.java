package dev.tandem.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The tokens in the memory of a server. */
class KnownTokensTest {

    private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");

    private final AtomicLong nanos = new AtomicLong();
    private final Book book = new Book();
    private final KnownTokens known = new KnownTokens(book, () -> NOW, nanos::get);

    /** A book that may not answer. */
    private static final class Book extends FewTokens {
        private boolean answers = true;
        private int asked;

        @Override
        public CompletionStage<List<AccessToken>> list() {
            asked++;
            return answers ? super.list() : CompletableFuture.failedFuture(new IllegalStateException("Redis is down"));
        }
    }

    private TokenText keep(Instant expires) {
        TokenText text = TokenText.fresh();
        book.tokens.add(new AccessToken(text.id(), "ci", Role.VIEWER, List.of(), text.hash(), NOW, "admin", expires));
        return text;
    }

    @Test
    void aNewTokenIsKnownAtItsFirstUse() {
        known.renew();
        TokenText text = keep(null);

        assertThat(known.check(text.text()))
                .isEqualTo(new KnownTokens.Good(book.tokens.get(0).caller(Caller.By.TOKEN)));
        assertThat(known.check(text.text())).isInstanceOf(KnownTokens.Good.class);
        assertThat(book.asked).as("only for the token that was not known").isEqualTo(2);
    }

    @Test
    void whatIsKnownCountsWhileNobodyAnswers() {
        TokenText text = keep(null);
        known.renew();
        book.answers = false;
        known.renew();

        assertThat(known.check(text.text())).isInstanceOf(KnownTokens.Good.class);
    }

    @Test
    void withoutAnAnswerNoTokenIsCalledBad() {
        book.answers = false;

        assertThat(known.check(TokenText.fresh().text())).isEqualTo(new KnownTokens.Unavailable());
    }

    @Test
    void unknownTokensCanMakeItAskTenTimesInASecondOnly() {
        for (int i = 0; i < 100; i++) {
            assertThat(known.check(TokenText.fresh().text())).isInstanceOf(KnownTokens.Bad.class);
        }
        assertThat(book.asked).isEqualTo(10);

        nanos.addAndGet(1_000_000_000);
        known.check(TokenText.fresh().text());
        assertThat(book.asked).isEqualTo(11);
    }

    @Test
    void expiredRevokedAndForgedTokensAreBad() {
        TokenText expired = keep(NOW);
        TokenText good = keep(NOW.plusSeconds(1));
        TokenText forged = new TokenText(good.id(), expired.secret());

        assertThat(known.check(good.text())).isInstanceOf(KnownTokens.Good.class);
        assertThat(known.check(expired.text())).asString().contains("expired");
        assertThat(known.check(forged.text())).isInstanceOf(KnownTokens.Bad.class);
        assertThat(known.check("")).isInstanceOf(KnownTokens.Bad.class);

        book.tokens.clear();
        known.renew();
        assertThat(known.check(good.text())).isInstanceOf(KnownTokens.Bad.class);
    }

    @Test
    void secretsAreInNoText() {
        TokenText text = keep(null);

        assertThat(text.toString() + book.tokens + known.check(text.text())).doesNotContain(text.secret());
    }
}
