package dev.tandem.server.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs each kind of command once against a false server, and ends. The JVM is told by its options to archive the classes
 * that were loaded meanwhile, so that the commands of a user start from them.
 */
final class CommandTraining {

    /** An answer for every request: each command finds what it shows. */
    private static final String ANSWER = """
            {"name": "q", "id": "a", "ref": "@0/1:1", "state": "retry", "key": "k", "payload": {"total": 1.10},
             "queues": [{"name": "q", "source": "kafka", "ordering": "key", "paused": false, "lag": 1, "counts": {"active": 1}}],
             "partitions": [{"partition": "0", "owner": "e", "lag": 1, "counts": {"active": 1}}],
             "tasks": [{"id": "a", "ref": "@0/1:1", "state": "retry", "attempts": 1, "at": "2026-11-20T10:00:00Z"}],
             "keys": [{"key": "k", "partition": "0", "why": "head", "since": "2026-11-20T10:00:00Z", "parked": 1}],
             "running": [{"queue": "q", "id": "a", "since": "2026-11-20T10:00:00Z", "claimedUntil": "2026-11-20T10:00:10Z"}],
             "limits": [{"name": "l", "max": 5, "held": 1, "running": 1, "waiting": 0, "entries": [{"at": "2026-11-20T10:00:00Z", "who": "admin", "action": "pause", "subject": "queue q", "status": 202}],
             "tokens": [{"id": "i", "name": "ci", "role": "viewer", "createdAt": "2026-11-20T10:00:00Z"}],
             "executors": [{"id": "e", "held": 1, "runs": []}]}],
             "rateLimits": [{"name": "r", "rate": "5/m", "burst": 1, "bucketsInUse": 0, "bucketsPaused": 0, "buckets": []}],
             "operations": [{"queue": "q", "operation": "o", "state": "done", "looked": 1, "began": "2026-11-20T10:00:00Z"}],
             "now": "2026-11-20T10:00:00Z", "from": "2026-11-20T09:00:00Z", "until": "2026-11-20T11:00:00Z", "stepSeconds": 3600,
             "points": [{"at": "2026-11-20T10:00:00Z", "started": 2, "succeeded": 1, "waits": {"p50Millis": 1.5}}], "total": {"started": 2},
             "schedules": [{"id": "s", "state": "active", "cron": "0 0 * * * *", "zone": "UTC", "next": ["2026-11-20T11:00:00Z"]}],
             "fanOuts": [{"id": "f", "state": "running", "master": {"queue": "q", "type": "t"}, "since": "2026-11-20T10:00:00Z"}],
             "executors": [{"id": "e", "seen": "2026-11-20T10:00:00Z", "queues": [{"queue": "q", "running": 1, "types": ["u"]}]}]}
            """;

    private static final String REFUSAL = "{\"detail\": \"There is no queue 'none'\", \"remedy\": \"Name another\"}";

    /** Command lines, and the exit status of each. */
    private static final Map<List<String>, Integer> LINES = Map.ofEntries(
            line(0, "submit q --key k --type t --header a=b --payload {\"total\":1.10}"),
            line(0, "queues"),
            line(0, "queues -o json"),
            line(0, "queues -o yaml"),
            line(0, "queues q"),
            line(1, "queues none"),
            line(0, "tasks q"),
            line(0, "tasks q a"),
            line(0, "dead list q"),
            line(0, "dead retry q a"),
            line(0, "dead retry q --all --yes"),
            line(0, "operations q"),
            line(0, "keys list q"),
            line(0, "keys show q k"),
            line(0, "keys retry q k"),
            line(0, "why q k"),
            line(0, "history q"),
            line(0, "top --once"),
            line(4, "doctor"), // the false server's clock is far behind
            line(0, "dedup q k"),
            line(0, "depends q t"),
            line(0, "limits"),
            line(0, "partitions q"),
            line(0, "pause q"),
            line(0, "pause q --type t"),
            line(0, "resume q"),
            line(0, "executors"),
            line(0, "running"),
            line(0, "fan-outs list"),
            line(0, "fan-outs show f"),
            line(0, "tokens list"),
            line(0, "archive"),
            line(0, "audit"),
            line(0, "schedules list"),
            line(0, "schedules show s"),
            line(0, "schedules pause s"));

    private static final List<List<String>> WITHOUT_A_SERVER = List.of(
            List.of("--version"),
            List.of("queues", "--help"),
            List.of("completion"),
            List.of("profile", "list"),
            List.of("watch", "--help"),
            List.of("login", "--help"),
            List.of("unknown"));

    private CommandTraining() {}

    public static void main(String[] args) throws IOException {
        train().forEach(line -> System.err.println("This command did not end as it should: " + line));
        // Not an error: what the others have loaded is worth an archive.
        System.exit(0);
    }

    /** Returns the command lines that did not end with the status that they should have. */
    static List<List<String>> train() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", CommandTraining::answer);
        server.start();
        try {
            String[] address = {
                "--server", "http://127.0.0.1:" + server.getAddress().getPort()
            };
            WITHOUT_A_SERVER.forEach(line -> execute(line.stream()));
            return LINES.keySet().stream()
                    .filter(line -> execute(Stream.concat(line.stream(), Stream.of(address))) != LINES.get(line))
                    .toList();
        } finally {
            server.stop(0);
        }
    }

    /** Returns the first words of all lines. */
    static List<String> commands() {
        return Stream.concat(LINES.keySet().stream(), WITHOUT_A_SERVER.stream())
                .map(line -> line.get(0))
                .toList();
    }

    private static Map.Entry<List<String>, Integer> line(int status, String words) {
        return Map.entry(List.of(words.split(" ")), status);
    }

    private static int execute(Stream<String> line) {
        String[] args = line.toArray(String[]::new);
        return TandemCli.programFor(args).execute(args);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        boolean refused = exchange.getRequestURI().getPath().endsWith("/none");
        byte[] body = (refused ? REFUSAL : ANSWER).getBytes(StandardCharsets.UTF_8);
        exchange.getRequestBody().readAllBytes();
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(refused ? 404 : 200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
