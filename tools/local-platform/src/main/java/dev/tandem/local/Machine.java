package dev.tandem.local;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a run was measured on, for its report.
 *
 * @param memoryBytes of the machine
 * @param load processes that ran or wanted to, over the last minute, before the run; negative: unknown
 */
public record Machine(String system, String processor, int cores, long memoryBytes, String java, double load) {

    /** This one, now. */
    public static Machine here() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new Machine(
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                processorName(),
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                system.getSystemLoadAverage());
    }

    /** Of each core, how much was at work or wanted; negative: unknown. */
    public double loadOfCore() {
        return load / cores;
    }

    /** For people. @param loadWords what the load is called */
    public String text(String loadWords) {
        return String.format(
                Locale.ROOT,
                "%d cores (%s), %.0f GiB, %s, %s; %s %s",
                cores,
                processor,
                memoryBytes / (double) (1L << 30),
                system,
                java,
                loadWords,
                load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f", load));
    }

    private static String processorName() {
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
