package dev.tandem.server.cli;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Shows all queues, again and again. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        description = {
            "Shows all queues and how many of their tasks end, again and again, those where most waits first. Ctrl-C ends it.",
            "Into a pipe or a file it writes one picture.",
            ""
        })
final class TopCommand implements Runnable {

    private static final int OTHER_LINES = 3;
    private static final int LONGEST_INTERVAL = 3_600;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(names = "--once", description = "one picture, without rates")
    private boolean once;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "how often it looks (default: ${DEFAULT-VALUE})")
    private int interval;

    @Override
    public void run() {
        if (interval < 1 || interval > LONGEST_INTERVAL) {
            throw new CliException(
                    CliException.USAGE, "--interval is " + interval + ": give 1 to " + LONGEST_INTERVAL + " seconds");
        }
        ApiClient api = server.api();
        if (once || server.isForPrograms() || !ConfirmOptions.hasTerminal()) {
            server.print(
                    api.get(ApiClient.path("queues")),
                    (answer, out) -> new TopFrame(null, answer, 0).print(Integer.MAX_VALUE, out));
            return;
        }
        JsonNode before = null;
        long beforeAt = 0;
        while (!Thread.currentThread().isInterrupted()) {
            try {
                JsonNode now = api.get(ApiClient.path("queues"));
                long at = System.nanoTime();
                show(before, now, (at - beforeAt) / 1e9);
                before = now;
                beforeAt = at;
            } catch (CliException e) {
                if (before == null || e.status() != CliException.UNREACHABLE) {
                    throw e;
                }
                server.warn(String.valueOf(e.getMessage()));
            }
            sleep();
        }
    }

    private void show(@Nullable JsonNode before, JsonNode now, double seconds) {
        PrintWriter out = server.out();
        out.print(Screen.CLEAR);
        out.println(server.address() + ", every " + interval + " s, Ctrl-C ends");
        new TopFrame(before, now, seconds).print(Screen.lines() - OTHER_LINES, out);
        out.flush();
    }

    private void sleep() {
        try {
            TimeUnit.SECONDS.sleep(interval);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
