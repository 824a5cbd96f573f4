package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.DocumentedBlocks.Block;
import dev.tandem.testkit.DocumentedCalls;
import dev.tandem.testkit.JavaExample;
import dev.tandem.testkit.Programs;
import dev.tandem.testkit.ShellCalls;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.xml.sax.InputSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every block of the documentation is compiled, loaded, parsed or run, by this test or by the one that is named here;
 * or it is in a list with the reason why not. A new kind of block, or a new program, fails until it is in one of them.
 */
class DocumentedBlocksTest {

    /**
     * Languages that a test below, or {@link ShellCalls}, reads. Diagrams of states are StateDiagramTest's. SQL is for
     * operators' hands, on tables whose names OutboxIT uses too.
     */
    private static final Set<String> LANGUAGES =
            Set.of("sh", "java", "yaml", "json", "xml", "properties", "sql", "text", "mermaid");

    private static final String GUIDES = "examples/order-service/src/test/java/com/example/orders/GuidesTest.java";

    /** Pages whose programs need the libraries of another module, and the test there that compiles them. */
    private static final Map<String, String> COMPILED_ELSEWHERE = Map.of(
            "docs/guides/job-queues.md", GUIDES,
            "docs/guides/jobrunr.md", GUIDES,
            "docs/guides/spring-kafka.md", GUIDES,
            "docs/embedded.md", "runtime/src/test/java/dev/tandem/runtime/EmbeddedPageTest.java",
            "docs/observability.md", "opentelemetry/src/test/java/dev/tandem/opentelemetry/ObservabilityPageTest.java",
            "docs/outbox.md", "outbox/src/test/java/dev/tandem/outbox/OutboxDocsIT.java",
            "docs/spring-boot.md", "spring-boot-starter/src/test/java/dev/tandem/spring/it/SpringBootPageIT.java",
            "docs/testing.md", "test-support/src/test/java/dev/tandem/test/TestingPageTest.java");

    /** Pages with settings of an application, and the types that it has handlers for, by queue. */
    private static final Map<String, Map<String, Set<String>>> OWN_HANDLERS =
            Map.of("docs/guides/spring-kafka.md", Map.of("orders", Set.of("order-placed")));

    /** Programs whose calls are checked, and by which test. */
    private static final Map<String, String> CHECKED = Map.of(
            "./tandem", "DocumentedCommandsTest, DocumentedCommandsIT, DocumentedDemoTest, -BenchTest, -VerifyTest",
            "curl", "DocumentedCommandsIT runs it",
            "kcat", "DocumentedCommandsIT runs it",
            "redis-cli", "DocumentedCommandsIT runs it",
            "python3", "this test compiles the program");

    private static final String RELEASE = "makes and publishes a release";
    private static final String MEASUREMENT = "runs for minutes; the benchmarks have tests of their own";
    private static final String IMAGES = "needs Docker, and pulls images";
    private static final String EXAMPLE = "DocumentedProgramsTest checks it, and ParcelsSuite runs the programs";
    private static final String STARTER = "SpringBootPageIT and TestingPageTest run the program and its test";
    private static final String ARCHIVE = "StartTrainingIT makes and uses an archive with the same options";

    /** Calls that no test runs, as the page and the program, with the reason. Bash parses them all the same. */
    private static final Map<String, String> NOT_RUN = Map.ofEntries(
            Map.entry("docs/access.md docker", IMAGES),
            Map.entry("docs/archive.md docker", IMAGES),
            Map.entry("docs/benchmarks.md ./mvnw", MEASUREMENT),
            Map.entry("docs/benchmarks.md cat", MEASUREMENT),
            Map.entry("docs/benchmarks.md java", MEASUREMENT),
            Map.entry("docs/benchmarks.md jfr", MEASUREMENT),
            Map.entry("docs/guides/ten-minutes.md ./mvnw", EXAMPLE),
            Map.entry("docs/hosted.md *", "makes a key, which WebhookSignerTest tries in the same form"),
            Map.entry("docs/operations.md java", ARCHIVE),
            Map.entry("docs/quickstart.md docker", IMAGES),
            Map.entry(
                    "docs/rabbitmq.md rabbitmqctl",
                    "RabbitPermissionIT works with the same rights, set in another way"),
            Map.entry("docs/releasing.md *", RELEASE),
            Map.entry("docs/security.md kafka-acls.sh", "SecureKafkaIT adds the same ACLs by Kafka's admin client"),
            Map.entry(
                    "docs/security.md rabbitmqctl",
                    "RabbitPermissionIT works with the same rights, set in another way"),
            Map.entry("docs/spring-boot.md ./mvnw", STARTER),
            Map.entry("docs/spring-boot.md cp", STARTER),
            Map.entry("docs/spring-boot.md java", STARTER),
            Map.entry("docs/runbooks.md kafka-configs.sh", "belongs to Kafka's own archive, which tests do not have"));

    /** The class of a complete program, which a fragment is not. */
    private static final Pattern PROGRAM = Pattern.compile("(?m)^public (?:final )?class (\\w+)");

    /** Lines that look typed. They belong into a block of shell commands. */
    private static final Pattern TYPED = Pattern.compile("(\\$ |\\./|curl |docker |redis-cli |rabbitmqctl |kafka-).*");

