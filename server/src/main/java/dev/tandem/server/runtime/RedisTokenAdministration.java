package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.TokenAdministration;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.inspect.UnavailableException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows and changes tokens in Redis on behalf of the API. */
final class RedisTokenAdministration implements TokenAdministration {

    private static final Logger log = LoggerFactory.getLogger(RedisTokenAdministration.class);

    private final TokenBook book;
    private final KnownTokens known;

    RedisTokenAdministration(TokenBook book, KnownTokens known) {
        this.book = book;
        this.known = known;
    }

    @Override
    public List<AccessToken> all() {
        return await(book.list());
    }

    @Override
    public boolean create(AccessToken token) {
        boolean added = await(book.add(token)) == TokenBook.Added.ADDED;
        renew();
        return added;
    }

    @Override
    public TokenBook.Removed revoke(String id) {
        TokenBook.Removed removed = await(book.remove(id));
        renew();
        return removed;
    }

    /** What was done is done. A copy that cannot be renewed now is renewed soon. */
    private void renew() {
        try {
            await(known.renew());
        } catch (UnavailableException e) {
            log.debug("The copy of the tokens is not renewed yet", e);
        }
    }
}
