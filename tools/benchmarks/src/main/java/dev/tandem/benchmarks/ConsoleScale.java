package dev.tandem.benchmarks;

import static dev.tandem.benchmarks.ConsoleVisits.FAR_DOWN;

import dev.tandem.benchmarks.ConsoleVisits.PageCost;
import dev.tandem.benchmarks.ScaleFill.Load;
import dev.tandem.kit.TemporaryFolder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures what each page of the console costs the server and Redis where Redis holds very much: 10 million scheduled tasks, a
 * million dead ones and 100,000 blocked keys. Also, whether that depends on how much it is: a page that runs more commands or
 * reads more bytes than it did with a twentieth of the tasks is over its budget.
 */
final class ConsoleScale implements Scenario {

    private static final int TASKS = 10_000_000;
    private static final int REQUESTS = 30;
    /** More of each state than a search of the console looks at. */
    private static final int LEAST = 1_100;

    private static final int DEEP = 20;
    /** One end in the archive for so many tasks. */
    private static final int ARCHIVED = 20;
    /** How much less there is at first. */
    private static final int SMALLER = 20;

    @Override
    public String name() {
        return "console";
    }

    @Override
    public String about() {
        return "each page of the console, with 10 million scheduled tasks and a million dead ones in Redis";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        int partitions = context.sizes().partitions();
        int tasks = context.sizes().tasksOr(TASKS);
        Load some = Load.of(tasks / SMALLER, partitions, LEAST);
        Load all = Load.of(tasks, partitions, LEAST + LEAST / 2);
        int requests = tasks < TASKS ? Math.min(REQUESTS, 3 * context.sizes().rounds()) : REQUESTS;
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-");
                ScaledConsole console =
                        ScaledConsole.start(context, folder.path(), some, Math.max(1, tasks / ARCHIVED))) {
            Map<String, PageCost> before = console.visits().costs(3, DEEP);
            console.grow(all);
            context.say("Redis uses %.2f GiB", console.usedMemoryGib());
            return lines(context, before, console.visits().costs(requests, DEEP));
        }
    }

    private static List<Measurement> lines(
            ScenarioContext context, Map<String, PageCost> before, Map<String, PageCost> after) {
        Budget time = Budget.atMost(context.sizes().pageMillis());
        Budget redisTime = Budget.atMost(context.sizes().redisMillis());
        List<Measurement> lines = new ArrayList<>();
        after.forEach((page, cost) -> {
            PageCost small = before.getOrDefault(page, cost);
            String server = String.format(Locale.ROOT, "p50 %.1f, max %.1f", cost.millis(0.5), cost.millis(1));
            String redis = String.format(
                    Locale.ROOT,
                    "%d commands, %.1f KB; with less: %d, %.1f KB; slowest command %.1f ms",
                    cost.commands(),
                    cost.bytes() / 1e3,
                    small.commands(),
                    small.bytes() / 1e3,
                    cost.slowest());
            // A request of the API may look at more tasks than a page does.
            boolean isPage = isPage(page);
            lines.add(new Measurement("p95 of " + page, cost.millis(0.95), "ms", isPage ? time : Budget.NONE, server));
            lines.add(new Measurement(
                    "Redis for " + page, cost.redisMillis(), "ms", isPage ? redisTime : Budget.NONE, redis));
        });
        List<String> grown = after.keySet().stream()
                .filter(page -> isPage(page) && costsMore(page, before, after))
                .toList();
        lines.add(new Measurement(
                "pages that cost more with more tasks",
                grown.size(),
                "",
                Budget.atMost(0),
                grown.isEmpty() ? null : String.join(", ", grown)));
        lines.add(most("slowest 95th percentile of a page", after, cost -> cost.millis(0.95), time));
        lines.add(most("most of Redis for a page", after, PageCost::redisMillis, redisTime));
        lines.add(most("slowest command of Redis for a page", after, PageCost::slowest, redisTime));
        return lines;
    }

    /** Returns whether a page costs more than with fewer tasks; one that is far down in a list, more than the first page of the list. */
    private static boolean costsMore(String page, Map<String, PageCost> before, Map<String, PageCost> after) {
        PageCost cost = after.get(page);
        PageCost first =
                page.endsWith(FAR_DOWN) ? after.get(page.substring(0, page.length() - FAR_DOWN.length())) : null;
        PageCost less = before.get(page);
        return first != null ? cost.isMoreThanFirst(first) : less != null && cost.isMoreThan(less);
    }

    private static boolean isPage(String name) {
        return !name.startsWith("/api/");
    }

    private static Measurement most(
            String what, Map<String, PageCost> costs, ToDoubleFunction<PageCost> value, Budget budget) {
        List<String> pages = costs.keySet().stream()
                .filter(ConsoleScale::isPage)
                .sorted(Comparator.comparingDouble(page -> -value.applyAsDouble(costs.get(page))))
                .toList();
        return new Measurement(
                what,
                value.applyAsDouble(costs.get(pages.get(0))),
                "ms",
                budget,
                "of " + pages.size() + " pages: " + pages.get(0));
    }
}
