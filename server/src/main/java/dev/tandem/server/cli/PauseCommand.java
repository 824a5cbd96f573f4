package dev.tandem.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Pauses a queue, or a type or a key of it: no task of it starts any more. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        description = {
            "Starts no task of a queue any more, or of one type or key of it, on any executor. Running ones go on.",
            ""
        })
final class PauseCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE")
    private String queue = "";

    @Mixin
    private final PausedOptions which = new PausedOptions();

    @Override
    public void run() {
        server.print(
                server.api().post(which.query(ApiClient.path("queues", queue, "pause"))),
                (answer, out) -> out.println(which.subject(queue) + " is paused"));
    }
}
