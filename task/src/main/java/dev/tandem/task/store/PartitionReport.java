package dev.tandem.task.store;

import dev.tandem.task.LogText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A partition as its owner sees it at one moment, and how much it has of what it was asked about.
 *
 * @param readTo the offset behind all that the broker has delivered; -1 if it is not known, or the source has no offsets
 * @param matching how many of the tasks that were asked about are pending; if that was {@link HeldQuestion.Kind#COUNT}, how many
 *     wait or run in memory
 * @param notDurable how many others of those the store has taken over, but not yet provably for good
 * @param bytes the size in memory of the tasks there, if it was asked how many they are; else, and if the owner does not say it,
 *     {@link #NOT_COUNTED}
 * @param memoryFull whether its memory is full, so that the broker delivers nothing
 * @param withoutRoom whether the store has no room for more of its tasks
 * @param keysAtBound whether so many of its keys are blocked that no task of a further one starts
 * @param quietMillis the rest of the quiet period, in which nothing starts; 0 if there is none
 * @param mayStart whether the queue has a free slot in the executor
 * @param withheld why the executor starts less than it could, in words for people; empty if it does not
 */
public record PartitionReport(
        String partition,
        String executor,
        long readTo,
        int matching,
        int notDurable,
        long bytes,
        boolean memoryFull,
        boolean withoutRoom,
        boolean keysAtBound,
        long quietMillis,
        boolean mayStart,
        String withheld) {

    /** Stands for a size that is not known. */
    public static final long NOT_COUNTED = -1;

    /** Begins the text. That of a task in memory begins otherwise. */
    private static final String VERSION = "p1";

    /** Begins a line with the bytes of a partition, which owners of earlier versions do not write and servers of those skip. */
    private static final String BYTES = "b1";

    private static final int PARTS = 12;
    private static final int BYTES_PARTS = 3;
    private static final int MAX_REASON = 300;

    /** Whether it has any task that was asked about. */
    public boolean hasAny() {
        return matching + notDurable > 0;
    }

    /**
     * Returns the report as lines of text: a version, and its components in their order but for the bytes, with tabs between them.
     * The bytes, if they are known, are in a line of their own.
     */
    public Stream<String> lines() {
        return bytes == NOT_COUNTED
                ? Stream.of(text())
                : Stream.of(text(), String.join("\t", BYTES, partition, Long.toString(bytes)));
    }

    private String text() {
        return String.join(
                "\t",
                VERSION,
                partition,
                executor,
                Long.toString(readTo),
                Integer.toString(matching),
                Integer.toString(notDurable),
                Boolean.toString(memoryFull),
                Boolean.toString(withoutRoom),
                Boolean.toString(keysAtBound),
                Long.toString(quietMillis),
                Boolean.toString(mayStart),
                LogText.oneLine(withheld, MAX_REASON));
    }

    /** Reads the lines of an executor. Those of another kind, or of a version that is not known here, are skipped. */
    public static List<PartitionReport> read(List<String> lines) {
        Map<String, Long> bytes = new HashMap<>();
        for (String line : lines) {
            String[] parts = line.split("\t", -1);
            if (parts[0].equals(BYTES) && parts.length >= BYTES_PARTS) {
                bytes.put(parts[1], Long.parseLong(parts[2]));
            }
        }
        return lines.stream().flatMap(line -> read(line, bytes).stream()).toList();
    }

    private static Optional<PartitionReport> read(String line, Map<String, Long> bytes) {
        String[] parts = line.split("\t", PARTS);
        if (parts.length < PARTS || !parts[0].equals(VERSION)) {
            return Optional.empty();
        }
        return Optional.of(new PartitionReport(
                parts[1],
                parts[2],
                Long.parseLong(parts[3]),
                Integer.parseInt(parts[4]),
                Integer.parseInt(parts[5]),
                bytes.getOrDefault(parts[1], NOT_COUNTED),
                Boolean.parseBoolean(parts[6]),
                Boolean.parseBoolean(parts[7]),
                Boolean.parseBoolean(parts[8]),
                Long.parseLong(parts[9]),
                Boolean.parseBoolean(parts[10]),
                parts[11]));
    }
}
