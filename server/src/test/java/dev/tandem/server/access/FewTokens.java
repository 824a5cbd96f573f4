package dev.tandem.server.access;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A book with a few tokens, of viewers. */
class FewTokens implements TokenBook {

    final List<AccessToken> tokens = new ArrayList<>();

    void put(String id, @Nullable Instant expires) {
        tokens.add(new AccessToken(id, id, Role.VIEWER, List.of(), new byte[32], Instant.EPOCH, "a test", expires));
    }

    @Override
    public CompletionStage<List<AccessToken>> list() {
        return CompletableFuture.completedFuture(List.copyOf(tokens));
    }

    @Override
    public CompletionStage<Added> add(AccessToken token) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Added> addFirst(AccessToken token) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Removed> remove(String id) {
        throw new UnsupportedOperationException();
    }
}
