package dev.tandem.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes what a task waits for as its headers, which executors read. */
final class Dependencies {

    static final String ON = "tandem-depends-on";

    private static final String POLICY = "tandem-depends-policy";
    private static final String TIMEOUT = "tandem-depends-timeout";
    private static final String QUEUE = "[A-Za-z0-9._-]{1,200}";
    private static final int MAX_IDS = 32;

    private Dependencies() {}

    /** @param prefix what comes before each id */
    private static Map<String, String> on(String prefix, String... ids) {
        List<String> all = new ArrayList<>(ids.length);
        for (String id : ids) {
            if (id.isBlank() || !id.equals(id.strip())) {
                throw new InvalidTaskException("The task's dependsOn has the id '" + id
                        + "': give the deduplication key of a task, without blanks around it");
            }
            all.add(written(prefix, id));
        }
        if (all.isEmpty() || all.size() > MAX_IDS) {
            throw new InvalidTaskException("The task's dependsOn has " + all.size() + " ids: it must have 1 to "
                    + MAX_IDS + ". Let the task wait for one task that waits for the others");
        }
        return Map.of(ON, String.join(",", all));
    }

    private static String written(String prefix, String id) {
        String written = id.replace("%", "%25").replace(",", "%2C");
        return prefix + (prefix.isEmpty() && written.startsWith("//") ? "%2F" + written.substring(1) : written);
    }

    /** @throws InvalidTaskException if a task waits for itself */
    static void check(TaskRequest<?> task) {
        String ids = task.options().headers().get(ON);
        String own = task.options().dedupKey();
        if (ids != null && own != null) {
            List<String> all = List.of(ids.split(","));
            if (all.contains(written("", own)) || all.contains(written("//" + task.queue() + "/", own))) {
                throw new InvalidTaskException("The task's dependsOn has its own dedupKey '" + own
                        + "', so it would wait for itself: leave that id out, or give the task another dedupKey");
            }
        }
    }

    static Map<String, String> on(String... ids) {
        return on("", ids);
    }

    static Map<String, String> onTasksOf(String queue, String... ids) {
        if (!queue.matches(QUEUE)) {
            throw new InvalidTaskException("The task's dependsOn names the queue '" + queue
                    + "': a queue's name has 1 to 200 letters, digits, dots, underscores or hyphens");
        }
        return on("//" + queue + "/", ids);
    }

    static Map<String, String> policy(String value) {
        return Map.of(POLICY, value);
    }

    static Map<String, String> timeout(long millis) {
        return Map.of(TIMEOUT, Long.toString(millis));
    }

    /** Whether a header is one of those that this class writes. What it says is checked when it is read. */
    static boolean isOne(String name) {
        return Set.of(ON, POLICY, TIMEOUT).contains(name);
    }

    /** Adds the headers of further options. The ids that both have are joined. */
    static void join(Map<String, String> all, Map<String, String> more) {
        String before = all.get(ON);
        all.putAll(more);
        String after = more.get(ON);
        if (before != null && after != null) {
            all.put(ON, before + "," + after);
        }
    }
}
