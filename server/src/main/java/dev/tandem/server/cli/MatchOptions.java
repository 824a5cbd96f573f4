package dev.tandem.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that change all tasks that match. */
final class MatchOptions {

    @Option(names = "--all", description = "all tasks that match the options below, in the server")
    private boolean all;

    @Option(names = "--partition", paramLabel = "NAME", description = "with --all: only those of this partition")
    private @Nullable String partition;

    @Option(names = "--key", paramLabel = "KEY", description = "with --all: only those of this key")
    private @Nullable String key;

    @Option(names = "--type", paramLabel = "TYPE", description = "with --all: only those of this type")
    private @Nullable String type;

    @Option(
            names = "--error",
            paramLabel = "TEXT",
            description = "with --all: only those whose last error has this text")
    private @Nullable String error;

    @Option(
            names = "--fingerprint",
            paramLabel = "FINGERPRINT",
            description = "with --all: only those with the type and error of a group of 'dead groups'")
    private @Nullable String fingerprint;

    @Option(
            names = "--due-after",
            paramLabel = "TIME",
            description = "with --all: only those due then or later: epoch milliseconds, ISO-8601, or +2h from now")
    private @Nullable String dueAfter;

    @Option(names = "--due-before", paramLabel = "TIME", description = "with --all: only those due earlier")
    private @Nullable String dueBefore;

    @Option(
            names = "--died-after",
            paramLabel = "TIME",
            description = "with --all: only those that died then or later, such as -1h")
    private @Nullable String diedAfter;

    @Option(names = "--died-before", paramLabel = "TIME", description = "with --all: only those that died earlier")
    private @Nullable String diedBefore;

    @Option(
            names = "--published-after",
            paramLabel = "TIME",
            description = "with --all: only those sent then or later, if that is known")
    private @Nullable String publishedAfter;

    @Option(names = "--published-before", paramLabel = "TIME", description = "with --all: only those sent earlier")
    private @Nullable String publishedBefore;

    @Option(
            names = "--operation",
            paramLabel = "ID",
            description = "with --all: an id, so that the command may be repeated (default: the server makes one)")
    private @Nullable String operation;

    @Option(names = "--dry-run", description = "with --all: count the tasks, and change none")
    private boolean dryRun;

    @Option(
            names = "--detach",
            description = "with --all: do not wait for the end; ./tandem operations shows how far it is")
    private boolean detach;

    boolean isAll() {
        return all;
    }

    boolean isDryRun() {
        return dryRun;
    }

    boolean isDetached() {
        return detach;
    }

    /** Returns whether an option is given that has an effect with {@code --all} only. */
    boolean isNarrowed() {
        return !parameters("").values().stream().allMatch(value -> value == null || value.isEmpty())
                || operation != null
                || dryRun
                || detach;
    }

    @Nullable
    String operation() {
        return operation;
    }

    /** Returns the parameters of the request, without the id of the operation. */
    Map<String, @Nullable String> parameters(String action) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("action", action);
        parameters.put("partition", partition);
        parameters.put("key", key);
        parameters.put("type", type);
        parameters.put("error", error);
        parameters.put("fingerprint", fingerprint);
        parameters.put("due-after", dueAfter);
        parameters.put("due-before", dueBefore);
        parameters.put("died-after", diedAfter);
        parameters.put("died-before", diedBefore);
        parameters.put("published-after", publishedAfter);
        parameters.put("published-before", publishedBefore);
        return parameters;
    }
}
