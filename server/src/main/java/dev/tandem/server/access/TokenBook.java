package dev.tandem.server.access;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Keeps the tokens of all servers. A stage fails if what keeps them does not answer. */
public interface TokenBook {

    /** The most tokens that there may be. Each server has all of them in memory. */
    int MOST = 1_000;

    /** What became of a token that was to be kept. */
    enum Added {
        ADDED,
        /** There are {@link #MOST} already. */
        FULL,
        /** There is a token of an admin that never expires. */
        NOT_FIRST
    }

    /** What became of a token that was to be revoked. */
    enum Removed {
        REMOVED,
        UNKNOWN,
        /** It is the only one of an admin that never expires. */
        LAST_ADMIN
    }

    CompletionStage<List<AccessToken>> list();

    CompletionStage<Added> add(AccessToken token);

    /** Keeps a token of an admin if there is none that never expires. */
    CompletionStage<Added> addFirst(AccessToken token);

    /** Revokes a token, unless it is the last one of an admin that never expires. */
    CompletionStage<Removed> remove(String id);
}
