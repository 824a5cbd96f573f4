package dev.tandem.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.benchmarks.ConsoleVisits.PageCost;
import dev.tandem.benchmarks.ConsoleVisits.Visit;
import dev.tandem.benchmarks.ScaleFill.Load;
import dev.tandem.local.BrokerAddresses;
import dev.tandem.testkit.Brokers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cost of the console's pages in Redis does not depend on how many tasks there are. A page of each route is requested with more
 * tasks than a page looks at, and with several times as many. {@code ./tandem bench console} measures all pages, with millions.
 */
class ConsoleCostIT {

    private static final int PARTITIONS = 2;
    /** For each partition more than a page looks at. How many ended tasks are kept is a setting, so their number stays. */
    private static final Load SOME = new Load(2_200, 2_200, 11_000, 1_100, 2_200, 600);

    private static final Load MORE = new Load(12_000, 12_000, 22_000, 6_000, 2_200, 800);
    private static final BenchSizes SIZES =
            new BenchSizes(1, PARTITIONS, 1, 1, Duration.ZERO, 1, Duration.ofSeconds(10), 150, 10);

    /** The budget is 10 ms; a slow machine may need a multiple of that. */
    private static final double MOST_REDIS_MILLIS = 40;

    @TempDir
    private Path folder;

    @Test
    void noPageCostsRedisMoreBecauseThereAreMoreTasks() throws Exception {
        BrokerAddresses given = new BrokerAddresses(Brokers.kafka().bootstrapServers(), null, null);
        try (ScenarioContext context = new ScenarioContext(SIZES, given, new PrintWriter(new StringWriter()));
                ScaledConsole console = ScaledConsole.start(context, folder, SOME, 0)) {
            List<Visit> pages = console.visits().oneOfEachRoute();
            Map<String, PageCost> before = console.visits().costs(pages, 3);
            console.grow(MORE);
            Map<String, PageCost> after = console.visits().costs(pages, 3);

            assertThat(after).allSatisfy((page, cost) -> {
                PageCost less = before.get(page);
                assertThat(cost.isMoreThan(less))
                        .as(
                                "%s: %d commands and %d bytes, and %d and %d with fewer tasks",
                                page, cost.commands(), cost.bytes(), less.commands(), less.bytes())
                        .isFalse();
                assertThat(cost.redisMillis()).as("ms of Redis for %s", page).isLessThan(MOST_REDIS_MILLIS);
            });
        }
    }
}
