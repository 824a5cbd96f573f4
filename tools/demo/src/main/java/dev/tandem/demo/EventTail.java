package dev.tandem.demo;

import dev.tandem.demo.DemoEvent.Kind;
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

/** Follows the event logs of some executors as they grow. Not thread-safe. */
final class EventTail {

    private static final class Follower {
        final Path file;
        final List<DemoEvent> events = new ArrayList<>();
        long position;
        long running;
        String unfinishedLine = "";

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

    /** Reads the new events. @return how many there were */
    int read() {
        int count = 0;
        for (Follower follower : followers.values()) {
            for (String line : lines(follower)) {
                DemoEvent event = DemoEvent.parse(line).orElse(null);
                if (event != null) {
                    follower.events.add(event);
                    follower.running += event.kind().ends() ? -1 : 1;
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
            byte[] more = new byte[(int) Math.min(Integer.MAX_VALUE - 8, file.length() - follower.position)];
            file.seek(follower.position);
            file.readFully(more);
            follower.position += more.length;
            String text = follower.unfinishedLine + new String(more, StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            follower.unfinishedLine = text.substring(end);
            return text.substring(0, end).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The ids of the tasks that succeeded or died. */
    Set<String> finished() {
        return finished;
    }

    int failures() {
        return failures;
    }

    /** How many runs of an executor have started and not ended. */
    long runningOn(String executor) {
        Follower follower = followers.get(executor);
        return follower == null ? 0 : follower.running;
    }

    Map<String, List<DemoEvent>> events() {
        Map<String, List<DemoEvent>> events = new LinkedHashMap<>();
        followers.forEach((executor, follower) -> events.put(executor, follower.events));
        return events;
    }
}
