package dev.tandem.server.runtime;

import dev.tandem.scheduler.AccessTokenBook;
import dev.tandem.scheduler.AccessTokenBook.Entry;
import dev.tandem.server.access.AccessToken;
import dev.tandem.server.access.Role;
import dev.tandem.server.access.TokenBook;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Keeps tokens in Redis, each as JSON with the hash of its secret. */
final class RedisTokens implements TokenBook {

    private static final Logger log = LoggerFactory.getLogger(RedisTokens.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final AccessTokenBook book;

    RedisTokens(AccessTokenBook book) {
        this.book = book;
    }

    @Override
    public CompletionStage<List<AccessToken>> list() {
        return book.list()
                .thenApply(entries -> entries.stream()
                        .map(RedisTokens::read)
                        .flatMap(Optional::stream)
                        .toList());
    }

    @Override
    public CompletionStage<Added> add(AccessToken token) {
        return add(token, false);
    }

    @Override
    public CompletionStage<Added> addFirst(AccessToken token) {
        return add(token, true);
    }

    private CompletionStage<Added> add(AccessToken token, boolean onlyFirst) {
        return book.add(write(token), MOST, onlyFirst).thenApply(added -> switch (added) {
            case ADDED -> Added.ADDED;
            case FULL -> Added.FULL;
            case NOT_FIRST -> Added.NOT_FIRST;
        });
    }

    @Override
    public CompletionStage<Removed> remove(String id) {
        return book.remove(id, Role.ADMIN.text()).thenApply(removed -> switch (removed) {
            case REMOVED -> Removed.REMOVED;
            case UNKNOWN -> Removed.UNKNOWN;
            case LAST -> Removed.LAST_ADMIN;
        });
    }

    private static Entry write(AccessToken token) {
        ObjectNode json = JSON.createObjectNode()
                .put("name", token.name())
                .put("hash", Base64.getEncoder().encodeToString(token.hash()))
                .put("createdAt", token.createdAt().toEpochMilli())
                .put("createdBy", token.createdBy());
        ArrayNode queues = json.putArray("queues");
        token.queues().forEach(queues::add);
        Instant expires = token.expiresAt();
        return new Entry(
                token.id(),
                token.role().text(),
                expires == null ? 0 : expires.toEpochMilli(),
                JSON.writeValueAsString(json));
    }

    /** Returns nothing for a token of a later version that this one cannot read. It gives no access here. */
    private static Optional<AccessToken> read(Entry entry) {
        try {
            JsonNode json = JSON.readTree(entry.definition());
            List<String> queues = new ArrayList<>();
            json.path("queues").forEach(queue -> queues.add(queue.asString()));
            return Role.of(entry.role())
                    .map(role -> new AccessToken(
                            entry.id(),
                            json.path("name").asString(),
                            role,
                            queues,
                            Base64.getDecoder().decode(json.path("hash").asString()),
                            Instant.ofEpochMilli(json.path("createdAt").asLong()),
                            json.path("createdBy").asString(),
                            entry.expiresAt() == 0 ? null : Instant.ofEpochMilli(entry.expiresAt())));
        } catch (JacksonException | IllegalArgumentException e) {
            log.debug("The token {} cannot be read", entry.id(), e);
            return Optional.empty();
        }
    }
}
