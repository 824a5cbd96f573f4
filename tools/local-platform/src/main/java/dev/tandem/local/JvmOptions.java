package dev.tandem.local;

import java.util.ArrayList;
import java.util.List;

/** Options for the JVMs of child processes. */
public final class JvmOptions {

    private JvmOptions() {}

    /**
     * Returns options for a process that lives for minutes: it starts quickly, compiles with the first compiler only,
     * and takes little memory, so that many of them fit on a small machine.
     *
     * @param heap the largest heap, such as {@code 256m}
     * @param more further options
     */
    public static List<String> quickStart(String heap, String... more) {
        List<String> options = new ArrayList<>(fullSpeed(heap, more));
        options.add("-XX:TieredStopAtLevel=1");
        return List.copyOf(options);
    }

    /** Returns options for a process that should run fast once it is warm. */
    static List<String> fullSpeed(String heap, String... more) {
        List<String> options = new ArrayList<>(List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        options.addAll(List.of(more));
        return options;
    }
}
