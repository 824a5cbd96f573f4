package dev.tandem.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.runtime.settings.TandemSettings.TlsSettings;
import dev.tandem.testkit.TestCertificates;
import dev.tandem.testkit.TestCertificates.Issued;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of connections are read anew each time, and what is wrong with one is said with its setting and a remedy. */
class ConnectionFilesTest {

    @TempDir
    private Path folder;

    private TestCertificates authority;
    private Issued own;

    @BeforeEach
    void issue() {
        authority = TestCertificates.authority(folder, "ca");
        own = authority.issue("tandem");
    }

    @Test
    void filesInPemBecomeAContext() {
        PemFiles files = files(authority.ca(), own.certificate(), own.key());

        assertThat(files.trust()).isNotNull();
        assertThat(files.keys()).isNotNull();
        assertThat(files.context().getProtocol()).isEqualTo("TLS");
    }

    @Test
    void aPairOfWhichOneFileWasExchangedIsRefused() {
        Issued other = authority.issue("other");

        assertThatThrownBy(() ->
                        files(authority.ca(), own.certificate(), other.key()).keys())
                .hasMessageContaining("tandem.redis.tls.key-file is " + other.key())
                .hasMessageContaining("it is not the key of the certificate in tandem.redis.tls.certificate-file");
    }

    @Test
    void whatIsNoCertificateAndNoKeyIsRefusedWithTheRemedy() throws IOException {
        Path nothing = Files.writeString(folder.resolve("nothing.pem"), "nothing");
        Path old = Files.writeString(
                folder.resolve("old.pem"), "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");

        assertThatThrownBy(() -> files(nothing, own.certificate(), own.key()).trust())
                .hasMessage("tandem.redis.tls.ca-file is " + nothing
                        + ": it must have certificates in PEM (-----BEGIN CERTIFICATE-----)");
        assertThatThrownBy(
                        () -> files(authority.ca(), own.certificate(), nothing).keys())
                .hasMessageContaining("it must have a key in PEM");
        assertThatThrownBy(() -> files(authority.ca(), own.certificate(), old).keys())
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
        assertThatThrownBy(() -> files(folder.resolve("gone"), own.certificate(), own.key())
                        .trust())
                .hasMessageContaining("there is no such file");
    }

    @Test
    void aPasswordIsReadWithoutTheLineBreakAtItsEnd() throws IOException {
        Path file = Files.writeString(folder.resolve("password"), " p w\n");
        assertThat(SecretFile.read("tandem.redis.password-file", file.toString()))
                .isEqualTo(" p w");

        Files.writeString(file, "\n");
        assertThatThrownBy(() -> SecretFile.read("tandem.redis.password-file", file.toString()))
                .hasMessage("tandem.redis.password-file is " + file + ": it is empty");
    }

    @Test
    void settingsThatContradictEachOtherAreNamed() throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "secret");
        SettingProblems problems = new SettingProblems();
        ConnectionFilesCheck check = new ConnectionFilesCheck(problems);
        TlsSettings half = new TlsSettings("", own.certificate().toString(), "");

        check.check("tandem.redis", "redis://:old@host:6379", "rediss", "tandem", password.toString(), half);

        assertThat(problems.all())
                .extracting(SettingProblem::toString)
                .anyMatch(text -> text.contains("tandem.redis.password-file") && text.contains("leave one of them out"))
                .anyMatch(text ->
                        text.contains("tandem.redis.uri") && text.contains("each address must begin with rediss://"))
                .anyMatch(text -> text.contains("tandem.redis.tls.key-file"))
                .noneMatch(text -> text.contains("secret"));
    }

    @Test
    void eachOfSeveralAddressesMustHaveTls() {
        TlsSettings tls = new TlsSettings("/etc/ca.pem", "", "");
        SettingProblems problems = new SettingProblems();
        ConnectionFilesCheck check = new ConnectionFilesCheck(problems);

        check.check("tandem.rabbit", "amqps://one,amqps://two", "amqps", "", "", tls);
        check.check("tandem.redis", "rediss-sentinel://one:26379,two:26379#main", "rediss", "", "", tls);
        assertThat(problems.all()).isEmpty();

        check.check("tandem.rabbit", "amqps://one,amqp://two", "amqps", "", "", tls);
        assertThat(problems.all()).singleElement().asString().contains("each address must begin with amqps://");
    }

    @Test
    void allFilesThatCannotBeUsedAreNamedAtTheStart() {
        TlsSettings gone = new TlsSettings("/gone/ca.pem", own.certificate().toString(), "/gone/key.pem");

        assertThatThrownBy(() -> ConnectionFiles.check("tandem.redis", "/gone/password", gone))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("tandem.redis.password-file is '/gone/password': there is no such file")
                .hasMessageContaining("tandem.redis.tls.ca-file is '/gone/ca.pem': there is no such file")
                .hasMessageContaining("tandem.redis.tls.key-file is '/gone/key.pem': there is no such file");
    }

    private static PemFiles files(Path ca, Path certificate, Path key) {
        return new PemFiles("tandem.redis.tls", new TlsSettings(ca.toString(), certificate.toString(), key.toString()));
    }
}
