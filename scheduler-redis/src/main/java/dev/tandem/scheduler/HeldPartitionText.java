package dev.tandem.scheduler;

import dev.tandem.task.LogText;
import dev.tandem.task.store.HeldPartition;
import java.util.Optional;

/**
 * A {@link HeldPartition} as a line of text: a version, and its components in their order, with tabs between them. The version is
 * none of a {@link HeldTaskText}.
 */
final class HeldPartitionText {

    private static final String VERSION = "p1";
    private static final int PARTS = 12;
    private static final int MAX_REASON = 300;

    private HeldPartitionText() {}

    static String of(HeldPartition held) {
        return String.join(
                "\t",
                VERSION,
                held.partition(),
                held.executor(),
                Long.toString(held.readTo()),
                Integer.toString(held.matching()),
                Integer.toString(held.notDurable()),
                Boolean.toString(held.memoryFull()),
                Boolean.toString(held.withoutRoom()),
                Boolean.toString(held.keysAtBound()),
                Long.toString(held.quietMillis()),
                Boolean.toString(held.mayStart()),
                LogText.oneLine(held.withheld(), MAX_REASON));
    }

    /** Reads a line. Empty if it is of another kind, or of a version that is not known here. */
    static Optional<HeldPartition> read(String line) {
        String[] parts = line.split("\t", PARTS);
        if (parts.length < PARTS || !parts[0].equals(VERSION)) {
            return Optional.empty();
        }
        return Optional.of(new HeldPartition(
                parts[1],
                parts[2],
                Long.parseLong(parts[3]),
                Integer.parseInt(parts[4]),
                Integer.parseInt(parts[5]),
                Boolean.parseBoolean(parts[6]),
                Boolean.parseBoolean(parts[7]),
                Boolean.parseBoolean(parts[8]),
                Long.parseLong(parts[9]),
                Boolean.parseBoolean(parts[10]),
                parts[11]));
    }
}
