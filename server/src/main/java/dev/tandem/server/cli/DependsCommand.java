package dev.tandem.server.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows for which tasks a task waits, and which ones wait for it. */
@Command(
        name = "depends",
        mixinStandardHelpOptions = true,
        description = {"Shows for which tasks a task waits, and which tasks wait for it.", ""})
final class DependsCommand implements Runnable {

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "QUEUE")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "ID", description = "the task's id, or its ref such as @3/1:17")
    private String id = "";

    @Override
    public void run() {
        server.print(server.api().get(ApiClient.path("queues", queue, "tasks", id, "dependencies")), this::print);
    }

    private void print(JsonNode answer, PrintWriter out) {
        out.println(TaskRows.printable(id) + " is " + answer.path("state").asString(""));
        if (!answer.has("waitsFor")) {
            out.println("It waits for no other task");
        }
        for (JsonNode each : answer.path("waitsFor")) {
            String task = each.has("ref")
                    ? " (" + each.path("id").asString("") + ", "
                            + each.path("ref").asString("") + ")"
                    : "";
            out.println((each.path("over").asBoolean(false) ? "waited for " : "waits for ")
                    + TaskRows.printable(each.path("queue").asString("") + "/"
                            + each.path("key").asString("") + task)
                    + ": " + each.path("state").asString(""));
        }
        for (JsonNode each : answer.path("waiting")) {
            out.println("is awaited by "
                    + TaskRows.printable(each.path("queue").asString("") + " "
                            + each.path("ref").asString("")));
        }
    }
}
