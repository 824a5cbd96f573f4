package dev.tandem.server.demo;

import dev.tandem.server.demo.DemoEvent.Kind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Follows the event files of some executors as they grow. Used by one thread. */
final class EventTail {

    private static final class Follower {
        final Path file;
        final List<DemoEvent> events = new ArrayList<>();
        long read;
        long open;
        String half = "";

        Follower(Path file) {
            this.file = file;
        }
    }

    private final Map<String, Follower> followers = new LinkedHashMap<>();
    private final Set<String> finished = new HashSet<>();
    private int failures;

    void follow(String executor, Path file) {
        followers.put(executor, new Follower(file));
    }

    /** Reads what is new. @return how many events that were */
    int read() {
        int count = 0;
        for (Follower follower : followers.values()) {
            for (String line : lines(follower)) {
                DemoEvent event = DemoEvent.parse(line).orElse(null);
                if (event != null) {
                    follower.events.add(event);
                    follower.open += event.kind().ends() ? -1 : 1;
                    count(event);
                    count++;
                }
            }
        }
        return count;
    }

    private void count(DemoEvent event) {
        failures += event.kind() == Kind.FAILURE ? 1 : 0;
        if (event.kind() == Kind.SUCCESS || event.kind() == Kind.DEAD) {
            finished.add(event.id());
        }
    }

    private static List<String> lines(Follower follower) {
        if (!Files.exists(follower.file)) {
            return List.of();
        }
        try (RandomAccessFile file = new RandomAccessFile(follower.file.toFile(), "r")) {
            byte[] more = new byte[(int) Math.min(Integer.MAX_VALUE - 8, file.length() - follower.read)];
            file.seek(follower.read);
            file.readFully(more);
            follower.read += more.length;
            String text = follower.half + new String(more, StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            follower.half = text.substring(end);
            return text.substring(0, end).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tasks that succeeded or are dead. */
    Set<String> finished() {
        return finished;
    }

    int failures() {
        return failures;
    }

    /** Runs of an executor that began and did not end. */
    long open(String executor) {
        Follower follower = followers.get(executor);
        return follower == null ? 0 : follower.open;
    }

    Map<String, List<DemoEvent>> events() {
        Map<String, List<DemoEvent>> events = new LinkedHashMap<>();
        followers.forEach((executor, follower) -> events.put(executor, follower.events));
        return events;
    }
}
