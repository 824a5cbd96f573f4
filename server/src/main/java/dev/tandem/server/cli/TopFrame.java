package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One picture of all queues: the answer of a server, and how many tasks ended since the one before. */
final class TopFrame {

    /** A queue. @param done successes a second; negative if unknown. @param failed failed attempts a second */
    private record Row(JsonNode queue, double done, double failed) {

        /** Tasks that wait and are not delayed. */
        long waiting() {
            return queue.path("lag").asLong(0)
                    + queue.path("counts").path("parked").asLong(0)
                    + queue.path("counts").path("retry").asLong(0);
        }
    }

    private static final TextTable<Row> TABLE = new TextTable<Row>()
            .column("QUEUE", text("name").compose(Row::queue))
            .column("STATE", text("state").compose(Row::queue))
            .column("DONE/S", row -> rate(row.done()))
            .column("FAILED/S", row -> rate(row.failed()))
            .column("LAG", text("lag").compose(Row::queue))
            .column("OLDEST", JsonCells.age("oldestWaitMillis").compose(Row::queue))
            .column("ACTIVE", text("counts", "active").compose(Row::queue))
            .column("SCHEDULED", text("counts", "scheduled").compose(Row::queue))
            .column("RETRY", text("counts", "retry").compose(Row::queue))
            .column("PARKED", text("counts", "parked").compose(Row::queue))
            .column("DEAD", text("counts", "dead").compose(Row::queue))
            .column("BLOCKED", text("blockedKeys").compose(Row::queue));

    private final List<Row> rows = new ArrayList<>();

    /**
     * @param before the answer before; null if this is the first one
     * @param seconds the time between the two
     */
    TopFrame(@Nullable JsonNode before, JsonNode now, double seconds) {
        Map<String, JsonNode> earlier = new HashMap<>();
        if (before != null) {
            before.path("queues")
                    .forEach(queue -> earlier.put(queue.path("name").asString(""), queue.path("totals")));
        }
        for (JsonNode queue : now.path("queues")) {
            JsonNode then = earlier.get(queue.path("name").asString(""));
            rows.add(new Row(
                    queue,
                    perSecond(then, queue, seconds, "succeeded"),
                    perSecond(then, queue, seconds, "retried", "dead")));
        }
        // What waits most stands first; the order of the settings decides between equals.
        rows.sort(Comparator.comparingLong(Row::waiting).reversed());
    }

    private static double perSecond(@Nullable JsonNode before, JsonNode queue, double seconds, String... totals) {
        if (before == null || seconds <= 0 || !queue.has("totals") || before.isMissingNode()) {
            return -1;
        }
        long ended = 0;
        for (String total : totals) {
            ended += queue.path("totals").path(total).asLong(0)
                    - before.path(total).asLong(0);
        }
        return Math.max(0, ended) / seconds;
    }

    private static String rate(double perSecond) {
        return perSecond < 0 ? "-" : String.format(Locale.ROOT, perSecond < 10 ? "%.1f" : "%.0f", perSecond);
    }

    /** Prints the table. @param most how many queues at most */
    void print(int most, PrintWriter out) {
        TABLE.print(rows.subList(0, Math.min(most, rows.size())), out);
        if (rows.size() > most) {
            out.println(rows.size() - most + " more queues are not shown: make the terminal higher");
        }
    }
}
