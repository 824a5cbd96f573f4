package dev.tandem.server.api;

import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.Role;
import dev.tandem.server.access.TokenAdministration;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.access.TokenText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Tokens in memory. */
final class InMemoryTokens implements TokenBook, TokenAdministration {

    private final Map<String, AccessToken> tokens = new ConcurrentHashMap<>();

    void reset() {
        tokens.clear();
    }

    /** Keeps a token and returns its text. */
    String token(Role role, @Nullable Instant expires, String... queues) {
        return token("the " + role.text(), role, expires, queues);
    }

    /** Keeps a token of this name and returns its text. */
    String named(String name, Role role) {
        return token(name, role, null);
    }

    private String token(String name, Role role, @Nullable Instant expires, String... queues) {
        TokenText text = TokenText.fresh();
        tokens.put(
                text.id(),
                new AccessToken(text.id(), name, role, List.of(queues), text.hash(), Instant.EPOCH, "a test", expires));
        return text.text();
    }

    @Override
    public CompletionStage<List<AccessToken>> list() {
        return CompletableFuture.completedFuture(List.copyOf(tokens.values()));
    }

    @Override
    public List<AccessToken> all() {
        return List.copyOf(tokens.values());
    }

    @Override
    public CompletionStage<Added> add(AccessToken token) {
        tokens.put(token.id(), token);
        return CompletableFuture.completedFuture(Added.ADDED);
    }

    @Override
    public CompletionStage<Added> addFirst(AccessToken token) {
        return CompletableFuture.completedFuture(Added.NOT_FIRST);
    }

    @Override
    public CompletionStage<Removed> remove(String id) {
        return CompletableFuture.completedFuture(revoke(id));
    }

    @Override
    public boolean create(AccessToken token) {
        tokens.put(token.id(), token);
        return true;
    }

    @Override
    public Removed revoke(String id) {
        return tokens.remove(id) == null ? Removed.UNKNOWN : Removed.REMOVED;
    }
}
