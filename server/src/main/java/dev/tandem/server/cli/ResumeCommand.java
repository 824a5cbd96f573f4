package dev.tandem.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Resumes a paused queue. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = {"Lets a paused queue go on.", ""})
final class ResumeCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE")
    private String queue = "";

    @Override
    public void run() {
        server.print(
                server.api().post(ApiClient.path("queues", queue, "resume")),
                (answer, out) -> out.println("The queue " + queue + " goes on"));
    }
}
