package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.server.cli.TandemCli;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.Programs;
import dev.tandem.testkit.Programs.Result;
import dev.tandem.testkit.ShellCalls;
import dev.tandem.testkit.ShellCalls.Call;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * The commands of the documentation, typed as they are there, against a server with the queues that readers have. On pages for
 * operators a task is dead and halts its key, as it is for those who read them.
 */
class DocumentedCommandsIT {

    private static final Set<String> OF_THE_API = Set.of(
            "submit",
            "queues",
            "tasks",
            "dead",
            "keys",
            "why",
            "history",
            "doctor",
            "dedup",
            "depends",
            "limits",
            "partitions",
            "operations",
            "schedules",
            "fan-outs",
            "pause",
            "resume",
            "executors",
            "running",
            "audit");

    private static final Set<String> PROGRAMS = Set.of("curl", "redis-cli", "kcat");

    /** Pages for operators, who have a dead task. */
    private static final Set<String> ALL_IS_NOT_WELL =
            Set.of("docs/operations.md", "docs/runbooks.md", "docs/troubleshooting.md");

    /** The page whose queues are pulled. */
    private static final String OF_WORKERS = "docs/pull.md";

    /** The page that changes limits, and what its first example sets. */
    private static final String OF_LIMITS = "docs/flow-control.md";

    private static final Map<String, String> LIMITS = Map.of(
            "tandem.queues.invoices.source", "kafka",
            "tandem.queues.invoices.handler", "log",
            "tandem.queues.invoices.max-running", "20",
            "tandem.limits.erp.max-running", "5",
            "tandem.limits.erp.queues", "invoices",
            "tandem.queues.exports.max-running", "2",
            "tandem.rate-limits.mail-service.rate", "100/s",
            "tandem.rate-limits.mail-service.burst", "20");

    /** Placeholders that the pages for operators write in place of names. Calls with other ones are not run. */
    private static final Map<String, String> PLACEHOLDERS =
            Map.of("QUEUE", DocumentedQueues.SAMPLE, "KEY", "customer-7", "ID", "order-7");

    private final String topic = UniqueNames.fresh("demo-orders");

    @ParameterizedTest
    @MethodSource("pages")
    void work(String page) throws Exception {
        boolean well = !ALL_IS_NOT_WELL.contains(page);
        Map<String, String> settings = settings(DocumentedQueues.of(page), well);
        if (page.equals(OF_WORKERS)) {
            settings.replaceAll((name, value) -> name.endsWith(".handler") ? "pull" : value);
        }
        if (page.equals(OF_LIMITS)) {
            settings.putAll(LIMITS);
            settings.put("tandem.queues.invoices.topic", UniqueNames.fresh("invoices"));
            settings.put("tandem.queues.invoices.group", UniqueNames.fresh("invoices"));
        }
        try (RunningServer server = RunningServer.healthy(settings)) {
            if (!well) {
                haltAKey(server);
            }
            runPrograms(server, page);
            for (Call call : calls(page).toList()) {
                await().atMost(PATIENCE).untilAsserted(() -> assertWorks(server, call));
            }
        }
    }

    @Test
    void theApiTakesTheTaskOfItsDescription() {
        String task = DocumentedBlocks.all().stream()
                .filter(block ->
                        block.page().equals("docs/protocol.md") && block.text().startsWith("{\"payload\""))
                .map(DocumentedBlocks.Block::text)
                .findFirst()
                .orElseThrow();
        try (RunningServer server = RunningServer.healthy(settings(Set.of(DocumentedQueues.SAMPLE), true))) {
            // The type is that of the description's queue, and this one's has no name.
            RunningServer.Answer answer = server.post(
                    "/api/v1/queues/demo-orders/tasks", task.replace("\"type\": \"http\"", "\"type\": \"noop\""));
            assertThat(answer.status()).as(answer.body()).isEqualTo(202);
        }
    }

