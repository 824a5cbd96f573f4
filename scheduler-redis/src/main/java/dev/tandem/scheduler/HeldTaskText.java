package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.LogText;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldTask;
import java.util.Base64;
import java.util.Optional;

/**
 * A {@link HeldTask} as a line of text: a version, the partition, the position, the executor, {@code running} or {@code waits}, the
 * envelope in Base64, and what the task waits for; with tabs between them.
 */
final class HeldTaskText {

    private static final String VERSION = "1";
    private static final String RUNNING = "running";
    private static final String WAITS = "waits";
    private static final int PARTS = 7;
    private static final int MAX_REASON = 300;

    private HeldTaskText() {}

    static String of(HeldTask task) {
        WaitReason waitsFor = task.waitsFor();
        return String.join(
                "\t",
                VERSION,
                task.place().partition().name(),
                task.place().position().text(),
                task.executor(),
                task.running() ? RUNNING : WAITS,
                Base64.getEncoder().encodeToString(task.envelope().encode()),
                waitsFor == null ? "" : LogText.oneLine(waitsFor.text(), MAX_REASON));
    }

    /** Reads a line. Empty if it is of a version that is not known here. */
    static Optional<HeldTask> read(String queue, String line) {
        String[] parts = line.split("\t", PARTS);
        if (parts.length < PARTS || !parts[0].equals(VERSION)) {
            return Optional.empty();
        }
        return Optional.of(new HeldTask(
                new TaskPlace(new Partition(queue, parts[1]), new Position(parts[2])),
                parts[3],
                Envelope.decode(queue, Base64.getDecoder().decode(parts[5])),
                parts[4].equals(RUNNING),
                parts[6].isEmpty() ? null : WaitReason.parse(parts[6])));
    }
}
