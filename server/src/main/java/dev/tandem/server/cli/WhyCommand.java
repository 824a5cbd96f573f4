package dev.tandem.server.cli;

import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says why a key or a task does not move. */
@Command(
        name = "why",
        mixinStandardHelpOptions = true,
        description = {
            "Says why a key does not move: the cause, when it will, and what to do. With --task, why a task does not.",
            ""
        })
final class WhyCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "KEY")
    private @Nullable String key;

    @Option(names = "--task", paramLabel = "ID", description = "a task: its id, or its ref such as @3/1:17")
    private @Nullable String task;

    @Override
    public void run() {
        String path;
        if (key != null && task == null) {
            path = ApiClient.path("queues", queue, "keys", key, "why");
        } else if (task != null && key == null) {
            path = ApiClient.path("queues", queue, "tasks", task, "why");
        } else {
            throw new CliException(CliException.USAGE, "Name a key, or a task with --task");
        }
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        parameters.put("zone", ZoneId.systemDefault().getId());
        server.print(
                server.api().get(ApiClient.query(path, parameters)),
                (answer, out) ->
                        out.println(TaskRows.printable(answer.path("text").asString(""))));
    }
}
