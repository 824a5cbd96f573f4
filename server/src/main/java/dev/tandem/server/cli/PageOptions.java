package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The options of commands that list things in pages. */
final class PageOptions {

    /** How many keys are read at once in search of some of them. */
    private static final int SEARCH_PAGE = 500;

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
     * Prints a page of blocked keys, never more than the limit: Redis may find more at once.
     *
     * @param why only those that are blocked for this reason; null for all
     */
    void printKeys(ServerOptions server, String path, @Nullable String why) {
        int most = all ? Integer.MAX_VALUE : limit;
        if (why == null) {
            printPages(server, path, new LinkedHashMap<>(), (answer, out) -> KeyRows.list(answer, most, out));
        } else {
            server.print(search(server.api(), path, why), (answer, out) -> KeyRows.list(answer, most, out));
        }
    }

    /** Reads pages until enough keys are found. */
    private ObjectNode search(ApiClient api, String path, String why) {
        ObjectNode found = ApiClient.JSON.createObjectNode();
        ArrayNode keys = found.putArray("keys");
        String from = cursor;
        do {
            Map<String, @Nullable String> query = new LinkedHashMap<>();
            query.put("limit", Integer.toString(SEARCH_PAGE));
            query.put("cursor", from);
            JsonNode page = api.get(ApiClient.query(path, query));
            page.path("keys").forEach(key -> {
                if (key.path("why").asString("").equals(why)) {
                    keys.add(key);
                }
            });
            from = page.path("next").isMissingNode() ? null : page.path("next").asString();
        } while (from != null && (all || keys.size() < limit));
        if (from != null) {
            found.put("next", from);
        }
        return found;
    }

    /**
     * Prints one page, or with {@code --all} each page as it arrives. As JSON and YAML, all pages are one document with one list.
     */
    void printPages(
            ServerOptions server,
            String path,
            Map<String, @Nullable String> parameters,
            BiConsumer<JsonNode, PrintWriter> forPeople) {
        ApiClient api = server.api();
        String from = cursor;
        DocumentPages pages = all && server.isForPrograms() ? new DocumentPages(server.out(), server.isYaml()) : null;
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
