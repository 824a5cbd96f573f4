package dev.tandem.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The options that name what of a queue is paused or resumed. */
final class PausedOptions {

    /** One of the two. */
    static final class Part {
        @Option(names = "--type", paramLabel = "TYPE", description = "only tasks of this type")
        private @Nullable String type;

        @Option(names = "--key", paramLabel = "KEY", description = "only tasks of this key")
        private @Nullable String key;
    }

    @ArgGroup(exclusive = true)
    private Part part = new Part();

    /** Returns the path with what was named. */
    String query(String path) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("type", part.type);
        parameters.put("key", part.key);
        return ApiClient.query(path, parameters);
    }

    /** Returns what was named, for people. */
    String subject(String queue) {
        if (part.type != null) {
            return "The type '" + part.type + "' of the queue " + queue;
        }
        return part.key != null ? "The key '" + part.key + "' of the queue " + queue : "The queue " + queue;
    }
}
