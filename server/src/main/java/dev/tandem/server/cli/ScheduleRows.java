package dev.tandem.server.cli;

import static dev.tandem.server.cli.JsonCells.text;
import static dev.tandem.server.cli.JsonCells.zonedTime;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** Prints schedules for people. */
final class ScheduleRows {

    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("EEE yyyy-MM-dd HH:mm:ss", Locale.ENGLISH);

    private ScheduleRows() {}

    static void list(JsonNode answer, PrintWriter out) {
        Instant now = Instant.parse(answer.path("now").asString());
        new TextTable<JsonNode>()
                .column("SCHEDULE", text("id"))
                .column("QUEUE", text("queue"))
                .column("TYPE", text("type"))
                .column("WHEN", ScheduleRows::when)
                .column("STATE", text("state"))
                .column("FIRED", text("firings"))
                .column("MISSED", text("missed"))
                .column("NEXT", schedule -> next(schedule, now))
                .print(answer.path("schedules"), out);
        for (JsonNode schedule : answer.path("schedules")) {
            if (text("state").apply(schedule).equals("gone")) {
                out.println(gone(schedule));
            }
        }
    }

    static void one(JsonNode schedule, PrintWriter out) {
        Instant now = Instant.parse(schedule.path("now").asString());
        out.println("Schedule " + text("id").apply(schedule) + ": " + when(schedule) + cron(schedule) + ", "
                + text("state").apply(schedule));
        if (schedule.path("created").asBoolean(false)) {
            out.println("Created by API or command; ./tandem schedules change and delete apply to it");
        }
        String type = schedule.path("type").asString("");
        out.println("Tasks " + (type.isEmpty() ? "" : "of the type " + TaskRows.printable(type) + " ") + "of queue "
                + text("queue").apply(schedule) + ", misfire " + text("misfire").apply(schedule) + ", overlap "
                + text("overlap").apply(schedule));
        out.println("Fired " + text("firings").apply(schedule) + " times, missed "
                + text("missed").apply(schedule)
                + ", skipped " + text("skipped").apply(schedule) + "; it is settled up to "
                + zonedTime("fired").apply(schedule));
        if (text("state").apply(schedule).equals("gone")) {
            out.println(gone(schedule));
        }
        String zoneName = schedule.path("zone").asString("");
        ZoneId zone = zoneName.isEmpty() ? ZoneId.systemDefault() : ZoneId.of(zoneName);
        for (JsonNode next : schedule.path("next")) {
            Instant at = Instant.parse(next.asString());
            out.println("  in " + words(Duration.between(now, at)) + ": " + DAY.format(at.atZone(zone)) + " " + zone);
        }
    }

    private static String gone(JsonNode schedule) {
        String id = text("id").apply(schedule);
        if (schedule.path("created").asBoolean(false)) {
            return "No program with the queue " + text("queue").apply(schedule) + " has run since "
                    + zonedTime("seen").apply(schedule) + ", so that the schedule " + id + " does not fire";
        }
        return "No program has had the schedule " + id + " since "
                + zonedTime("seen").apply(schedule) + ", so it does not fire; ./tandem schedules forget " + id
                + " removes it from this list";
    }

    private static String when(JsonNode schedule) {
        return text("when").apply(schedule);
    }

    private static String cron(JsonNode schedule) {
        return schedule.path("cron").isString() ? " (" + schedule.path("cron").asString() + ")" : "";
    }

    private static String next(JsonNode schedule, Instant now) {
        List<String> all = new ArrayList<>();
        schedule.path("next").forEach(each -> all.add(words(Duration.between(now, Instant.parse(each.asString())))));
        return all.isEmpty() ? "-" : "in " + String.join(", ", all);
    }

    /** Writes a duration with the two largest units that it has. */
    static String words(Duration duration) {
        long seconds = Math.max(0, Math.round(duration.toMillis() / 1_000.0));
        long[] parts = {seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60};
        String[] units = {"d", "h", "min", "s"};
        StringBuilder text = new StringBuilder();
        for (int i = 0, written = 0; i < parts.length && written < 2; i++) {
            if (parts[i] > 0) {
                text.append(text.isEmpty() ? "" : " ")
                        .append(parts[i])
                        .append(' ')
                        .append(units[i]);
            }
            written += text.isEmpty() ? 0 : 1;
        }
        return text.isEmpty() ? "0 s" : text.toString();
    }
}
