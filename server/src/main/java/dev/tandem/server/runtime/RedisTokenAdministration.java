package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import dev.tandem.server.access.TokenAdministration;
import dev.tandem.server.access.TokenBook;
import java.util.List;

/** Shows and changes tokens in Redis on behalf of the API. */
final class RedisTokenAdministration implements TokenAdministration {

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
        await(known.renew());
        return added;
    }

    @Override
    public Revoked revoke(String id) {
        List<AccessToken> all = all();
        AccessToken token =
                all.stream().filter(each -> each.id().equals(id)).findFirst().orElse(null);
        if (token == null) {
            return Revoked.UNKNOWN;
        }
        if (isLasting(token)
                && all.stream().filter(RedisTokenAdministration::isLasting).count() == 1) {
            return Revoked.LAST_ADMIN;
        }
        boolean removed = await(book.remove(id));
        await(known.renew());
        return removed ? Revoked.REVOKED : Revoked.UNKNOWN;
    }

    private static boolean isLasting(AccessToken token) {
        return token.role() == Role.ADMIN && token.expiresAt() == null;
    }
}
