package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.Role;
import dev.tandem.server.cli.TandemCli;
import dev.tandem.testkit.TestCertificates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** The API with a certificate of a private authority, which is exchanged while it runs, and commands that trust it. */
class ApiTlsTest extends ApiTestBase {

    @TempDir
    private static Path folder;

    private static TestCertificates authority;
    private static ConfigurableApplicationContext secure;
    private static int securePort;

    @BeforeAll
    static void startWithTls() throws IOException {
        authority = TestCertificates.authority(folder, "ca");
        TestCertificates.Issued issued = authority.issue("api");
        Path secrets = Files.createDirectories(folder.resolve("secrets"));
        Files.writeString(secrets.resolve("tandem.kafka.properties.sasl.jaas.config"), "of-a-file\n");
        String bundle = "--spring.ssl.bundle.pem.api.";
        secure = run(
                "none",
                bundle + "keystore.certificate=file:" + issued.certificate(),
                bundle + "keystore.private-key=file:" + issued.key(),
                bundle + "reload-on-update=true",
                "--spring.config.import=configtree:" + secrets + "/",
                "--spring.ssl.bundle.watch.file.quiet-period=100ms",
                "--server.ssl.bundle=api");
        securePort = port(secure);
    }

    @AfterAll
    static void stopWithTls() {
        secure.close();
    }

    @Test
    void commandsTrustTheAuthorityThatTheyAreGiven() {
        assertThat(queues("https", "--ca", authority.ca().toString()))
                .contains("orders")
                .contains("exit 0");
    }

    @Test
    void commandsSendNothingToAServerThatTheyDoNotTrust() {
        TestCertificates other = TestCertificates.authority(folder, "other");

        assertThat(queues("https"))
                .contains("isn't trusted, so nothing was sent")
                .contains("--ca FILE, or in TANDEM_CA")
                .contains("exit 3");
        assertThat(queues("https", "--ca", other.ca().toString())).contains("isn't trusted");
        assertThat(queues("https", "--ca", "/gone.pem")).contains("'/gone.pem': there is no such file");
        assertThat(queues("http")).contains("speaks TLS only: write https://");
    }

    @Test
    void aCertificateIsExchangedWhileTheServerRuns() throws Exception {
        BigInteger before = serial();
        authority.issue("api");

        await().atMost(Duration.ofSeconds(30)).until(() -> !serial().equals(before));
        assertThat(queues("https", "--ca", authority.ca().toString())).contains("exit 0");
    }

    @Test
    void anySettingMayComeFromAFileOfItsName() {
        assertThat(secure.getBean(TandemSettings.class).kafka().properties())
                .containsEntry("sasl.jaas.config", "of-a-file");
    }

    @Test
    void cookiesAreForTlsOnlyAndThisHostAndBrowsersStayWithTls() throws Exception {
        try (ConfigurableApplicationContext strict = run(
                "required",
                "--spring.ssl.bundle.pem.api.keystore.certificate=file:" + folder.resolve("api.pem"),
                "--spring.ssl.bundle.pem.api.keystore.private-key=file:" + folder.resolve("api-key.pem"),
                "--server.ssl.bundle=api")) {
            int strictPort = port(strict);
            String token = TOKENS.token(Role.VIEWER, null);
            strict.getBean(KnownTokens.class).renew();
            HttpResponse<String> form =
                    secureSend(strictPort, HttpRequest.newBuilder().GET(), "");
            String ofForm = onlyCookie(form, "__Host-tandem-login-" + strictPort);
            String proof = form.body().replaceAll("(?s).*name=\"_csrf\" value=\"([^\"]+)\".*", "$1");

            HttpResponse<String> loggedIn = secureSend(
                    strictPort,
                    HttpRequest.newBuilder()
                            .header("Content-Type", "application/x-www-form-urlencoded")
                            .POST(BodyPublishers.ofString(
                                    "token=" + token + "&_csrf=" + URLEncoder.encode(proof, StandardCharsets.UTF_8))),
                    ofForm);

            onlyCookie(loggedIn, "__Host-tandem-session-" + strictPort);
            assertThat(loggedIn.headers().firstValue("Strict-Transport-Security"))
                    .hasValue("max-age=31536000");
        }
    }

    /** Returns the cookie of an answer, which has to have all marks. */
    private static String onlyCookie(HttpResponse<String> answer, String name) {
        List<String> set = answer.headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith(name + "="))
                .toList();
        assertThat(set).as(answer.statusCode() + " " + answer.headers().map()).hasSize(1);
        assertThat(set.get(0)).contains("; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict");
        assertThat(set.get(0)).doesNotContain("Domain");
        return set.get(0).split(";")[0];
    }

    private static HttpResponse<String> secureSend(int port, HttpRequest.Builder request, String cookie)
            throws IOException, InterruptedException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustsAll()}, null);
        request.uri(URI.create("https://127.0.0.1:" + port + "/login")).header("Accept", "text/html");
        if (!cookie.isEmpty()) {
            request.header("Cookie", cookie);
        }
        return HttpClient.newBuilder().sslContext(context).build().send(request.build(), BodyHandlers.ofString());
    }

    private static String queues(String scheme, String... more) {
        StringWriter output = new StringWriter();
        String[] words = new String[3 + more.length];
        words[0] = "queues";
        words[1] = "--server";
        words[2] = scheme + "://localhost:" + securePort;
        System.arraycopy(more, 0, words, 3, more.length);
        int status = TandemCli.commandLine()
                .setOut(new PrintWriter(output, true))
                .setErr(new PrintWriter(output, true))
                .execute(words);
        return output + "exit " + status;
    }

    /** Returns the serial number of the certificate that the server shows now. */
    private static BigInteger serial() throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustsAll()}, null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", securePort)) {
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
        }
    }

    private static final class TrustsAll implements X509TrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
