package dev.tandem.server.console;

import dev.tandem.server.api.ArchiveReader;
import dev.tandem.server.api.TaskReader.Choice;
import dev.tandem.task.UrlText;
import org.jspecify.annotations.Nullable;

/** The addresses of pages and of routes of the API, with names of any characters in them. */
final class Links {

    private Links() {}

    /**
     * Returns a name as a part of a path. Browsers take lone dots, however they are encoded, as steps within the path. With an empty
     * parameter behind them, which the server leaves out, they do not.
     */
    static String part(String name) {
        return name.equals(".") || name.equals("..") ? name + ";" : value(name);
    }

    /** Returns a text as a value of a query. */
    static String value(String text) {
        return UrlText.queryValue(text);
    }

    static String queue(String queue) {
        return "/queues/" + part(queue);
    }

    /** Returns the route of the API that has a queue. */
    static String api(String queue) {
        return "/api/v1/queues/" + part(queue);
    }

    /** Returns the list of tasks, without what chooses some. */
    static String tasks(String queue) {
        return queue(queue) + "/tasks";
    }

    /** Returns the list of the tasks in a state. @param state null for all */
    static String tasks(String queue, @Nullable String state) {
        return tasks(queue, new Choice(state), null);
    }

    /** Returns a page of a list of tasks. @param cursor null for the first one */
    static String tasks(String queue, Choice choice, @Nullable String cursor) {
        return tasks(queue) + query(choice, parameter("cursor", cursor));
    }

    /** @param name the id or the reference of the task */
    static String task(String queue, String name) {
        return tasks(queue) + "/" + part(name);
    }

    /** Returns the route of the API that has a task. */
    static String apiTask(String queue, String ref) {
        return api(queue) + "/tasks/" + part(ref);
    }

    /** Returns the list of all tasks of a key. */
    static String tasksOfKey(String queue, String key) {
        return tasks(queue, new Choice(null, null, key, null, null, null, null), null);
    }

    /** Returns the page of the dead tasks by type and error. */
    static String dead(String queue) {
        return queue(queue) + "/dead";
    }

    /** Returns a page of the list of blocked keys. @param cursor null for the first one */
    static String keys(String queue, @Nullable String cursor) {
        return queue(queue) + "/keys" + (cursor == null ? "" : "?cursor=" + value(cursor));
    }

    static String key(String queue, String key) {
        return queue(queue) + "/keys/" + part(key);
    }

    /** Returns the page that says what became of the tasks of a key. */
    static String timeline(String queue, String key) {
        return key(queue, key) + "/timeline";
    }

    /** Returns the route of the API that has a key. */
    static String apiKey(String queue, String key) {
        return api(queue) + "/keys/" + part(key);
    }

    /** Returns the route of the API that begins an operation on all tasks of a list. */
    static String operation(String queue, String action, Choice choice) {
        return api(queue) + "/operations" + query(choice, parameter("action", action));
    }

    /** Returns the page of an operation. */
    static String operationPage(String queue, String id) {
        return queue(queue) + "/operations/" + part(id);
    }

    /** Returns a page of the list of ends in the archive. @param cursor null for the first one */
    static String archive(ArchiveReader.Choice choice, @Nullable String cursor) {
        String all = parameter("queue", choice.queue())
                + parameter("id", choice.id())
                + parameter("key", choice.key())
                + parameter("type", choice.type())
                + parameter("state", choice.state())
                + parameter("from", choice.from())
                + parameter("until", choice.until())
                + parameter("cursor", cursor);
        return "/archive" + (all.isEmpty() ? "" : "?" + all.substring(1));
    }

    /** Returns the page of a task in the archive. */
    static String archived(String queue, String name) {
        return "/archive/" + part(queue) + "/" + part(name);
    }

    private static String query(Choice choice, String last) {
        String all = parameter("state", choice.state())
                + parameter("partition", choice.partition())
                + parameter("key", choice.key())
                + parameter("type", choice.type())
                + parameter("id", choice.id())
                + parameter("fingerprint", choice.fingerprint())
                + parameter("died-after", choice.diedAfter())
                + last;
        return all.isEmpty() ? "" : "?" + all.substring(1);
    }

    private static String parameter(String name, @Nullable String value) {
        return value == null ? "" : "&" + name + "=" + value(value);
    }
}
