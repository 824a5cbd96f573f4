package dev.tandem.scheduler;

import dev.tandem.task.Position;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads a script's reply from its first element to its last. */
final class ReplyReader {
    private final List<?> items;
    private int at;

    ReplyReader(List<?> items) {
        this.items = items;
    }

    boolean hasMore() {
        return at < items.size();
    }

    long number() {
        return (Long) next();
    }

    int count() {
        return Math.toIntExact(number());
    }

    boolean flag() {
        return number() == 1;
    }

    byte[] bytes() {
        return (byte[]) next();
    }

    String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    byte @Nullable [] maybeBytes() {
        return (byte[]) items.get(at++);
    }

    @Nullable
    String maybeText() {
        byte[] bytes = maybeBytes();
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    Position position() {
        return new Position(text());
    }

    ReplyReader list() {
        return new ReplyReader((List<?>) next());
    }

    /** Reads the rest, one element at a time. */
    <T> List<T> all(Function<ReplyReader, T> element) {
        List<T> all = new ArrayList<>();
        while (hasMore()) {
            all.add(element.apply(this));
        }
        return all;
    }

    private Object next() {
        Object item = items.get(at++);
        if (item == null) {
            throw new IllegalStateException("A script's reply has no value at index " + (at - 1));
        }
        return item;
    }
}
