package dev.tandem.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the tasks in the store, or one of them. */
@Command(
        name = "tasks",
        mixinStandardHelpOptions = true,
        description = {
            "Shows tasks in the platform's custody: running, delayed, waiting for a retry or behind their key, dead; and "
                    + "those that succeeded lately. What still waits in its broker is counted as lag.",
            ""
        })
final class TasksCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Mixin
    private final PageOptions page = new PageOptions();

    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Parameters(
            index = "1",
            paramLabel = "ID",
            arity = "0..1",
            description = "only this one, with its payload and its last attempts")
    private @Nullable String id;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "active, scheduled, retry, parked, dead or succeeded (default: ${DEFAULT-VALUE})",
            defaultValue = "active")
    private String state = "active";

    @Override
    public void run() {
        if (id != null) {
            server.print(server.api().get(ApiClient.path("queues", queue, "tasks", id)), TaskRows::one);
            return;
        }
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("state", state);
        page.printPages(server, ApiClient.path("queues", queue, "tasks"), parameters, TaskRows::list);
    }
}
