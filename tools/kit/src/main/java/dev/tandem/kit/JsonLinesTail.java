package dev.tandem.kit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;

/**
 * Reads a file of a {@link JsonLinesLog} from its beginning, and on while it grows. A last line without its line break
 * is left for the next call: the writer may be about to finish it, or was killed. Not thread-safe.
 *
 * @param <E> the type of the events
 */
public final class JsonLinesTail<E> {

    private final Path file;
    private final ObjectReader reader;
    private long position;

    /** Creates a tail for a file that may not exist yet. */
    public JsonLinesTail(Path file, Class<E> type) {
        this.file = file;
        this.reader = JsonLines.MAPPER.readerFor(type);
    }

    /**
     * Returns the events that were written since the last call.
     *
     * @throws IllegalArgumentException if a line is not an event; the message has the file and the line
     */
    public List<E> next() {
        return Files.exists(file) ? newLines().lines().map(this::event).toList() : List.of();
    }

    private E event(String line) {
        try {
            return reader.readValue(line);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(file + " has a line that is not an event: " + line, e);
        }
    }

    private String newLines() {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] bytes = new byte[Math.toIntExact(in.length() - position)];
            in.seek(position);
            in.readFully(bytes);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--;
            }
            position += end;
            return new String(bytes, 0, end, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
