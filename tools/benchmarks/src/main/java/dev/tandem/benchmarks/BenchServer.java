package dev.tandem.benchmarks;

import dev.tandem.kit.Await;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalException;
import dev.tandem.local.LocalProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server in a process of its own, as {@code ./tandem server} starts it. */
final class BenchServer implements AutoCloseable {

    /** The project's folder, set by {@code ./tandem bench}. Tests start the server from their class path instead. */
    private static final String HOME = "TANDEM_HOME";

    private static final String SERVER = "dev.tandem.server.TandemServer";
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration INTERVAL = Duration.ofMillis(5);

    private final HttpClient http = HttpClient.newHttpClient();
    private final LocalProcess process;
    private final String url;

    private BenchServer(LocalProcess process, String url) {
        this.process = process;
        this.url = url;
    }

    /**
     * Starts a server whose API needs no token, and does not wait for it.
     *
     * @param settings the file with its settings
     * @param archived whether it uses an archive of its classes
     */
    static BenchServer start(Path settings, boolean archived) throws Exception {
        return start(settings, archived, "none");
    }

    /** Starts a server. @param login {@code tandem.api.login} */
    static BenchServer start(Path settings, boolean archived, String login) throws Exception {
        int port = freePort();
        List<String> command = command();
        command.addAll(
                List.of("--config", settings.toString(), "--server.port=" + port, "--tandem.api.login=" + login));
        LocalProcess process = LocalProcess.program("server", command)
                .directory(settings.getParent())
                .environment("TANDEM_CLASS_ARCHIVE", archived ? "yes" : "no")
                .start();
        return new BenchServer(process, "http://127.0.0.1:" + port);
    }

    private static List<String> command() {
        Map<String, String> environment = System.getenv();
        if (environment.containsKey(HOME)) {
            return new ArrayList<>(List.of(environment.get(HOME) + "/tandem", "server"));
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(JvmOptions.quickStart("256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SERVER));
        return command;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    String url() {
        return url;
    }

    /** Waits until a path is answered with status 200. */
    void await(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(5))
                .build();
        Await.until(
                LIMIT,
                INTERVAL,
                () -> {
                    if (!process.isRunning()) {
                        throw new LocalException("The server ended. " + process.logTail());
                    }
                    return isUp(request);
                },
                () -> "The server was not up. " + process.logTail());
    }

    private boolean isUp(HttpRequest request) throws InterruptedException {
        try {
            return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false; // not listening yet
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
