package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The options of commands that list things in pages. */
final class PageOptions {

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "how many at most on a page (default: ${DEFAULT-VALUE})",
            defaultValue = "50")
    private int limit = 50;

    @Option(names = "--cursor", paramLabel = "CURSOR", description = "where the page before ended")
    private @Nullable String cursor;

    @Option(names = "--all", description = "all pages")
    private boolean all;

    /**
     * Prints one page, or with {@code --all} each page as it arrives. As JSON, all pages are one document with one list.
     */
    void printPages(
            ServerOptions server,
            String path,
            Map<String, @Nullable String> parameters,
            BiConsumer<JsonNode, PrintWriter> forPeople) {
        ApiClient api = server.api();
        String from = cursor;
        JsonPages pages = all && server.isJson() ? new JsonPages(server.out()) : null;
        do {
            Map<String, @Nullable String> query = new LinkedHashMap<>(parameters);
            query.put("limit", Integer.toString(limit));
            query.put("cursor", from);
            JsonNode answer = api.get(ApiClient.query(path, query));
            from = answer.path("next").isMissingNode()
                    ? null
                    : answer.path("next").asString();
            if (pages == null) {
                server.print(answer, forPeople);
            } else {
                pages.add(answer);
            }
        } while (all && from != null);
        if (pages != null) {
            pages.end();
        }
    }
}
