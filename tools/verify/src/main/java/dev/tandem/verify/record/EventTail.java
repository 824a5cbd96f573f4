package dev.tandem.verify.record;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads an event file from its beginning, on while it grows. A last line without its end is left for the next time: it
 * may be half of an event, of a process that is writing or that was killed. Not thread-safe.
 */
public final class EventTail {

    private final Path file;
    private long read;

    public EventTail(Path file) {
        this.file = file;
    }

    /** All events of all files of a folder that end in {@code .events}, in the order of their times. */
    public static List<Event> readAll(Path folder) {
        List<Event> events = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(each -> each.toString().endsWith(".events"))
                    .sorted()
                    .forEach(each -> events.addAll(new EventTail(each).next()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        events.sort(Comparator.comparingLong(Event::at));
        return events;
    }

    /**
     * What has come since the last call.
     *
     * @throws IllegalArgumentException if a whole line is not an event, naming the file
     */
    public List<Event> next() {
        if (!Files.exists(file)) {
            return List.of();
        }
        byte[] bytes = rest();
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        read += end;
        return new String(bytes, 0, end, StandardCharsets.UTF_8)
                .lines()
                .map(this::decode)
                .toList();
    }

    private Event decode(String line) {
        try {
            return EventJson.decode(line);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private byte[] rest() {
        try (FileChannel channel = FileChannel.open(file)) {
            int size = Math.toIntExact(Math.max(0, channel.size() - read));
            ByteBuffer buffer = ByteBuffer.allocate(size);
            while (buffer.hasRemaining() && channel.read(buffer, read + buffer.position()) >= 0) {
                // Until all is there.
            }
            byte[] bytes = new byte[buffer.position()];
            buffer.flip().get(bytes);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
