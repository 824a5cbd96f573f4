package dev.tandem.server.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** Shows the tasks in the store, or one of them. */
@Command(
        name = "tasks",
        mixinStandardHelpOptions = true,
        subcommands = EditCommand.class,
        description = {
            "Shows tasks in the platform's custody: running, delayed, waiting for a retry or behind their key, dead; and "
                    + "those that succeeded lately. What still waits in its broker is counted as lag.",
            ""
        })
final class TasksCommand implements Runnable {

    private static final String STATES = "with --all: only those in this state, or in several with commas";

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Mixin
    private final PageOptions page = new PageOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    // Not required for picocli, which would ask for it before a subcommand too.
    @Parameters(index = "0", paramLabel = "QUEUE", arity = "0..1")
    private @Nullable String queue;

    @Parameters(
            index = "1",
            paramLabel = "ID",
            arity = "0..1",
            description = "only this one, with its payload and its last attempts")
    private @Nullable String id;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description =
                    "active, scheduled, retry, parked, dead, succeeded, expired or cancelled (default: all, by due time)")
    private @Nullable String state;

    @Option(names = "--key", paramLabel = "KEY", description = "only those of this key")
    private @Nullable String key;

    @Option(names = "--type", paramLabel = "TYPE", description = "only those of this type")
    private @Nullable String type;

    @Option(names = "--id", paramLabel = "ID", description = "all with this id")
    private @Nullable String withId;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            converter = DurationUnit.class,
            description = "with an ID: wait so long for its end. The exit status is 1 unless it has succeeded by then")
    private @Nullable String wait;

    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = {
                "Cancels tasks that are scheduled, wait for their next attempt, or are parked behind their key: they never "
                        + "run. The handler of a task that runs is interrupted, wherever it is, but not with --all. Dead "
                        + "tasks are deleted with `dead delete`.",
                ""
            })
    void cancel(
            @Mixin ServerOptions cancelServer,
            @Mixin DeadCommand.ChosenTasks chosen,
            @Mixin MatchOptions match,
            @Mixin ConfirmOptions confirm,
            @Option(names = "--state", paramLabel = "STATE", description = STATES) @Nullable String ofState) {
        if (chosen.all(subcommand("cancel"), match)) {
            new OperationCall(cancelServer, chosen.queue(), match)
                    .change("cancel", parameter("state", ofState), "Cancel", "waiting", "cancelled", confirm);
            return;
        }
        ApiClient api = cancelServer.api();
        List<String> interrupted = new ArrayList<>();
        TaskChanges changes = new TaskChanges(false, each -> {
            JsonNode answer = api.post(ApiClient.path("queues", chosen.queue(), "tasks", each, "cancel"));
            if (answer.path("state").asString("").equals("interrupted")) {
                interrupted.add(each);
            }
            return answer;
        });
        changes.make(chosen.ids(), cancelServer);
        interrupted.forEach(
                each -> changes.note("Its executor was told to end " + each + ", and its end is not recorded yet."));
        changes.print(cancelServer, "cancelled");
    }

    @Command(
            name = "reschedule",
            mixinStandardHelpOptions = true,
            description = {"Gives tasks that are scheduled, or wait for their next attempt, another time.", ""})
    void reschedule(
            @Mixin ServerOptions rescheduleServer,
            @ArgGroup(multiplicity = "1") When when,
            @Mixin DeadCommand.ChosenTasks chosen,
            @Mixin MatchOptions match,
            @Mixin ConfirmOptions confirm,
            @Option(names = "--state", paramLabel = "STATE", description = STATES) @Nullable String ofState) {
        Map<String, @Nullable String> parameters = parameter("at", when.at);
        parameters.put("delay", when.now ? "0" : when.delay);
        if (chosen.all(subcommand("reschedule"), match)) {
            parameters.put("state", ofState);
            new OperationCall(rescheduleServer, chosen.queue(), match)
                    .change("reschedule", parameters, "Reschedule", "waiting", "rescheduled", confirm);
            return;
        }
        ApiClient api = rescheduleServer.api();
        TaskChanges changes = new TaskChanges(
                false,
                each -> api.post(ApiClient.query(
                        ApiClient.path("queues", chosen.queue(), "tasks", each, "reschedule"), parameters)));
        changes.make(chosen.ids(), rescheduleServer);
        changes.print(rescheduleServer, "rescheduled");
    }

    private static Map<String, @Nullable String> parameter(String name, @Nullable String value) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put(name, value);
        return parameters;
    }

    private CommandSpec subcommand(String name) {
        return spec.subcommands().get(name).getCommandSpec();
    }

    /** The new time of a task. */
    static final class When {
        @Option(names = "--at", paramLabel = "TIME", description = "epoch milliseconds or ISO-8601")
        private @Nullable String at;

        @Option(
                names = "--delay",
                paramLabel = "DURATION",
                converter = DurationUnit.class,
                description = "from now: 30s, 5m or PT30S")
        private @Nullable String delay;

        @Option(names = "--now", description = "now")
        private boolean now;
    }

    @Override
    public void run() {
        if (queue == null) {
            throw new ParameterException(spec.commandLine(), "Missing required parameter: 'QUEUE'");
        }
        if (wait != null) {
            if (id == null) {
                throw new ParameterException(spec.commandLine(), "--wait needs the ID of the task to wait for");
            }
            new TaskWait(server, wait).run(queue, id);
            return;
        }
        if (id != null) {
            server.print(server.api().get(ApiClient.path("queues", queue, "tasks", id)), TaskRows::one);
            return;
        }
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("state", state);
        parameters.put("key", key);
        parameters.put("type", type);
        parameters.put("id", withId);
        page.printPages(server, ApiClient.path("queues", queue, "tasks"), parameters, TaskRows::list);
    }
}
