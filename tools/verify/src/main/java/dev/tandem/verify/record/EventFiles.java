package dev.tandem.verify.record;

import dev.tandem.kit.JsonLinesTail;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The event files in the folder of a trial: one for each process, and one for the trial itself. */
public final class EventFiles {

    public static final String SUFFIX = ".events";

    private EventFiles() {}

    /** Returns the event file of a process, or of the trial. */
    public static Path of(Path folder, String process) {
        return folder.resolve(process + SUFFIX);
    }

    /** Returns whether a folder has event files. */
    public static boolean existIn(Path folder) {
        return !list(folder).isEmpty();
    }

    /**
     * Returns the events of all files, ordered by time.
     *
     * @throws IllegalArgumentException if a complete line is not an event, naming the file
     */
    public static List<Event> readAll(Path folder) {
        List<Event> events = new ArrayList<>();
        for (Path file : list(folder)) {
            events.addAll(new JsonLinesTail<>(file, Event.class).next());
        }
        events.sort(Comparator.comparingLong(Event::at));
        return events;
    }

    private static List<Path> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot list " + folder, e);
        }
    }
}
