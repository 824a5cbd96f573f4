package dev.tandem.server.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows operations on many tasks, and stops them. */
@Command(
        name = "operations",
        mixinStandardHelpOptions = true,
        description = {
            "Shows operations on many tasks, of all queues or of one, the latest first; or one of them. They are begun with "
                    + "--all of `dead` and `tasks`, and kept for a week after their end.",
            ""
        })
final class OperationsCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "QUEUE", arity = "0..1")
    private @Nullable String queue;

    @Parameters(index = "1", paramLabel = "OPERATION", arity = "0..1", description = "only this one")
    private @Nullable String operation;

    @Override
    public void run() {
        if (queue == null) {
            server.print(server.api().get(ApiClient.path("operations")), OperationRows::list);
        } else if (operation == null) {
            server.print(server.api().get(ApiClient.path("queues", queue, "operations")), OperationRows::list);
        } else {
            server.print(
                    server.api().get(ApiClient.path("queues", queue, "operations", operation)), OperationRows::one);
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = {"Ends an operation early. What it has changed stays changed.", ""})
    void stop(
            @Mixin ServerOptions stopServer,
            @Parameters(index = "0", paramLabel = "QUEUE") String stopQueue,
            @Parameters(index = "1", paramLabel = "OPERATION") String stopOperation) {
        stopServer.print(
                stopServer.api().post(ApiClient.path("queues", stopQueue, "operations", stopOperation, "stop")),
                (answer, out) -> out.println("The operation " + stopOperation + " stops"));
    }
}
