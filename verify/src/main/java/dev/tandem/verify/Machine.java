package dev.tandem.verify;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** What a run ran on, for people. */
final class Machine {

    private static final double BUSY = 0.5;

    private Machine() {}

    /** Whether others were at work when it began, so that no time that is measured says much. */
    static boolean isBusy() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system.getSystemLoadAverage() > BUSY * Runtime.getRuntime().availableProcessors();
    }

    static String text() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        double load = system.getSystemLoadAverage();
        return String.format(
                        Locale.ROOT,
                        "%d cores (%s), %.0f GiB, %s %s, %s %s; load average at the start %s",
                        Runtime.getRuntime().availableProcessors(),
                        processor(),
                        system.getTotalMemorySize() / (double) (1L << 30),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("java.vm.name"),
                        Runtime.version(),
                        load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f", load))
                + (isBusy() ? ": other work ran on it, so times are longer than they need be" : "");
    }

    private static String processor() {
        Path file = Path.of("/proc/cpuinfo");
        if (Files.isReadable(file)) {
            try (Stream<String> lines = Files.lines(file)) {
                return lines.filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .findFirst()
                        .orElse(System.getProperty("os.arch"));
            } catch (IOException e) {
                // The architecture then.
            }
        }
        return System.getProperty("os.arch");
    }
}
