package dev.tandem.kit;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The machine on which something was measured, for the report.
 *
 * @param load the load average of the last minute before the run; negative if it is unknown
 */
public record MachineInfo(String system, String processor, int cores, long memoryBytes, String java, double load) {

    /** Describes this machine as it is now. */
    public static MachineInfo current() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new MachineInfo(
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                processorName(),
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                system.getSystemLoadAverage());
    }

    /** Returns the load average divided by the number of cores; negative if it is unknown. */
    public double loadPerCore() {
        return load / cores;
    }

    /**
     * Describes the machine in one line.
     *
     * @param loadName the words before the load
     */
    public String text(String loadName) {
        return String.format(
                Locale.ROOT,
                "%d cores (%s), %.0f GiB, %s, %s; %s %s",
                cores,
                processor,
                memoryBytes / (double) (1L << 30),
                system,
                java,
                loadName,
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
                // The name of the architecture must do.
            }
        }
        return System.getProperty("os.arch");
    }
}
