package dev.tandem.verify;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.LiveView;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Records the events of a queue's tasks that come from its broker. Thread-safe. */
final class TaskEventLog {

    private static final String TYPE_PREFIX = "dev.tandem.task.";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final JsonLinesLog<Event> log;
    private final LiveView liveView;

    TaskEventLog(JsonLinesLog<Event> log, LiveView liveView) {
        this.log = log;
        this.liveView = liveView;
    }

    /** Records a CloudEvent. @param attributes by their names, without the prefix of the broker */
    void came(Map<String, String> attributes, byte[] data) {
        JsonNode body = JSON.readTree(data);
        String id = attribute(attributes, "subject");
        log.write(new Event.TaskEventCame(
                System.nanoTime(),
                attribute(attributes, "id"),
                attribute(attributes, "type").substring(TYPE_PREFIX.length()),
                id,
                attributes.get("partitionkey"),
                body.path("partition").asString(""),
                Long.parseLong(attribute(attributes, "sequence")),
                text(body.path("duplicateOf"))));
        liveView.ended(id);
    }

    private static String attribute(Map<String, String> attributes, String name) {
        return Objects.requireNonNull(attributes.get(name), () -> "An event lacks the attribute " + name);
    }

    private static @Nullable String text(JsonNode node) {
        return node.isMissingNode() || node.isNull() ? null : node.asString();
    }
}
