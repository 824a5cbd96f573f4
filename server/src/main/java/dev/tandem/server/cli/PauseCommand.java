package dev.tandem.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Pauses a queue: no task of it starts any more. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        description = {"Starts no task of a queue any more, on any executor. Running ones go on.", ""})
final class PauseCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE")
    private String queue = "";

    @Override
    public void run() {
        server.print(
                server.api().post(ApiClient.path("queues", queue, "pause")),
                (answer, out) -> out.println("The queue " + queue + " is paused"));
    }
}
