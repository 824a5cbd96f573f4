package dev.tandem.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Appends events to this process's file. Each event is one write, so that a killed process leaves whole lines.
 * Thread-safe.
 */
final class EventLog implements AutoCloseable {

    private final FileChannel file;

    EventLog(Path path) {
        try {
            Path folder = path.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("tandem.demo.events is '" + path + "', which cannot be written: " + e, e);
        }
    }

    void append(DemoEvent event) {
        ByteBuffer line = ByteBuffer.wrap(event.line().getBytes(StandardCharsets.UTF_8));
        try {
            synchronized (file) {
                while (line.hasRemaining()) {
                    file.write(line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
