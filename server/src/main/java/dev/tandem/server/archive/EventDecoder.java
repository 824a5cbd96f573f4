package dev.tandem.server.archive;

import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.PublishedEvent;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads what an event of Tandem tells. */
final class EventDecoder {

    private static final Set<String> KINDS =
            Arrays.stream(EventKind.values()).map(EventKind::text).collect(Collectors.toUnmodifiableSet());

    private static final int MAX_IDENTIFIER = 200;
    /** Times that neither the calendar nor PostgreSQL can refuse. */
    static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    private final JsonMapper json = JsonMapper.builder().build();

    /** Returns the outcome; empty if this is no event of Tandem. */
    Optional<ArchivedOutcome> decode(PublishedEvent event) {
        if (event.data().length > PublishedEvent.MAX_BYTES) {
            return Optional.empty();
        }
        try {
            JsonNode data = json.readTree(event.data());
            String kind = needed(data, "kind");
            String time = event.attributes().get("time");
            if (time == null || !KINDS.contains(kind)) {
                return Optional.empty();
            }
            return Optional.of(new ArchivedOutcome(
                    StoredText.name(needed(data, "queue")),
                    identifier(needed(data, "partition")),
                    identifier(needed(data, "position")),
                    kind,
                    bounded(Instant.parse(time)).truncatedTo(ChronoUnit.MICROS),
                    StoredText.nameOrNull(text(data, "id")),
                    StoredText.nameOrNull(text(data, "type")),
                    StoredText.nameOrNull(text(data, "key")),
                    Math.max(0, data.path("attempt").asInt(0)),
                    StoredText.nameOrNull(text(data, "executor")),
                    StoredText.error(text(data, "error")),
                    started(text(data, "startedAt")),
                    data.path("durationMillis").isIntegralNumber()
                            ? Math.max(0, data.path("durationMillis").asLong())
                            : null,
                    StoredText.nameOrNull(text(data, "duplicateOf")),
                    sequence(event.attributes().get("sequence"))));
        } catch (JacksonException | DateTimeException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static @Nullable Instant started(@Nullable String text) {
        return text == null ? null : bounded(Instant.parse(text)).truncatedTo(ChronoUnit.MILLIS);
    }

    private static Instant bounded(Instant time) {
        if (time.isBefore(Instant.EPOCH) || time.isAfter(LATEST)) {
            throw new DateTimeException("no time at which a task ended");
        }
        return time;
    }

    private static long sequence(@Nullable String text) {
        return text == null ? 0 : Long.parseLong(text);
    }

    private static String identifier(String text) {
        String stored = StoredText.name(text);
        if (stored.length() > MAX_IDENTIFIER) {
            throw new IllegalArgumentException("an identifier has at most " + MAX_IDENTIFIER + " characters");
        }
        return stored;
    }

    private static String needed(JsonNode data, String name) {
        String found = text(data, name);
        if (found == null || found.isEmpty()) {
            throw new IllegalArgumentException("without " + name);
        }
        return found;
    }

    private static @Nullable String text(JsonNode data, String name) {
        JsonNode found = data.path(name);
        return found.isString() ? found.asString() : null;
    }
}
