package dev.tandem.server.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import picocli.CommandLine;

/** A server with prepared answers, and commands that are run against it. Records the requests and what is printed. */
final class PreparedServer implements AutoCloseable {

    /** Each request as method, a space and path; with a body, a space and the body. */
    final List<String> requests = new ArrayList<>();

    /** Answers by method, a space and path; {@code {}} to all others. */
    final Map<String, String> answers = new LinkedHashMap<>();

    /** The keys with which requests came. */
    final List<String> idempotencyKeys = new CopyOnWriteArrayList<>();

    /** Statuses by method, a space and path. */
    final Map<String, Integer> statuses = new LinkedHashMap<>();

    /** The status of all others. */
    int status = 200;

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    private final HttpServer http;

    PreparedServer() {
        try {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        http.createContext("/", exchange -> {
            String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
            if (key != null) {
                idempotencyKeys.add(key);
            }
            requests.add(body.isEmpty() ? request : request + " " + body);
            byte[] answer = answers.getOrDefault(request, "{}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(statuses.getOrDefault(request, status), answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        http.start();
    }

    /** Runs a command against this server. @return its exit status */
    int run(String... command) {
        List<String> line = new ArrayList<>(List.of(command));
        // The option belongs to the subcommand, so it must come after its name.
        line.add("--server");
        line.add(address());
        return commandLine().execute(line.toArray(String[]::new));
    }

    String address() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** Returns the commands, which print into {@link #out} and {@link #err}. */
    CommandLine commandLine() {
        return TandemCli.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
