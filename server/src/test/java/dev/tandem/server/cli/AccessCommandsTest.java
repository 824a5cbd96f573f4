package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.server.credentials.TokenFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands about tokens and the audit log, and where commands find their token. */
class AccessCommandsTest {

    private static final URI SERVER = URI.create("http://127.0.0.1:8080");

    private final PreparedServer server = new PreparedServer();

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aTokenIsCreatedAndOnlyThatIsPrinted() {
        server.answers.put(
                "POST /api/v1/tokens?name=ci&role=publisher&queues=orders&expires=90d", "{\"token\": \"tandem_x_y\"}");

        assertThat(server.run(
                        "tokens", "create", "ci", "--role", "publisher", "--queues", "orders", "--expires", "90d"))
                .isZero();

        assertThat(server.out.toString()).isEqualTo("tandem_x_y\n");
    }

    @Test
    void tokensAndTheAuditLogAreListed() {
        server.answers.put(
                "GET /api/v1/tokens",
                "{\"tokens\": [{\"id\": \"i\", \"name\": \"ci\", \"role\": \"worker\", \"queues\": [\"a\", \"b\"],"
                        + " \"createdAt\": \"2026-11-20T10:00:00Z\", \"createdBy\": \"admin\"}]}");
        server.answers.put(
                "GET /api/v1/audit?limit=50",
                "{\"entries\": [{\"at\": \"2026-11-20T10:00:00Z\", \"who\": \"ci\", \"role\": \"operator\", \"from\":"
                        + " \"10.0.0.7\", \"action\": \"pause\", \"subject\": \"queue q\", \"result\": \"done\"}],"
                        + " \"next\": \"1-0\"}");

        assertThat(server.run("tokens", "list")).isZero();
        assertThat(server.run("audit")).isZero();

        assertThat(server.out.toString())
                .containsPattern("i +ci +worker +a, b +2026-11-\\d\\d \\d\\d:\\d\\d:00 +admin +-\n")
                .containsPattern("ci +operator +10.0.0.7 +pause +queue q +done\n")
                .contains("--cursor 1-0");
    }

    @Test
    void loginKeepsATokenThatTheServerAccepts() throws IOException {
        server.answers.put("GET /api/v1/caller", "{\"name\": \"night shift\", \"role\": \"operator\"}");

        assertThat(login("tandem_x_y\n")).isZero();

        Path kept = Files.list(folder.resolve("tandem/tokens")).findFirst().orElseThrow();
        assertThat(Files.readString(kept)).isEqualTo("tandem_x_y\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rw-------");
        assertThat(server.out.toString()).contains("night shift, role operator").doesNotContain("tandem_x_y");
    }

    @Test
    void loginKeepsNoTokenThatTheServerRefuses() {
        server.statuses.put("GET /api/v1/caller", 401);

        assertThat(login("wrong\n")).isEqualTo(CliException.REFUSED);

        assertThat(folder.resolve("tandem")).doesNotExist();
        assertThat(server.err.toString()).contains("401").doesNotContain("wrong");
    }

    private int login(String input) {
        CommandLine login = TandemCli.commandLine(new LoginCommand(
                        Map.of("XDG_CONFIG_HOME", folder.toString())::get,
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8))))
                .setOut(server.commandLine().getOut())
                .setErr(server.commandLine().getErr());
        return login.execute("--server", server.address());
    }

    @Test
    void theTokenOfTheEnvironmentComesFirst() throws IOException {
        Path file = folder.resolve("file");
        TokenFiles.write(file, "from-file");
        TokenFiles.write(TokenFiles.file(folder.resolve("tandem/tokens"), SERVER), "kept");

        assertThat(CliToken.of(
                        SERVER, null, Map.of("TANDEM_TOKEN", "direct", "TANDEM_TOKEN_FILE", file.toString())::get))
                .contains("direct");
        assertThat(CliToken.of(SERVER, null, Map.of("TANDEM_TOKEN_FILE", file.toString())::get))
                .contains("from-file");
        for (String same : new String[] {"http://localhost:8080", "http://[::1]:8080"}) {
            assertThat(CliToken.of(URI.create(same), null, Map.of("XDG_CONFIG_HOME", folder.toString())::get))
                    .contains("kept");
        }
        assertThat(CliToken.of(
                        URI.create("http://other:8080"), null, Map.of("XDG_CONFIG_HOME", folder.toString())::get))
                .as("a token goes to its own server only")
                .isEmpty();
    }

    /** Java's client would quote the whole header in its error. */
    @Test
    void whatIsNoTokenIsRefusedWithoutBeingShown() throws IOException {
        Path file = folder.resolve("file");
        TokenFiles.write(file, "secret\nmore");

        assertThatThrownBy(() -> CliToken.of(SERVER, null, Map.of("TANDEM_TOKEN_FILE", file.toString())::get))
                .hasMessageContaining(file.toString())
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> CliToken.of(SERVER, null, Map.of("TANDEM_TOKEN", "secret\u00e9")::get))
                .hasMessageNotContaining("secret");
    }

    @Test
    void aFileThatOthersCanReadIsRefused() throws IOException {
        Path file = folder.resolve("file");
        TokenFiles.write(file, "token");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        assertThatThrownBy(() -> CliToken.of(SERVER, null, Map.of("TANDEM_TOKEN_FILE", file.toString())::get))
                .hasMessageContaining("chmod 600");
    }
}
