package dev.tandem.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Publishes one task. */
@Command(
        name = "submit",
        mixinStandardHelpOptions = true,
        description = {"Publishes a task to a queue's broker, through the server.", ""})
final class SubmitCommand implements Runnable {

    /** The source of the payload; the standard input if neither option is given. */
    static final class Payload {
        @Option(names = "--payload", paramLabel = "TEXT", description = "the payload")
        private @Nullable String text;

        @Option(names = "--file", paramLabel = "FILE", description = "a file with the payload, - for standard input")
        private @Nullable Path file;

        byte[] read() {
            try {
                if (text != null) {
                    return text.getBytes(StandardCharsets.UTF_8);
                }
                if (file != null && !file.toString().equals("-")) {
                    return Files.readAllBytes(file);
                }
                return file != null ? System.in.readAllBytes() : piped(System.in, ConfirmOptions.hasTerminal());
            } catch (IOException e) {
                throw new CliException(CliException.USAGE, "The payload can't be read: " + e.getMessage());
            }
        }
    }

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @ArgGroup
    private Payload payload = new Payload();

    @Parameters(paramLabel = "QUEUE")
    private String queue = "";

    @Option(names = "--id", description = "a label for people")
    private @Nullable String id;

    @Option(names = "--type", description = "which handler runs it (default: the queue's)")
    private @Nullable String type;

    @Option(names = "--key", description = "the ordering key")
    private @Nullable String key;

    @Option(
            names = "--delay",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "30s, 5m or PT30S")
    private @Nullable String delay;

    @Option(names = "--at", paramLabel = "TIME", description = "earliest start: epoch milliseconds or ISO-8601")
    private @Nullable String notBefore;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "longest run, for instance 30s")
    private @Nullable String timeout;

    @Option(names = "--max-attempts", paramLabel = "N", description = "starts in all")
    private @Nullable Integer maxAttempts;

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "expires if it has not begun for so long after it is due")
    private @Nullable String ttl;

    @Option(
            names = "--expires-at",
            paramLabel = "TIME",
            description = "expires if it has not begun by then: epoch milliseconds or ISO-8601")
    private @Nullable String expiresAt;

    @Option(
            names = "--dedup-key",
            paramLabel = "KEY",
            description = "of several tasks of the queue with this key, one runs")
    private @Nullable String dedupKey;

    @Option(
            names = "--dedup-mode",
            paramLabel = "MODE",
            description = "which of them runs: first, keep-last or replace")
    private @Nullable String dedupMode;

    @Option(
            names = "--dedup-window",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "for how long after its arrival the deduplication key is taken")
    private @Nullable String dedupWindow;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "a repeat of the command with this key publishes nothing, and has the same answer, for a day")
    private @Nullable String idempotencyKey;

    @Option(names = "--priority", paramLabel = "0-9", description = "those with a higher one start first (default: 0)")
    private @Nullable Integer priority;

    @Option(
            names = "--depends-on",
            paramLabel = "IDS",
            description = "runs when the tasks with these deduplication keys have succeeded: id,//queue/id")
    private @Nullable String dependsOn;

    @Option(
            names = "--depends-policy",
            paramLabel = "POLICY",
            description = "what becomes of it if one of those does not: die, wait or run")
    private @Nullable String dependsPolicy;

    @Option(
            names = "--depends-timeout",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "for how long it waits for those")
    private @Nullable String dependsTimeout;

    @Option(names = "--header", paramLabel = "NAME=VALUE", description = "a further header; may be repeated")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(names = "--content-type", description = "what the payload is (default: application/json if it is)")
    private @Nullable String contentType;

    @Override
    public void run() {
        ObjectNode task = ApiClient.JSON.createObjectNode();
        put(task, "id", id);
        put(task, "type", type);
        put(task, "key", key);
        put(task, "delay", delay);
        put(task, "notBefore", notBefore);
        put(task, "timeout", timeout);
        put(task, "ttl", ttl);
        put(task, "expiresAt", expiresAt);
        put(task, "dedupKey", dedupKey);
        put(task, "dedupMode", dedupMode);
        put(task, "dedupWindow", dedupWindow);
        put(task, "dependsOn", dependsOn);
        put(task, "dependsPolicy", dependsPolicy);
        put(task, "dependsTimeout", dependsTimeout);
        if (priority != null) {
            task.put("priority", priority);
        }
        if (maxAttempts != null) {
            task.put("maxAttempts", maxAttempts);
        }
        byte[] bytes = payload.read();
        if (contentType != null || isJson(bytes)) {
            headers.putIfAbsent("content-type", contentType == null ? "application/json" : contentType);
        }
        if (!headers.isEmpty()) {
            ObjectNode node = task.putObject("headers");
            headers.forEach(node::put);
        }
        // Not as JSON in JSON, so that every byte arrives as it is.
        task.put("payloadBase64", Base64.getEncoder().encodeToString(bytes));
        ApiClient api = server.api();
        JsonNode published = api.post(ApiClient.path("queues", queue, "tasks"), task, checkedKey());
        server.print(published, (answer, out) -> out.println(TaskRows.printable(published(answer))));
        published.path("warnings").forEach(each -> server.warn("Warning: " + TaskRows.printable(each.asString(""))));
        if (type != null) {
            UnknownTypeWarning.warn(server, api, queue, type);
        }
    }

    /** @throws CliException if no header may have it */
    private @Nullable String checkedKey() {
        if (idempotencyKey != null && !idempotencyKey.matches("[!#-\\[\\]-~]{1,255}")) {
            throw new CliException(
                    CliException.USAGE,
                    "--idempotency-key needs 1 to 255 printable characters of ASCII, without blanks, quotes and"
                            + " backslashes, such as \"$(uuidgen)\"");
        }
        return idempotencyKey;
    }

    private String published(JsonNode answer) {
        String place = answer.path("place").asString("");
        return "Published to " + queue + " as " + JsonCells.text("id").apply(answer)
                + (place.isEmpty() ? "" : " (" + place + ")");
    }

    /** Returns whether the bytes are one JSON value. */
    private static boolean isJson(byte[] bytes) {
        try (JsonParser parser = ApiClient.JSON.createParser(bytes)) {
            boolean any = parser.nextToken() != null;
            parser.skipChildren();
            parser.finishToken();
            return any && parser.nextToken() == null;
        } catch (JacksonException e) {
            return false;
        }
    }

    /** Reads what is piped in. A person at a terminal, or an empty pipe, has forgotten the payload. */
    static byte[] piped(InputStream in, boolean terminal) throws IOException {
        byte[] bytes = terminal ? new byte[0] : in.readAllBytes();
        if (bytes.length == 0) {
            throw new CliException(
                    CliException.USAGE,
                    "There is no payload: say --payload TEXT or --file FILE, or pipe it in. For an empty one, say"
                            + " --payload ''");
        }
        return bytes;
    }

    private static void put(ObjectNode task, String field, @Nullable String value) {
        if (value != null) {
            task.put(field, value);
        }
    }
}
