package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.testkit.DocumentedBlocks;
import dev.tandem.testkit.Programs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The examples that check signatures, in five languages. */
@Execution(ExecutionMode.CONCURRENT)
class SignatureExamplesIT {

    private static final Path EXAMPLES = DocumentedBlocks.root().resolve("examples");
    private static final byte[] KEY = "a key with 24 bytes or so".getBytes(StandardCharsets.UTF_8);
    private static final String BODY = "{\"städte\": [\"Köln\"]}\n";
    private static final String OTHER = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    @TempDir
    private Path folder;

    @Test
    void python() throws Exception {
        assertChecks("python3", List.of("python3", EXAMPLES + "/python/verify_signature.py"));
    }

    @Test
    void node() throws Exception {
        assertChecks("node", List.of("node", EXAMPLES + "/node/verify-signature.js"));
    }

    @Test
    void php() throws Exception {
        assertChecks("php", List.of("php", EXAMPLES + "/php/verify_signature.php"));
    }

    @Test
    void java() throws Exception {
        Path classes = folder.resolve("classes");
        String home = System.getProperty("java.home") + "/bin/";
        Programs.Result compiled = Programs.run(
                List.of(home + "javac", "-d", classes.toString(), EXAMPLES + "/java/VerifySignature.java"), "");
        assertThat(compiled.status()).as(compiled.output()).isZero();
        assertChecks(
                "java",
                List.of(home + "java", "-XX:TieredStopAtLevel=1", "-cp", classes.toString(), "VerifySignature"));
    }

    @Test
    void go() throws Exception {
        Programs.require("go");
        Path program = folder.resolve("verify");
        Programs.Result built = Programs.run(
                List.of("sh", "-c", "cd '" + EXAMPLES + "/go' && go build -o '" + program + "' ./verify"), "");
        assertThat(built.status()).as(built.output()).isZero();
        assertChecks("go", List.of(program.toString()));
    }

    private static void assertChecks(String needed, List<String> program) throws Exception {
        Programs.require(needed);
        long now = Instant.now().getEpochSecond();

        assertThat(said(program, now, OTHER + " " + signature(now, BODY), BODY)).isEqualTo("valid");
        assertThat(said(program, now, signature(now, BODY), BODY + " ")).isEqualTo("invalid");
        assertThat(said(program, now, OTHER, BODY)).isEqualTo("invalid");
        assertThat(said(program, now - 3_600, signature(now - 3_600, BODY), BODY))
                .isEqualTo("invalid");
    }

    private static String said(List<String> program, long time, String signatures, String body) {
        List<String> words = new ArrayList<>(
                List.of("env", "WEBHOOK_KEY=whsec_" + Base64.getEncoder().encodeToString(KEY)));
        words.addAll(program);
        words.addAll(List.of("o-7", Long.toString(time), signatures));
        Programs.Result result = Programs.run(words, body);
        assertThat(result.status()).as(result.output()).isZero();
        return result.output().strip();
    }

    private static String signature(long time, String body) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        byte[] signed = ("o-7." + time + "." + body).getBytes(StandardCharsets.UTF_8);
        return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed));
    }
}
