package dev.tandem.runtime.schedules;

import dev.tandem.api.Misfire;
import dev.tandem.api.Overlap;
import dev.tandem.task.schedule.ScheduleBook.Definition;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Definitions of schedules as JSON, as the store keeps them. Programs of later versions may add fields. */
public final class ScheduleJson {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ScheduleJson() {}

    /** Returns the definition of a schedule, as the store keeps it. */
    public static Definition definition(Schedule schedule) {
        String text = write(schedule);
        return new Definition(
                schedule.id(),
                digest(text + digest(schedule.payload())),
                digest(schedule.timing().toString()),
                text,
                schedule.payload());
    }

    /** Leaves out the payload, which may be long, and is read by those who fire only. */
    private static String write(Schedule schedule) {
        ObjectNode node = JSON.createObjectNode();
        node.put("id", schedule.id());
        node.put("queue", schedule.queue());
        put(node, "type", schedule.type());
        put(node, "key", schedule.key());
        if (schedule.timing() instanceof Timing.Cron cron) {
            node.put("cron", cron.expression().toString());
            node.put("zone", cron.zone().getId());
        } else if (schedule.timing() instanceof Timing.Every every) {
            node.put("every", every.interval().toString());
        }
        node.put("misfire", schedule.misfire().name().toLowerCase(Locale.ROOT));
        node.put("misfireAfter", schedule.misfireAfter().toString());
        node.put("misfireMax", schedule.misfireMax());
        node.put("overlap", schedule.overlap().name().toLowerCase(Locale.ROOT));
        node.put("jitter", schedule.jitter().toString());
        return JSON.writeValueAsString(node);
    }

    private static void put(ObjectNode node, String name, @Nullable String value) {
        if (value != null) {
            node.put(name, value);
        }
    }

    /** Reads a definition; empty if this version of the program cannot. */
    public static Optional<Schedule> read(Definition definition) {
        return read(definition.definition(), definition.payload());
    }

    /** Reads a definition, for people; empty if this version of the program cannot. The payload is empty. */
    public static Optional<Schedule> read(String text) {
        return read(text, "");
    }

    private static Optional<Schedule> read(String text, String payload) {
        try {
            JsonNode node = JSON.readTree(text);
            return Optional.of(new Schedule(
                    node.path("id").asString(),
                    node.path("queue").asString(),
                    text(node, "type"),
                    text(node, "key"),
                    payload,
                    node.has("cron")
                            ? new Timing.Cron(
                                    CronExpression.parse(node.path("cron").asString()),
                                    ZoneId.of(node.path("zone").asString()))
                            : new Timing.Every(Duration.parse(node.path("every").asString())),
                    Misfire.valueOf(node.path("misfire").asString().toUpperCase(Locale.ROOT)),
                    Duration.parse(node.path("misfireAfter").asString()),
                    node.path("misfireMax").asInt(),
                    Overlap.valueOf(node.path("overlap").asString().toUpperCase(Locale.ROOT)),
                    Duration.parse(node.path("jitter").asString())));
        } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static @Nullable String text(JsonNode node, String name) {
        return node.has(name) ? node.path(name).asString() : null;
    }

    /** Returns a short name of a text, which no other text has. */
    static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
