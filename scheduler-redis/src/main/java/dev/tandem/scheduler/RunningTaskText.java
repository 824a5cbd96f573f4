package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.RunningTask;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RunningTask} as a line of text, with tabs between its parts, which are encoded as in a URL: a version, the partition,
 * the position, the id, the type, the key, the attempt, since when it runs, what it waits for, the worker and the end of its lease. What
 * it does not have is empty.
 */
final class RunningTaskText {

    /** The question to which these lines answer. An executor of an earlier version takes it for an id that no task has. */
    static final String QUESTION = "\t?\t\trunning\t";

    private static final String VERSION = "r1";
    private static final int PARTS = 11;

    private RunningTaskText() {}

    static String of(RunningTask task) {
        WaitReason waitsFor = task.waitsFor();
        RunningTask.Worker worker = task.worker();
        return String.join(
                "\t",
                VERSION,
                encoded(task.place().partition().name()),
                encoded(task.place().position().text()),
                encoded(task.id()),
                encoded(task.type()),
                encoded(task.key()),
                Integer.toString(task.attempt()),
                Long.toString(task.since()),
                encoded(waitsFor == null ? null : waitsFor.text()),
                encoded(worker == null ? null : worker.name()),
                worker == null ? "" : Long.toString(worker.until()));
    }

    /** Reads a line. Empty if it is of a version that is not known here. */
    static Optional<RunningTask> read(String queue, String line) {
        String[] parts = line.split("\t", -1);
        if (parts.length < PARTS || !parts[0].equals(VERSION)) {
            return Optional.empty();
        }
        String type = decoded(parts[4]);
        String key = decoded(parts[5]);
        String waitsFor = decoded(parts[8]);
        return Optional.of(new RunningTask(
                new TaskPlace(new Partition(queue, decoded(parts[1])), new Position(decoded(parts[2]))),
                decoded(parts[3]),
                type.isEmpty() ? null : type,
                key.isEmpty() ? null : key,
                Integer.parseInt(parts[6]),
                Long.parseLong(parts[7]),
                waitsFor.isEmpty() ? null : WaitReason.parse(waitsFor),
                parts[10].isEmpty() ? null : new RunningTask.Worker(decoded(parts[9]), Long.parseLong(parts[10]))));
    }

    private static String encoded(@Nullable String text) {
        return text == null ? "" : URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part, StandardCharsets.UTF_8);
    }
}
