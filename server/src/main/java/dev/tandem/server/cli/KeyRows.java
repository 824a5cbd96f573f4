package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.time;

import java.io.PrintWriter;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Prints the blocked keys that the API returns. */
final class KeyRows {

    private static final Function<JsonNode, String> DUE = time("headTask", "at");

    private static final TextTable<JsonNode> BLOCKED_KEYS = new TextTable<JsonNode>()
            .column("KEY", text("key"))
            .column("WHY", text("why"))
            .column(JsonCells.timeHeader("SINCE"), time("since"))
            .column("HEAD", text("head"))
            .column("ID", text("headTask", "id"))
            .column("TYPE", text("headTask", "type"))
            .column("STATE", text("headTask", "state"))
            .column("ATTEMPTS", KeyRows::attempts)
            .column(JsonCells.timeHeader("DUE"), key -> waitsForDueTime(key) ? DUE.apply(key) : "-")
            .column("PARKED", text("parked"))
            .column("ERROR", text("headTask", "error").andThen(TaskRows::firstLine))
            .wide("PARTITION", text("partition"));

    private KeyRows() {}

    /** Prints a list. @param most how many rows at most */
    static void list(JsonNode answer, int most, PrintWriter out) {
        JsonNode keys = answer.path("keys");
        BLOCKED_KEYS.print(keys.valueStream().limit(most).toList(), out);
        if (keys.size() > most) {
            out.println(keys.size() - most + " more were found and are not shown: raise --limit to " + keys.size()
                    + ", or say --all");
        }
        TaskRows.more(answer, out);
    }

    private static String attempts(JsonNode key) {
        JsonNode head = key.path("headTask");
        return head.has("attempts")
                ? text("attempts").apply(head) + "/" + text("maxAttempts").apply(head)
                : "-";
    }

    private static boolean waitsForDueTime(JsonNode key) {
        String state = key.path("headTask").path("state").asString("");
        return state.equals("retry") || state.equals("scheduled");
    }

    /** Prints one key: what it waits for, what waits behind that, and the commands that help. */
    static void one(String queue, JsonNode key, PrintWriter out) {
        String name = TaskRows.printable(key.path("key").asString(""));
        if (!key.path("blocked").asBoolean(false)) {
            out.println("The key " + name + " is not blocked: its tasks may run");
            return;
        }
        blocked(queue, name, key, out);
        key.path("more").forEach(other -> {
            out.println();
            blocked(queue, name, other, out);
        });
    }

    private static void blocked(String queue, String name, JsonNode key, PrintWriter out) {
        out.println("key: " + name);
        out.println("blocked: " + text("why").apply(key) + ", since "
                + JsonCells.zonedTime("since").apply(key));
        out.println("head: " + text("head").apply(key));
        JsonNode head = key.path("headTask");
        if (head.isObject()) {
            out.println("  id: " + TaskRows.printable(text("id").apply(head)));
            out.println("  type: " + TaskRows.printable(text("type").apply(head)));
            out.println("  state: " + text("state").apply(head)
                    + (waitsForDueTime(key)
                            ? ", due " + JsonCells.zonedTime("headTask", "at").apply(key)
                            : ""));
            out.println("  attempts: " + attempts(key));
            if (head.has("waitsFor")) {
                out.println(
                        "  waits for: " + TaskRows.printable(text("waitsFor").apply(head)));
            }
            if (head.has("error")) {
                out.println("  error: " + TaskRows.printable(text("error").apply(head)));
            }
        }
        long parked = key.path("parked").asLong(0);
        out.println("parked behind it: " + parked);
        if (!key.path("behind").isEmpty()) {
            TaskRows.table(key.path("behind"), out);
        }
        out.println();
        commands(queue, key, parked, out);
    }

    /** Names the task that a key waits for, in one line. */
    static String head(JsonNode key) {
        JsonNode task = key.path("headTask");
        String known = Stream.of("id", "state", "error")
                .filter(task::has)
                .map(field -> TaskRows.firstLine(text(field).apply(task)))
                .collect(Collectors.joining(", "));
        return "Head " + text("head").apply(key) + (known.isEmpty() ? "" : ": " + known);
    }

    private static void commands(String queue, JsonNode key, long parked, PrintWriter out) {
        String target = " " + shell(queue) + " " + shell(key.path("key").asString("")) + " --head "
                + shell(key.path("head").asString(""));
        String next = parked == 0 ? "the key is open" : "the next one goes on";
        switch (text("why").apply(key)) {
            case "halted" -> {
                out.println("./tandem keys retry" + target + "    runs the dead task again, with all its attempts");
                out.println("./tandem keys skip" + target + "     leaves it dead; " + next);
                out.println("./tandem keys drain" + target
                        + "    makes all dead that is parked behind it; the key is open");
            }
            case "head" -> {
                if (waitsForDueTime(key)) {
                    out.println("The key needs nobody: its head runs again when it is due.");
                    out.println("./tandem keys retry" + target + "           runs it now");
                    out.println("./tandem keys skip --force" + target + "    makes it dead, although it has attempts; "
                            + next);
                } else {
                    out.println("The key needs nobody: its head runs.");
                }
            }
            default -> out.println("This passes by itself, within twice tandem.executor.lease or so.");
        }
    }

    /** Quotes a word for a shell where that is needed. */
    private static String shell(String word) {
        String shown = TaskRows.printable(word);
        return shown.matches("[\\w.:@/%+=,][\\w.:@/%+=,-]*") ? shown : "'" + shown.replace("'", "'\\''") + "'";
    }
}
