package dev.tandem.server.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows fan-outs and their progress, counts them again, cancels and ends them. */
@Command(
        name = "fan-outs",
        mixinStandardHelpOptions = true,
        description = {"Shows fan-outs and how far they are; recounts, cancels and ends them.", ""})
final class FanOutsCommand extends CommandGroup {

    private static final String FAN_OUTS = "fan-outs";
    private static final long LOOK_MILLIS = 500;

    FanOutsCommand() {
        super("list, show, recount, cancel or end?");
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {"Shows fan-outs that have not ended, the latest first.", ""})
    void list(
            @Mixin ServerOptions server,
            @Mixin PageOptions page,
            @Option(names = "--ended", description = "those that have ended") boolean ended) {
        Map<String, @Nullable String> parameters = new LinkedHashMap<>();
        if (ended) {
            parameters.put("ended", "true");
        }
        page.printPages(server, ApiClient.path(FAN_OUTS), parameters, FanOutRows::list);
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = {"Shows one fan-out: how many of its subtasks have ended, and the first errors.", ""})
    void show(
            @Mixin ServerOptions server,
            @Parameters(paramLabel = "FAN-OUT") String fanOut,
            @Option(names = "--watch", description = "until it has ended, with a bar") boolean watch)
            throws InterruptedException {
        String path = ApiClient.path(FAN_OUTS, fanOut);
        JsonNode shown = server.api().get(path);
        while (watch && !server.isForPrograms() && !FanOutRows.hasEnded(shown)) {
            server.progress(FanOutRows.bar(shown));
            Thread.sleep(LOOK_MILLIS);
            shown = server.api().get(path);
        }
        if (watch && !server.isForPrograms()) {
            server.progress("");
            server.warn(FanOutRows.bar(shown));
        }
        server.print(shown, FanOutRows::one);
    }

    @Command(
            name = "recount",
            mixinStandardHelpOptions = true,
            description = {"Counts a fan-out's subtasks by their bits, and names those that have not ended.", ""})
    void recount(@Mixin ServerOptions server, @Parameters(paramLabel = "FAN-OUT") String fanOut) {
        server.print(server.api().get(ApiClient.path(FAN_OUTS, fanOut, "recount")), FanOutRows::recount);
    }

    @Command(
            name = "cancel",
            mixinStandardHelpOptions = true,
            description = {"Keeps subtasks from running that have not begun. The final task comes all the same.", ""})
    void cancel(@Mixin ServerOptions server, @Parameters(paramLabel = "FAN-OUT") String fanOut) {
        server.print(
                server.api().post(ApiClient.path(FAN_OUTS, fanOut, "cancel")),
                (answer, out) ->
                        out.println("Subtasks of fan-out " + fanOut + " that have not begun do not run any more"));
    }

    @Command(
            name = "end",
            mixinStandardHelpOptions = true,
            description = {
                "Gives up the subtasks of a cancelled fan-out that have not ended, because they are lost.",
                "They count as cancelled, and the final task comes.",
                ""
            })
    void end(@Mixin ServerOptions server, @Parameters(paramLabel = "FAN-OUT") String fanOut) {
        server.print(
                server.api().post(ApiClient.path(FAN_OUTS, fanOut, "end")),
                (answer, out) -> out.println("Fan-out " + fanOut + " waits for no subtask any more"));
    }
}
