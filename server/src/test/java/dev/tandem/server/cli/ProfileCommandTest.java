package dev.tandem.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names for servers, and which server a command calls. */
class ProfileCommandTest {

    @TempDir
    private Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private String printed = "";

    private int profile(String line) {
        environment.put("XDG_CONFIG_HOME", folder.toString());
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        int status = TandemCli.commandLine(new ProfileCommand(environment::get))
                .setOut(writer)
                .setErr(writer)
                .execute(line.split(" "));
        printed = out.toString();
        return status;
    }

    private Target target(@Nullable String server, @Nullable String profile) {
        environment.put("XDG_CONFIG_HOME", folder.toString());
        return Target.of(server, profile, null, environment::get, ProfileFile::read);
    }

    private Path file(String text) throws IOException {
        Files.createDirectories(folder.resolve("tandem"));
        return Files.writeString(folder.resolve("tandem/config"), text);
    }

    @Test
    void profilesAreAddedUsedShownAndRemoved() throws IOException {
        assertThat(profile("add prod --server https://tandem.example.org --ca /ca.pem --token-file /run/token"))
                .isZero();
        assertThat(profile("add test --server http://test:8080")).isZero();
        assertThat(profile("use prod")).isZero();
        assertThat(profile("list")).isZero();
        assertThat(printed)
                .containsSubsequence("prod", "yes", "https://tandem.example.org", "/ca.pem", "/run/token", "test");
        assertThat(target(null, null).tokenFile()).isEqualTo(Path.of("/run/token"));
        assertThat(Files.getPosixFilePermissions(folder.resolve("tandem/config")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));

        assertThat(profile("add prod --server https://new.example.org")).isZero();
        assertThat(target(null, null).address()).isEqualTo("https://new.example.org");
        assertThat(target(null, null).ca()).as("what is not said stays").isEqualTo("/ca.pem");

        assertThat(profile("remove prod")).isZero();
        assertThat(target(null, null).source()).isEqualTo("the default");
        assertThat(profile("use prod")).isEqualTo(CliException.USAGE);
        assertThat(printed).contains("There is no profile 'prod'", "It has test");
        assertThat(profile("use --none")).isZero();
        assertThat(profile("add bad/name --server http://a")).isEqualTo(CliException.USAGE);
        assertThat(profile("add nowhere")).isEqualTo(CliException.USAGE);
        assertThat(profile("add odd --server tandem")).isEqualTo(CliException.USAGE);
    }

    @ParameterizedTest
    @CsvSource({
        "http://o, , http://env, envp, http://o, --server",
        ", optp, http://env, envp, http://opt, the profile 'optp' of --profile",
        ", , http://env, envp, http://env, TANDEM_SERVER",
        ", , , envp, http://envp, the profile 'envp' of TANDEM_PROFILE",
        ", , , , http://used, the profile 'used' of "
    })
    void theNearestNameOfAServerCounts(
            String server, String option, String ofServer, String ofProfile, String address, String source)
            throws IOException {
        file("current = used\n[used]\nserver = http://used\n# a comment\n[optp]\nserver=http://opt\n"
                + "[envp]\nserver = http://envp\n");
        environment.put("TANDEM_SERVER", ofServer);
        environment.put("TANDEM_PROFILE", ofProfile);
        assertThat(target(server, option).address()).isEqualTo(address);
        assertThat(target(server, option).source()).startsWith(source);
    }

    @Test
    void twoNamesOfAServerAreTooMany() {
        assertThatThrownBy(() -> target("http://a", "b")).hasMessageContaining("give one of them");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [a]                         | has no server
            server = x                  | before the first [name]
            [a/b]                       | needs another name
            [a];server = x;token = s3cr | Put it into a file that only you can read
            [a];server = x;port = 1     | a profile has server, ca and token-file
            nonsense                    | line 1 is neither
            """)
    void aWrongFileIsRefusedWithItsLine(String lines, String message) throws IOException {
        Path file = file(lines.replace(';', '\n'));
        assertThatThrownBy(() -> ProfileFile.read(file))
                .isInstanceOf(CliException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("s3cr");
    }

    @Test
    void aFileThatOthersMayWriteIsRefused() throws IOException {
        Path file = file("[a]\nserver = http://a\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        assertThatThrownBy(() -> ProfileFile.read(file)).hasMessageContaining("chmod 600 " + file);
    }

    @Test
    void aFileInAFolderInWhichOthersMayWriteIsRefused() throws IOException {
        Path file = file("[a]\nserver = http://a\n");
        Files.setPosixFilePermissions(file.getParent(), PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(() -> ProfileFile.read(file)).hasMessageContaining("chmod 700 " + file.getParent());
    }

    @Test
    void aFileOrAFolderOfAnotherUserIsRefused() throws IOException {
        Path file = file("[a]\nserver = http://a\n");
        UserPrincipal other;
        try {
            other = file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
            Files.setOwner(file, other);
        } catch (IOException e) {
            assumeTrue(false, "only root can give files away");
            return;
        }
        assertThatThrownBy(() -> ProfileFile.read(file)).hasMessageContaining("it belongs to another user");
        Files.setOwner(file, Files.getOwner(folder));
        Files.setOwner(file.getParent(), other);
        assertThatThrownBy(() -> ProfileFile.read(file)).hasMessageContaining("its folder belongs to another user");
        Files.setOwner(file.getParent(), Files.getOwner(folder));
        assertThat(ProfileFile.read(file).profiles()).containsOnlyKeys("a");
    }

    @Test
    void errorsNameTheProfile() {
        assertThatThrownBy(() -> new ApiClient("http://127.0.0.1:1", none -> Optional.empty(), "")
                        .ofProfile("prod")
                        .get("/"))
                .hasMessageStartingWith("Profile 'prod': The server at http://127.0.0.1:1 can't be reached");
    }
}