    /** Runs the example of limits with its own settings. */
    @Test
    void theExampleOfLimitsShowsWhatItsPageSays() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sleep")) && Files.exists(Path.of("/proc/self")), "needs Linux");
        List<DocumentedBlocks.Block> page =
                DocumentedBlocks.in(DocumentedBlocks.root().resolve(OF_LIMITS));
        Map<String, String> settings = settings(Set.of(), true);
        new YamlPropertySourceLoader()
                .load(
                        "example",
                        new ByteArrayResource(block(page, "yaml", "pause:").getBytes(UTF_8)))
                .forEach(source -> Stream.of(((EnumerablePropertySource<?>) source).getPropertyNames())
                        .forEach(name -> settings.put(name, String.valueOf(source.getProperty(name)))));
        for (String queue : List.of("exports", "mails")) {
            settings.put("tandem.queues." + queue + ".topic", UniqueNames.fresh(queue));
            settings.put("tandem.queues." + queue + ".group", UniqueNames.fresh(queue));
        }
        if (Files.isWritable(Path.of("/"))) {
            settings.put("tandem.commands.pause.user", "root");
        }
        String commands = block(page, "sh", "submit exports");
        try (RunningServer server = RunningServer.healthy(settings)) {
            for (Call call : ShellCalls.in(page)) {
                if (call.block().text().equals(commands)) {
                    assertWorks(server, call);
                }
            }
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(tandem(server, List.of("limits")).output())
                                    .isEqualTo(block(page, "text", "queue:exports")));
        }
    }

    private static String block(List<DocumentedBlocks.Block> page, String language, String part) {
        return page.stream()
                .filter(block ->
                        block.language().equals(language) && block.text().contains(part))
                .findFirst()
                .orElseThrow()
                .text();
    }

    @Test
    void thePagesHaveSuchCommands() {
        assertThat(pages()).contains("docs/quickstart.md", "docs/operations.md", "docs/runbooks.md");
        assertThat(calls("docs/quickstart.md")).hasSizeGreaterThan(8);
    }

    static Stream<String> pages() {
        return ShellCalls.all().stream()
                .filter(DocumentedCommandsIT::isRun)
                .map(call -> call.block().page())
                .distinct();
    }

    private static Stream<Call> calls(String page) {
        return ShellCalls.in(DocumentedBlocks.in(DocumentedBlocks.root().resolve(page))).stream()
                .filter(DocumentedCommandsIT::isRun);
    }

    private static boolean isRun(Call call) {
        return call.arguments().stream()
                        .allMatch(word -> !DocumentedQueues.isPlaceholder(word) || PLACEHOLDERS.containsKey(word))
                && (isOfTheApi(call) || PROGRAMS.contains(call.program()));
    }

    private static boolean isOfTheApi(Call call) {
        return call.program().equals("./tandem")
                && !call.arguments().isEmpty()
                && OF_THE_API.contains(call.arguments().get(0));
    }

    /** Does what the programs of a page do before its commands. */
    private static void runPrograms(RunningServer server, String page) {
        if (page.equals("docs/schedules.md")) {
            String made = "schedules create minutely-report --queue reports --every 1m --payload 1";
            assertThat(tandem(server, List.of(made.split(" "))).status()).isZero();
        }
    }

    private void haltAKey(RunningServer server) {
        server.post(
                "/api/v1/queues/demo-orders/tasks",
                "{\"payload\": {\"order\": 7}, \"key\": \"customer-7\", \"id\": \"order-7\"}");
        await().atMost(PATIENCE)
                .until(() -> server.get("/api/v1/queues/demo-orders/keys")
                        .json()
                        .toString()
                        .contains("halted"));
    }

    private void assertWorks(RunningServer server, Call call) {
        List<String> words =
                call.words().stream().map(word -> here(server, word)).toList();
        Result result = call.program().equals("./tandem")
                ? tandem(server, words.subList(1, words.size()))
                : program(call, words);
        assertThat(result.status()).as(call + " says " + result.output()).isZero();
    }

    /** Returns a word with the addresses and names of this test. */
    private static String here(RunningServer server, String word) {
        String redis = Brokers.redis().uri();
        return PLACEHOLDERS
                .getOrDefault(word, word)
                .replaceAll("(http://)?(localhost|127\\.0\\.0\\.1):8080", server.url())
                .replace("redis://127.0.0.1:6379", redis)
                .replace("PORT", String.valueOf(URI.create(redis).getPort()))
                .replace("localhost:9092", Brokers.kafka().bootstrapServers());
    }

    private Result program(Call call, List<String> words) {
        List<String> line = new ArrayList<>(words);
        switch (call.program()) {
            case "curl" -> line.add("--fail");
            case "kcat" -> line.replaceAll(word -> word.equals("demo-orders") ? topic : word);
            default -> {}
        }
        return Programs.isThere(call.program()) ? Programs.run(line, call.input()) : new Result(0, "");
    }

    private static Result tandem(RunningServer server, List<String> words) {
        List<String> line = new ArrayList<>(words);
        line.add("--server");
        line.add(server.url());
        if (line.contains("--to")) {
            line.add("--yes"); // There is no terminal at which a person would confirm it.
        }
        StringWriter output = new StringWriter();
        int status = TandemCli.commandLine()
                .setOut(new PrintWriter(output, true))
                .setErr(new PrintWriter(output, true))
                .execute(line.toArray(String[]::new));
        return new Result(status, output.toString());
    }

    private Map<String, String> settings(Set<String> queues, boolean well) {
        Map<String, String> settings = RunningServer.settings("kafka");
        settings.put("tandem.redis.namespace", UniqueNames.fresh("documented"));
        for (String queue : queues) {
            settings.put("tandem.queues." + queue + ".source", "kafka");
            settings.put(
                    "tandem.queues." + queue + ".topic",
                    queue.equals(DocumentedQueues.SAMPLE) ? topic : UniqueNames.fresh(queue));
            settings.put("tandem.queues." + queue + ".group", UniqueNames.fresh(queue));
            settings.put("tandem.queues." + queue + ".handler", well ? "noop" : "http");
            if (!well) {
                settings.put("tandem.queues." + queue + ".http.url", "http://127.0.0.1:1/nobody-listens");
                settings.put("tandem.queues." + queue + ".max-attempts", "1");
                settings.put("tandem.queues." + queue + ".dead-head", "halt");
            }
        }
        return settings;
    }
}
