package dev.tandem.server.demo;

import dev.tandem.local.LocalProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Server processes on this machine: one that serves the API, and executors that can be killed for real. */
final class LocalServers implements AutoCloseable {

    /** For processes that live for minutes: start quickly rather than run fast for hours. */
    private static final List<String> JVM =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData");

    /** By name: a child's program, which in turn knows this package's handler. */
    private static final String MAIN = "dev.tandem.server.TandemServer";

    private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(2);

    private final Path folder;
    private final Path temporary;
    private final Path settings;
    private final int port;
    private final List<LocalProcess> processes = new ArrayList<>();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(HEALTH_TIMEOUT).build();

    /**
     * @param folder for logs and event files
     * @param settings YAML that all processes read
     */
    LocalServers(Path folder, String settings, int port) {
        this.folder = folder;
        this.port = port;
        this.settings = folder.resolve("tandem.yml");
        this.temporary = folder.resolve("tmp");
        try {
            Files.createDirectories(temporary);
            Files.writeString(this.settings, settings);
        } catch (IOException e) {
            throw new UncheckedIOException("The folder " + folder + " can't be written: " + e.getMessage(), e);
        }
    }

    /** Starts the process with the API. @param executes whether it runs tasks itself */
    LocalProcess server(boolean executes) {
        return start("server", List.of("--server.port=" + port, "--tandem.executor.enabled=" + executes));
    }

    /** Starts a process without an API that runs tasks and writes its events to {@link #events}. */
    LocalProcess executor(String name) {
        return start(
                name,
                List.of(
                        "--spring.main.web-application-type=none",
                        "--spring.main.keep-alive=true",
                        "--tandem.executor.id=" + name,
                        // Over what the settings' file says.
                        "--tandem.demo.events=" + events(name)));
    }

    private LocalProcess start(String name, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of("--config", settings.toString()));
        arguments.addAll(more);
        List<String> options = new ArrayList<>(JVM);
        // One that is killed leaves its web server's folders behind: they go with ours.
        options.add("-Djava.io.tmpdir=" + temporary);
        LocalProcess process = LocalProcess.java(name, System.getProperty("java.class.path"), options, MAIN, arguments)
                .directory(folder)
                .log(log(name))
                .start();
        processes.add(process);
        return process;
    }

    Path log(String name) {
        return folder.resolve(name + ".log");
    }

    Path events(String name) {
        return folder.resolve(name + ".events");
    }

    String api() {
        return "http://127.0.0.1:" + port;
    }

    /** What the API's health says: UP, DOWN, or nothing yet. */
    String health() {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(api() + "/actuator/health"))
                    .timeout(HEALTH_TIMEOUT)
                    .build();
            int status = http.send(request, BodyHandlers.discarding()).statusCode();
            return status == 200 ? "UP" : "DOWN";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /** The processes that ended though nobody asked them to. */
    List<LocalProcess> ended() {
        return processes.stream().filter(process -> !process.isRunning()).toList();
    }

    @Override
    public void close() {
        processes.parallelStream().forEach(LocalProcess::close);
    }
}
