package dev.tandem.server.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Resumes a paused queue, or a paused type or key of it. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        description = {"Lets a paused queue go on, or a paused type or key of it.", ""})
final class ResumeCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "QUEUE")
    private String queue = "";

    @Mixin
    private final PausedOptions which = new PausedOptions();

    @Override
    public void run() {
        server.print(
                server.api().post(which.query(ApiClient.path("queues", queue, "resume"))),
                (answer, out) -> out.println(which.subject(queue) + " goes on"));
    }
}
