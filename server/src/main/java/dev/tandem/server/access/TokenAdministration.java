package dev.tandem.server.access;

import java.util.List;

/** Shows and changes the tokens of all servers. Thread-safe. */
public interface TokenAdministration {

    /** The most tokens that there may be. */
    int MOST = TokenBook.MOST;

    List<AccessToken> all();

    /** Keeps a new token. Gives false if there are too many. */
    boolean create(AccessToken token);

    /** Revokes a token. This server refuses it from now on, others within {@link KnownTokens#RENEWED_EVERY}. */
    TokenBook.Removed revoke(String id);
}