    /** Declarations that a fragment of Java may use. A complete program is compiled as it stands. */
    private static final String AROUND_FRAGMENT = """
            import static java.nio.charset.StandardCharsets.UTF_8;

            import com.rabbitmq.client.*;
            import dev.tandem.runtime.*;
            import org.apache.kafka.clients.producer.*;

            class Fragment {
                void run(Producer<String, String> producer, Channel channel) throws Exception {
            %s
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void everyBlockHasALanguageThatATestReads() {
        assertThat(DocumentedBlocks.all())
                .hasSizeGreaterThan(50)
                .allSatisfy(block ->
                        assertThat(block.language()).as(block.toString()).isIn(LANGUAGES));
    }

    @Test
    void everyProgramOfAShellBlockIsCheckedOrListedWithAReason() {
        Set<String> unchecked = ShellCalls.all().stream()
                .filter(call -> !CHECKED.containsKey(call.program()))
                .map(call -> listed(call.block().page(), call.program()))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(unchecked).isEqualTo(new TreeSet<>(NOT_RUN.keySet()));
    }

    private static String listed(String page, String program) {
        String whole = page + " *";
        return NOT_RUN.containsKey(whole) ? whole : page + " " + program;
    }

    @ParameterizedTest
    @MethodSource("text")
    void textIsNotTyped(Block block) {
        assertThat(block.text().lines().map(String::strip))
                .as(block + ": commands belong into a block of the language sh")
                .noneMatch(line -> TYPED.matcher(line).matches());
    }

    @ParameterizedTest
    @MethodSource("java")
    void javaCompiles(Block block) throws Exception {
        Matcher program = PROGRAM.matcher(block.text());
        if (program.find()) {
            JavaExample.compile(program.group(1), block.text(), folder);
        } else {
            JavaExample.compile("Fragment", AROUND_FRAGMENT.formatted(block.text()), folder);
        }
    }

    @Test
    void otherTestsThatCompilePagesExist() {
        assertThat(COMPILED_ELSEWHERE.values())
                .allSatisfy(test -> assertThat(Path.of("..").resolve(test)).exists());
    }

    @ParameterizedTest
    @MethodSource("properties")
    void propertiesLoad(Block block) throws Exception {
        Properties properties = new Properties();
        properties.load(new StringReader(block.text()));

        assertThat(properties)
                .isNotEmpty()
                .allSatisfy((name, value) -> assertThat(value.toString()).isNotBlank());
    }

    @ParameterizedTest
    @MethodSource("xml")
    void xmlIsWellFormed(Block block) {
        assertThatCode(() -> DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader("<root>" + block.text() + "</root>"))))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("yaml")
    void yamlHasSettingsThatTheServerTakes(Block block) throws Exception {
        Map<String, Object> settings = new Yaml().load(block.text());

        for (String name : settings.keySet()) {
            if (name.startsWith("logging.level.")) {
                assertThatCode(() -> Class.forName(name.substring("logging.level.".length())))
                        .doesNotThrowAnyException();
            } else if (name.startsWith("spring.ssl.bundle.pem.")) {
                assertThat(((Map<?, ?>) settings.get(name)).keySet().toString()).isEqualTo("[keystore, truststore]");
            } else {
                assertThat(name).isIn("tandem", "server", "spring");
            }
        }
        if (settings.containsKey("tandem")) {
            StandardEnvironment environment = new StandardEnvironment();
            new YamlPropertySourceLoader()
                    .load("block", new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)))
                    .forEach(environment.getPropertySources()::addFirst);
            Map<String, Set<String>> own = OWN_HANDLERS.get(block.page());
            assertThat((own == null
                                    ? SettingsLoader.load(environment)
                                    : SettingsLoader.loadForProgram(environment, own))
                            .queues())
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("json")
    void jsonIsWhole(Block block) {
        assertThat(JsonMapper.shared().readTree(block.text()).isObject()).isTrue();
    }

    @Test
    void pythonCompiles() throws IOException {
        List<String> programs = ShellCalls.all().stream()
                .filter(call -> call.program().equals("python3"))
                .map(ShellCalls.Call::input)
                .toList();
        assertThat(programs).isNotEmpty().doesNotContain("");
        Programs.require("python3");
        for (String program : programs) {
            Path file = Files.writeString(folder.resolve("program.py"), program);
            Programs.Result result = Programs.run(List.of("python3", "-m", "py_compile", file.toString()), "");
            assertThat(result.status()).as(result.output()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("serverCalls")
    void theServerTakesItsArguments(DocumentedCalls.Call call) throws IOException {
        Path config = Files.writeString(folder.resolve("tandem.yml"), "");
        String[] words = call.arguments();
        for (int i = 1; i < words.length; i++) {
            if (words[i - 1].equals("--config")) {
                words[i] = config.toString();
            }
        }
        assertThatCode(() -> ServerArguments.parse(words))
                .as(Arrays.toString(words))
                .doesNotThrowAnyException();
    }

    static Stream<DocumentedCalls.Call> serverCalls() {
        return DocumentedCalls.of("server");
    }

    static Stream<Block> java() {
        return blocks("java").filter(block -> !COMPILED_ELSEWHERE.containsKey(block.page()));
    }

    static Stream<Block> properties() {
        return blocks("properties");
    }

    static Stream<Block> xml() {
        return blocks("xml");
    }

    static Stream<Block> yaml() {
        return blocks("yaml");
    }

    static Stream<Block> json() {
        return blocks("json");
    }

    static Stream<Block> text() {
        return blocks("text");
    }

    private static Stream<Block> blocks(String language) {
        return DocumentedBlocks.all().stream().filter(block -> block.language().equals(language));
    }
}
