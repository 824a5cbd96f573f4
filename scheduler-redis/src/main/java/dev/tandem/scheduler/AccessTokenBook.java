package dev.tandem.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The records of tokens of the HTTP API. What a token may do is decided by the server. Thread-safe. */
public final class AccessTokenBook {

    /** What became of a token that was to be kept. */
    public enum Added {
        ADDED,
        FULL,
        NOT_FIRST
    }

    /** What became of a token that was to be forgotten. */
    public enum Removed {
        REMOVED,
        UNKNOWN,
        LAST
    }

    /**
     * A token as it is kept.
     *
     * @param role a word
     * @param expiresAt epoch milliseconds; 0 if it never expires
     * @param definition everything about it
     */
    public record Entry(String id, String role, long expiresAt, String definition) {}

    private final AdminConnection connection;

    AccessTokenBook(AdminConnection connection) {
        this.connection = connection;
    }

    /** Returns all tokens, in no order. */
    public CompletableFuture<List<Entry>> list() {
        return connection
                .run(commands -> commands.hgetall(connection.keys().accessTokens()))
                .thenApply(AccessTokenBook::entries);
    }

    /**
     * Keeps a token.
     *
     * @param most how many there may be
     * @param onlyFirst whether it is kept only if no token of its role is valid
     */
    public CompletableFuture<Added> add(Entry entry, int most, boolean onlyFirst) {
        String kept = entry.role() + " " + entry.expiresAt() + " " + entry.definition();
        byte[][] keys = {connection.keys().accessTokens()};
        return connection
                .runScript(
                        Script.ADD_ACCESS_TOKEN,
                        keys,
                        bytes(entry.id()),
                        bytes(kept),
                        bytes(Integer.toString(most)),
                        bytes(onlyFirst ? entry.role() : ""))
                .thenApply(reply -> Added.values()[new ReplyReader(reply).count()]);
    }

    /** Forgets a token. @param lasting the role of which one token that never expires has to stay */
    public CompletableFuture<Removed> remove(String id, String lasting) {
        byte[][] keys = {connection.keys().accessTokens()};
        return connection
                .runScript(Script.REMOVE_ACCESS_TOKEN, keys, bytes(id), bytes(lasting))
                .thenApply(reply -> Removed.values()[new ReplyReader(reply).count()]);
    }

    private static List<Entry> entries(Map<byte[], byte[]> hash) {
        List<Entry> entries = new ArrayList<>();
        hash.forEach((id, kept) -> {
            String[] parts = text(kept).split(" ", 3);
            // What somebody else wrote there is no token, and must not hide the others.
            if (parts.length == 3 && parts[1].matches("\\d{1,18}")) {
                entries.add(new Entry(text(id), parts[0], Long.parseLong(parts[1]), parts[2]));
            }
        });
        return entries;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
