package dev.tandem.scheduler;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XAddArgs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The latest changes that operators have made, as texts of the server, in one stream. Thread-safe. */
public final class AuditStream {

    private static final byte[] FIELD = bytes("entry");
    private static final String BEGINNING = "0-0";

    /** @param id its place in the stream: the milliseconds at which Redis got it, a hyphen, and a number */
    public record Entry(String id, String text) {}

    private final AdminConnection connection;
    private final byte[] key;

    AuditStream(AdminConnection connection, byte[] key) {
        this.connection = connection;
        this.key = key;
    }

    /** Appends entries in one round trip. @param most about how many are kept, the latest */
    public CompletableFuture<Void> append(List<String> texts, long most) {
        XAddArgs bound = new XAddArgs().maxlen(most).approximateTrimming();
        return CompletableFuture.allOf(texts.stream()
                .map(text -> connection.run(commands -> commands.xadd(key, bound, Map.of(FIELD, bytes(text)))))
                .toArray(CompletableFuture[]::new));
    }

    /**
     * Returns entries, the latest first.
     *
     * @param fromMillis the earliest time
     * @param before an id; only entries before it are returned. Null for the latest
     * @throws IllegalArgumentException if that is no id
     */
    public CompletableFuture<List<Entry>> page(long fromMillis, @Nullable String before, int max) {
        if (before != null && !before.matches("\\d{1,18}-\\d{1,18}")) {
            throw new IllegalArgumentException("'" + before + "' is no place in the audit log");
        } else if (BEGINNING.equals(before)) {
            return CompletableFuture.completedFuture(List.of()); // Redis refuses to look before it
        }
        Range.Boundary<String> end = before == null ? Range.Boundary.unbounded() : Range.Boundary.excluding(before);
        Range<String> range = Range.from(Range.Boundary.including(Long.toString(fromMillis)), end);
        return connection
                .run(commands -> commands.xrevrange(key, range, Limit.create(0, max)))
                .thenApply(messages -> messages.stream().map(AuditStream::entry).toList());
    }

    private static Entry entry(StreamMessage<byte[], byte[]> message) {
        // Keys are arrays here, so the one field is not found by its name.
        byte[] text = message.getBody().values().iterator().next();
        return new Entry(message.getId(), new String(text, StandardCharsets.UTF_8));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
