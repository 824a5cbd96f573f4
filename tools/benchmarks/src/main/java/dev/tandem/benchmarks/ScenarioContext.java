package dev.tandem.benchmarks;

import dev.tandem.local.BrokerAddresses;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** The sizes and brokers of a run, and the output for its progress, shared by all scenarios. Used by one thread. */
final class ScenarioContext implements AutoCloseable {

    private static final long PROGRESS_NANOS = Duration.ofSeconds(3).toNanos();

    private final BenchSizes sizes;
    private final TestBrokers brokers;
    private final PrintWriter out;
    private long printedAt;
    private int names;

    /** @param out gets lines about the progress, for people who wait */
    ScenarioContext(BenchSizes sizes, BrokerAddresses given, PrintWriter out) {
        this.sizes = sizes;
        this.brokers = new TestBrokers(given, line -> say("%s", line));
        this.out = out;
    }

    BenchSizes sizes() {
        return sizes;
    }

    TestBrokers brokers() {
        return brokers;
    }

    /** Returns a name with this prefix that no other topic or queue has. */
    String uniqueName(String prefix) {
        return prefix + "-" + Long.toString(System.nanoTime(), 36) + "-" + ++names;
    }

    /** Prints a line. */
    void say(String format, Object... values) {
        out.println("  " + String.format(Locale.ROOT, format, values));
        out.flush();
        printedAt = System.nanoTime();
    }

    /** Prints a line if none was printed for some seconds. */
    void progress(String format, Object... values) {
        if (System.nanoTime() - printedAt > PROGRESS_NANOS) {
            say(format, values);
        }
    }

    /** Prepares for the next scenario. */
    void next() {
        brokers.closeRedis();
        System.gc();
    }

    @Override
    public void close() {
        brokers.close();
    }
}
