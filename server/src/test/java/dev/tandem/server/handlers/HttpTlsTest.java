package dev.tandem.server.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.tandem.api.Result;
import dev.tandem.testkit.Programs;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/** A service that wants to see a certificate, and that has one of a private authority. */
class HttpTlsTest {

    private static final List<String> callers = new ArrayList<>();
    private static final Set<Integer> ports = ConcurrentHashMap.newKeySet();
    private static final ExecutorService threads = Executors.newCachedThreadPool();

    @TempDir
    private static Path folder;

    private static HttpsServer server;

    @BeforeAll
    static void start() throws Exception {
        Programs.require("openssl");
        Path script = Files.writeString(folder.resolve("certificates.sh"), """
                set -e
                cd "$1"
                key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1.key"; }
                authority() {
                  key "$1"
                  openssl req -new -x509 -key "$1.key" -subj "/CN=$1" -days 2 -out "$1.pem"
                }
                signed() {
                  key "$2"
                  echo "subjectAltName=DNS:$3" > "$2.ext"
                  openssl req -new -key "$2.key" -subj "/CN=$2" |
                    openssl x509 -req -CA "$1.pem" -CAkey "$1.key" -CAcreateserial -days 2 -extfile "$2.ext" -out "$2.pem"
                }
                authority private
                authority other
                signed private server hook.test
                signed private client tandem.test
                signed other stranger tandem.test
                """);
        Programs.Result made = Programs.run(List.of("bash", script.toString(), folder.toString()), "");
        assertThat(made.status()).as(made.output()).isZero();
        SSLContext own = context("server", "private");
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.setHttpsConfigurator(new HttpsConfigurator(own) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters ssl = own.getDefaultSSLParameters();
                ssl.setNeedClientAuth(true);
                parameters.setSSLParameters(ssl);
            }
        });
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            ports.add(exchange.getRemoteAddress().getPort());
            callers.add(((HttpsExchange) exchange)
                    .getSSLSession()
                    .getPeerPrincipal()
                    .getName());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.stop(0);
        }
        threads.shutdownNow();
    }

    @Test
    void theServiceSeesTheCertificateOfTheQueue() throws Exception {
        assertThat(call("hook.test", context("client", "private"))).isEqualTo(Result.done());
        assertThat(callers).containsOnly("CN=client");
    }

    @Test
    void connectionsWithACertificateAreUsedAgain() throws Exception {
        try (HttpCalls calls = HttpCallsOfTests.create(2, context("client", "private"))) {
            HttpHandler handler = handler(calls, "hook.test");
            ports.clear();
            for (int i = 0; i < 10; i++) {
                assertThat(handler.handle(new FakeTask())).isEqualTo(Result.done());
            }
        }
        assertThat(ports).hasSizeBetween(1, 2);
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefusedByTheService() {
        assertThatThrownBy(() -> call("hook.test", context("stranger", "private")))
                .isInstanceOf(HttpStatusException.class);
    }

    @Test
    void aServiceOfAnotherAuthorityIsNotTrusted() {
        assertThatThrownBy(() -> call("hook.test", context("client", "other")))
                .isInstanceOf(HttpStatusException.class)
                .hasMessageContaining("certification path");
        assertThatThrownBy(() -> call("hook.test", null)).isInstanceOf(HttpStatusException.class);
    }

    /** Though the address is the right one: what counts is the name. */
    @Test
    void aServiceWithAnotherNameIsNotTrusted() {
        assertThatThrownBy(() -> call("other.test", context("client", "private")))
                .isInstanceOf(HttpStatusException.class)
                .hasMessageContaining("other.test");
    }

    private static Result call(String host, @Nullable SSLContext tls) throws Exception {
        try (HttpCalls calls = HttpCallsOfTests.create(1, tls)) {
            return handler(calls, host).handle(new FakeTask());
        }
    }

    private static HttpHandler handler(HttpCalls calls, String host) {
        String url = "https://" + host + ":" + server.getAddress().getPort() + "/";
        HostResolver resolver = name -> List.of(InetAddress.getLoopbackAddress());
        return HttpCallsOfTests.handler(calls, HttpCallsOfTests.settings(url, List.of(host)), resolver, false);
    }

    private static SSLContext context(String own, String trusted) {
        PemSslStoreDetails key =
                PemSslStoreDetails.forCertificate(file(own + ".pem")).withPrivateKey(file(own + ".key"));
        PemSslStoreDetails trust = PemSslStoreDetails.forCertificate(file(trusted + ".pem"));
        return SslBundle.of(new PemSslStoreBundle(key, trust)).createSslContext();
    }

    private static String file(String name) {
        return "file:" + folder.resolve(name);
    }
}
