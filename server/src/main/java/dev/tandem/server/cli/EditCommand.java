package dev.tandem.server.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Gives a task another payload, or saves the one that it has. */
@Command(
        name = "edit",
        mixinStandardHelpOptions = true,
        description = {
            "Gives a task that waits or is dead another payload, from --payload, --file or the standard input. Admins may;"
                    + " tandem.api.payload-editors says who else. The payload before is not kept.",
            ""
        })
final class EditCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @ArgGroup
    private SubmitCommand.Payload payload = new SubmitCommand.Payload();

    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "ID")
    private String id = "";

    @Option(
            names = "--save",
            paramLabel = "FILE",
            description = "only save the payload as it is now in a file, and say its ETag")
    private @Nullable Path save;

    @Option(
            names = "--etag",
            paramLabel = "ETAG",
            description = "only if the task still has the payload with this ETag (default: the one that it has now)")
    private @Nullable String etag;

    @Override
    public void run() {
        ApiClient api = server.api();
        String path = ApiClient.path("queues", queue, "tasks", id, "payload");
        if (save != null) {
            save(api.payload(path), save);
            return;
        }
        byte[] bytes = payload.read();
        String seen = etag == null ? api.payload(path).etag() : quoted(etag);
        JsonNode answer = api.replace(path, bytes, seen);
        server.print(
                answer,
                (edited, out) -> out.println(TaskRows.printable(
                        "The task " + id + " has another payload of " + edited.path("bytes") + " bytes")));
    }

    private void save(ApiClient.Payload found, Path file) {
        try {
            Files.write(file, found.bytes());
        } catch (IOException e) {
            throw new CliException(CliException.USAGE, "The payload can't be saved: " + e.getMessage());
        }
        ObjectNode saved = ApiClient.JSON.createObjectNode();
        saved.put("file", file.toString());
        saved.put("bytes", found.bytes().length);
        saved.put("etag", found.etag().replace("\"", ""));
        server.print(
                saved,
                (answer, out) -> out.println(TaskRows.printable("Saved " + found.bytes().length + " bytes in " + file
                        + ". To replace this payload: ./tandem tasks edit " + queue + " " + id + " --file " + file
                        + " --etag " + answer.path("etag").asString())));
    }

    /** Shells take the quotation marks of an ETag away. */
    private static String quoted(String etag) {
        return etag.startsWith("\"") ? etag : '"' + etag + '"';
    }
}
