package dev.tandem.local;

import java.util.ArrayList;
import java.util.List;

/** Options for the JVMs of child processes. */
public final class JvmOptions {

    /** JDKs from this one on warn of what {@link #withoutVerification()} returns. */
    private static final int WARNS = 24;

    private JvmOptions() {}

    /**
     * Returns options for a process that lives for minutes: it starts quickly, compiles with the first compiler only,
     * does not verify classes from the compiler, and takes little memory, so that many of them fit on a small machine.
     *
     * @param heap the largest heap, such as {@code 256m}
     * @param more further options
     */
    public static List<String> quickStart(String heap, String... more) {
        List<String> options = new ArrayList<>(fullSpeed(heap, more));
        options.add("-XX:TieredStopAtLevel=1");
        options.addAll(withoutVerification());
        return List.copyOf(options);
    }

    // Verification takes an eighth of the processor time of a start.
    private static List<String> withoutVerification() {
        return Runtime.version().feature() >= WARNS
                ? List.of()
                : List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote");
    }

    /** Returns options for a process that should run fast once it is warm. */
    static List<String> fullSpeed(String heap, String... more) {
        List<String> options = new ArrayList<>(List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        options.addAll(List.of(more));
        return options;
    }
}
