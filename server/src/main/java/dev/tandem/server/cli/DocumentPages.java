package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;

/** Prints the pages of a long list as one JSON or YAML document, without keeping them. */
final class DocumentPages {

    /** Fields that describe one page only. */
    private static final Set<String> OF_PAGE = Set.of("next", "partial");

    private final PrintWriter out;
    /** Null for YAML. */
    private final @Nullable JsonGenerator json;

    private @Nullable String list;
    private boolean empty = true;

    DocumentPages(PrintWriter out, boolean yaml) {
        this.out = out;
        this.json = yaml
                ? null
                : ApiClient.JSON
                        .writer()
                        .with(SerializationFeature.INDENT_OUTPUT)
                        .without(StreamWriteFeature.AUTO_CLOSE_TARGET)
                        .createGenerator(new ControlEscapes(out));
    }

    /** Prints a page. The first list in it is the one that goes on from page to page. */
    void add(JsonNode page) {
        if (list == null) {
            list = begin(page);
        }
        page.path(list).forEach(this::element);
        if (json != null) {
            json.flush();
        }
        out.flush();
    }

    /** Writes what stands beside the list, and begins the list. @return its name */
    private String begin(JsonNode page) {
        if (json != null) {
            json.writeStartObject();
        }
        String found = "";
        for (Map.Entry<String, JsonNode> property : page.properties()) {
            if (found.isEmpty() && property.getValue().isArray()) {
                found = property.getKey();
            } else if (!OF_PAGE.contains(property.getKey())) {
                property(property.getKey(), property.getValue());
            }
        }
        if (json != null) {
            json.writeArrayPropertyStart(found);
        }
        return found;
    }

    private void property(String name, JsonNode value) {
        if (json != null) {
            json.writePOJOProperty(name, value);
        } else {
            out.print(YamlText.property(name, value));
        }
    }

    private void element(JsonNode value) {
        if (json != null) {
            json.writePOJO(value);
            return;
        }
        if (empty) {
            out.println(YamlText.name(String.valueOf(list)) + ":");
            empty = false;
        }
        out.print(YamlText.element(value));
    }

    void end() {
        if (json != null) {
            json.writeEndArray();
            json.writeEndObject();
            json.close();
            out.println();
        } else if (empty) {
            out.println(YamlText.name(String.valueOf(list)) + ": []");
        }
        out.flush();
    }
}
