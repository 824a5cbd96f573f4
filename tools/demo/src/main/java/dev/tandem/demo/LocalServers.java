package dev.tandem.demo;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.server.credentials.TokenFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Server processes on this machine: one that serves the API, and executors that can be killed. */
final class LocalServers implements AutoCloseable {

    /** The processes live for minutes, so a quick start matters more than peak speed. */
    private static final List<String> JVM = JvmOptions.quickStart("256m", "-Xshare:auto");

    private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(2);

    private final Path folder;
    private final Path temporaryFolder;
    private final Path settings;
    private final int port;
    private final Path portFile;
    private final List<LocalProcess> processes = new ArrayList<>();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(HEALTH_TIMEOUT).build();

    /**
     * @param folder the folder for logs and event logs
     * @param settings the settings of all processes, as YAML
     * @param port the port of the API
     */
    LocalServers(Path folder, String settings, int port) {
        this.folder = folder;
        this.port = port;
        this.settings = folder.resolve("tandem.yml");
        this.temporaryFolder = folder.resolve("tmp");
        this.portFile = folder.resolve("server.port");
        try {
            Files.createDirectories(temporaryFolder);
            Files.writeString(this.settings, settings);
        } catch (IOException e) {
            throw new UncheckedIOException("The folder " + folder + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** Starts the process that serves the API. @param runsTasks whether it runs tasks too */
    LocalProcess server(boolean runsTasks) {
        return server(List.of("--tandem.executor.enabled=" + runsTasks));
    }

    /** Starts the process that serves the API with a person's own settings, which those of all processes override. */
    LocalProcess server(Path ownSettings) {
        // Of two files the later one counts.
        return server(List.of("--config", ownSettings.toString(), "--config", settings.toString()));
    }

    private LocalProcess server(List<String> more) {
        try {
            Files.deleteIfExists(portFile);
        } catch (IOException e) {
            throw new UncheckedIOException("The file " + portFile + " cannot be deleted: " + e.getMessage(), e);
        }
        List<String> arguments = new ArrayList<>(List.of("--server.port=" + port));
        arguments.addAll(more);
        return start("server", List.of("-D" + DemoServer.PORT_FILE + "=" + portFile), arguments);
    }

    /** Starts a process without an API that runs tasks and logs its events to {@link #events}. */
    LocalProcess executor(String name) {
        return start(
                name,
                List.of(),
                List.of(
                        "--spring.main.web-application-type=none",
                        "--spring.main.keep-alive=true",
                        "--tandem.executor.id=" + name,
                        // Overrides the settings file.
                        "--tandem.demo.events=" + events(name)));
    }

    private LocalProcess start(String name, List<String> moreOptions, List<String> more) {
        List<String> arguments = new ArrayList<>(more);
        if (!more.contains("--config")) {
            arguments.addAll(List.of("--config", settings.toString()));
        }
        List<String> options = new ArrayList<>(JVM);
        // A killed process leaves its web server's folders behind. There they are deleted with ours.
        options.add("-Djava.io.tmpdir=" + temporaryFolder);
        options.addAll(moreOptions);
        LocalProcess process = LocalProcess.java(
                        name, System.getProperty("java.class.path"), options, DemoServer.class.getName(), arguments)
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

    /** Returns the file to which the server writes the first token of its API. */
    Path tokenFile() {
        return TokenFiles.file(TokenFiles.folder(System::getenv), URI.create(api()));
    }

    /** Whether the server reports that it is healthy. Another program's answers at its port do not count. */
    boolean isHealthy() {
        if (!Files.exists(portFile)) {
            return false;
        }
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(api() + "/actuator/health"))
                    .timeout(HEALTH_TIMEOUT)
                    .build();
            int status = http.send(request, BodyHandlers.discarding()).statusCode();
            return status == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns a key of a queue, as the API shows it; one of which nothing is known if the API does not answer. */
    KeyState key(String queue, String key) throws InterruptedException {
        URI uri = URI.create(api() + "/api/v1/queues/" + queue + "/keys/" + key);
        try {
            String token = TokenFiles.read(tokenFile()).orElse("");
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .header("Authorization", "Bearer " + token)
                    .timeout(HEALTH_TIMEOUT)
                    .build();
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            return answer.statusCode() == 200
                    ? JsonMapper.shared().readValue(answer.body(), KeyState.class)
                    : KeyState.unknown(uri + " was answered with " + answer.statusCode());
        } catch (IOException | JacksonException e) {
            return KeyState.unknown(uri + ": " + e);
        }
    }

    /** The processes that have ended. */
    List<LocalProcess> ended() {
        return processes.stream().filter(process -> !process.isRunning()).toList();
    }

    @Override
    public void close() {
        processes.parallelStream().forEach(LocalProcess::close);
    }
}
