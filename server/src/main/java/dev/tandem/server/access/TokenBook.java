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
        /** There is a valid token of an admin already. */
        NOT_FIRST
    }

    CompletionStage<List<AccessToken>> list();

    CompletionStage<Added> add(AccessToken token);

    /** Keeps a token of an admin if there is none that is valid. */
    CompletionStage<Added> addFirst(AccessToken token);

    /** Revokes a token. Gives false if there is none with this id. */
    CompletionStage<Boolean> remove(String id);
}
