package dev.tandem.server.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Changes tasks one by one, and says what became of them. */
final class TaskChanges {

    private static final int MAX_NOTES = 10;

    private final boolean goesOn;
    private final Function<String, JsonNode> change;
    private final List<String> notes = new ArrayList<>();
    private int changed;
    private int refused;

    /**
     * Prepares changes.
     *
     * @param goesOn whether to go on when one is refused, since the task may have changed after it was listed
     * @param change changes the task with this id or reference; returns the server's answer
     */
    TaskChanges(boolean goesOn, Function<String, JsonNode> change) {
        this.goesOn = goesOn;
        this.change = change;
    }

    /** Makes the changes, one after another, and shows how far that is. */
    void make(List<String> refs, ServerOptions server) {
        Progress progress = new Progress(server);
        try {
            for (String ref : refs) {
                make(ref);
                progress.show(changed + refused, refs.size(), changed + refused + " of " + count(refs.size()));
            }
        } finally {
            progress.end();
        }
    }

    private void make(String ref) {
        try {
            JsonNode answer = change.apply(ref);
            changed++;
            if (answer.has("opened")) {
                note("The key " + answer.path("opened").asString() + " goes on.");
            }
        } catch (CliException e) {
            if (!goesOn || e.status() != CliException.REFUSED) {
                throw changed == 0
                        ? e
                        : new CliException(e.status(), e.getMessage() + " (" + count(changed) + " before that: done)");
            }
            refused++;
            note(e.getMessage());
        }
    }

    /** Adds a line to what is printed. Only the first ones are kept. */
    void note(String line) {
        if (notes.size() < MAX_NOTES) {
            notes.add(line);
        }
    }

    /** Prints the result. @param done what was done to a task, such as "deleted" */
    void print(ServerOptions server, String done) {
        ObjectNode answer = ApiClient.JSON.createObjectNode();
        answer.put("changed", changed);
        answer.put("refused", refused);
        ArrayNode lines = answer.putArray("notes");
        notes.forEach(lines::add);
        server.print(answer, (it, out) -> {
            out.println(count(changed) + " " + done + (refused == 0 ? "" : ", " + refused + " refused"));
            notes.forEach(line -> out.println(TaskRows.printable(line)));
        });
    }

    static String count(int tasks) {
        return tasks == 1 ? "1 task" : tasks + " tasks";
    }
}
