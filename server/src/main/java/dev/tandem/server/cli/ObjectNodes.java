package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Helps to show one thing as a list of one. */
final class ObjectNodes {

    private ObjectNodes() {}

    static void single(String name, JsonNode one, BiConsumer<JsonNode, PrintWriter> list, PrintWriter out) {
        ObjectNode wrapper = ApiClient.JSON.createObjectNode();
        wrapper.putArray(name).add(one);
        list.accept(wrapper, out);
    }
}
