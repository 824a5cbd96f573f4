package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.findings.Finding;
import dev.tandem.server.findings.Finding.Level;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command that says what is wrong, with a server and without one. */
class DoctorCommandTest {

    private static String answer(String level) {
        return """
                {"now": "%s", "findings": [
                 {"area": "redis", "subject": "r:6379", "check": "redis-reached", "level": "ok", "text": "Redis 7.2.4 answers"},
                 {"area": "redis", "subject": "r:6379", "check": "redis-fit", "level": "%s", "text": "appendonly is off",
                  "remedy": "set appendonly yes"}]}
                """.formatted(Instant.now(), level);
    }

    @ParameterizedTest
    @CsvSource({"ok, false, 0", "warning, false, 0", "warning, true, 4", "problem, false, 4"})
    void theExitStatusSaysWhetherThereIsAProblem(String level, boolean strict, int status) {
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put("GET /api/v1/doctor", answer(level));
            // This machine may have no token for the server, which is a warning.
            assertThat(strict ? server.run("doctor", "--strict") : server.run("doctor"))
                    .as(server.out.toString())
                    .isEqualTo(status);
        }
    }

    @Test
    void theWorstStandsFirstWithItsRemedy() {
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put("GET /api/v1/doctor", answer("problem"));
            server.run("doctor");
            assertThat(server.out.toString().lines().findFirst().orElseThrow())
                    .matches("problem +redis +r:6379: appendonly is off");
            assertThat(server.out.toString())
                    .containsSubsequence("-> set appendonly yes", "Redis 7.2.4 answers", "1 problem, ");
            server.out.getBuffer().setLength(0);
            server.run("doctor", "--problems");
            assertThat(server.out.toString()).doesNotContain("Redis 7.2.4 answers");
        }
    }

    @Test
    void programsGetAllFindingsAsJson() {
        try (PreparedServer server = new PreparedServer()) {
            server.answers.put("GET /api/v1/doctor", answer("problem"));
            assertThat(server.run("doctor", "-o", "json")).isEqualTo(4);
            assertThat(ApiClient.JSON
                            .readTree(server.out.toString())
                            .path("findings")
                            .valueStream()
                            .map(each -> each.path("check").asString()))
                    .contains("server-reached", "clock", "redis-fit");
        }
    }

    @Test
    void aServerThatIsNotThereIsNamedWithWhereItsAddressComesFrom() {
        StringWriter out = new StringWriter();
        int status = TandemCli.commandLine()
                .setOut(new PrintWriter(out, true))
                .execute("doctor", "--server", "http://127.0.0.1:1");
        assertThat(status).isEqualTo(3);
        assertThat(out.toString())
                .contains(
                        "problem",
                        "http://127.0.0.1:1 can't be reached",
                        "address from --server",
                        "-> See that it runs");
    }

    @Test
    void aServerThatRefusesTheTokenIsAProblem() {
        try (PreparedServer server = new PreparedServer()) {
            server.statuses.put("GET /api/v1/doctor", 401);
            server.answers.put("GET /api/v1/doctor", "{\"detail\": \"There is no good token\"}");
            assertThat(server.run("doctor")).isEqualTo(4);
            assertThat(server.out.toString()).contains("There is no good token", "./tandem login");
        }
    }

    @ParameterizedTest
    @CsvSource({"0, OK", "-900, OK", "1500, WARNING", "-3600000, PROBLEM"})
    void theClocksOfServerAndMachineAreCompared(long ahead, Level level) {
        Instant received = Instant.parse("2026-11-24T10:00:00Z");
        assertThat(LocalChecks.clock(received.plus(Duration.ofMillis(ahead)), received)
                        .level())
                .isEqualTo(level);
    }

    @ParameterizedTest
    @CsvSource({"rw-------, rwx------, OK, OK", "rw-r--r--, rwx------, PROBLEM, OK", "rw-------, rwxrwx---, OK, PROBLEM"
    })
    void whoMayReadTheTokenIsChecked(String file, String folder, Level ofFile, Level ofFolder, @TempDir Path base)
            throws Exception {
        Path tokens = Files.createDirectory(base.resolve("tokens"));
        Path token = Files.writeString(tokens.resolve("token"), "abc\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString(file));
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString(folder));
        List<Finding> findings = LocalChecks.token(token);
        assertThat(findings.get(0).level()).isEqualTo(ofFile);
        assertThat(findings.size() == 1 ? Level.OK : findings.get(1).level()).isEqualTo(ofFolder);
    }
}
