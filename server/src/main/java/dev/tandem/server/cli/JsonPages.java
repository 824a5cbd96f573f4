package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;

/** Prints the pages of a long list as one JSON document, without keeping them. */
final class JsonPages {

    /** Fields that describe one page only. */
    private static final Set<String> OF_PAGE = Set.of("next", "partial");

    private final PrintWriter out;
    private final JsonGenerator json;
    private @Nullable String list;

    JsonPages(PrintWriter out) {
        this.out = out;
        this.json = ApiClient.JSON
                .writer()
                .with(SerializationFeature.INDENT_OUTPUT)
                .without(StreamWriteFeature.AUTO_CLOSE_TARGET)
                .createGenerator(out);
    }

    /** Prints a page. The first list in it is the one that goes on from page to page. */
    void add(JsonNode page) {
        if (list == null) {
            json.writeStartObject();
            list = begin(page);
        }
        page.path(list).forEach(json::writePOJO);
        json.flush();
    }

    /** Writes what stands beside the list, and begins the list. @return its name */
    private String begin(JsonNode page) {
        String found = "";
        for (Map.Entry<String, JsonNode> property : page.properties()) {
            if (found.isEmpty() && property.getValue().isArray()) {
                found = property.getKey();
            } else if (!OF_PAGE.contains(property.getKey())) {
                json.writePOJOProperty(property.getKey(), property.getValue());
            }
        }
        json.writeArrayPropertyStart(found);
        return found;
    }

    void end() {
        json.writeEndArray();
        json.writeEndObject();
        json.close();
        out.println();
        out.flush();
    }
}
