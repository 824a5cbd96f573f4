package dev.tandem.server.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.tandem.api.Result;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An intruder who controls the names, or the service, that a queue's tasks are posted to. The secrets are on loopback. */
class HttpTargetTest {

    private final AtomicInteger secretsRead = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpCalls calls = HttpCallsOfTests.create(2);
    private final CountDownLatch released = new CountDownLatch(1);
    private HttpServer secrets;

    /** Answers each look-up with the next of these, and then always with the last. */
    private final Deque<List<String>> answers = new ArrayDeque<>();

    private final AtomicInteger lookUps = new AtomicInteger();

    @BeforeEach
    void start() throws IOException {
        secrets = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        secrets.setExecutor(threads);
        secrets.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            secretsRead.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        secrets.createContext("/redirect", exchange -> {
            exchange.getResponseHeaders().set("Location", "http://127.0.0.1:" + port() + "/");
            exchange.sendResponseHeaders(307, -1);
            exchange.close();
        });
        secrets.createContext("/slow", exchange -> {
            secretsRead.incrementAndGet();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        secrets.start();
    }

    @AfterEach
    void stop() {
        released.countDown();
        calls.close();
        secrets.stop(0);
        threads.shutdownNow();
    }

    @Test
    void nameThatIsResolvedToLoopbackIsNotCalled() {
        answers.add(List.of("127.0.0.1"));

        assertThatThrownBy(() ->
                        handler("http://hook.test:" + port() + "/", List.of()).handle(new FakeTask()))
                .hasToString("no call of hook.test:" + port() + ": hook.test was resolved to 127.0.0.1: 127.0.0.1 is a"
                        + " loopback address, which http.allow does not list");
        assertThat(secretsRead).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "::1",
                "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
                        "2002:7f00:1::"
            })
    void nameOfWhateverIsNotPublicIsNotCalled(String address) {
        answers.add(List.of(address));

        assertThatThrownBy(() -> handler("https://hook.test/", List.of()).handle(new FakeTask()))
                .hasMessageStartingWith("no call of hook.test: ");
    }

    /** DNS rebinding: what a check sees is not what a later look-up says. */
    @Test
    void whatIsConnectedToIsWhatWasChecked() throws Exception {
        answers.add(List.of("127.0.0.1"));
        answers.add(List.of("203.0.113.9"));
        HttpHandler handler = handler("http://hook.test:" + port() + "/", List.of("hook.test"));

        // The first answer is connected to, and nothing asks for a second one.
        assertThat(handler.handle(new FakeTask())).isEqualTo(Result.done());
        assertThat(secretsRead).hasValue(1);
        assertThat(lookUps).hasValue(1);
        // 203.0.113.0/24 is for documentation. The name's being listed does not help.
        assertThatThrownBy(() -> handler.handle(new FakeTask())).hasMessageContaining("is a reserved address");
    }

    @Test
    void nameThatIsReboundIsRefusedAlthoughAConnectionOfAnotherQueueIsOpen() throws Exception {
        answers.add(List.of("127.0.0.1"));
        String url = "http://hook.test:" + port() + "/";
        assertThat(handler(url, List.of("127.0.0.0/8")).handle(new FakeTask())).isEqualTo(Result.done());

        assertThatThrownBy(() -> handler(url, List.of()).handle(new FakeTask())).hasMessageContaining("loopback");
        assertThat(secretsRead).hasValue(1);
    }

    @Test
    void ofSeveralAddressesThoseThatAreNotAllowedAreLeftOut() throws Exception {
        answers.add(List.of("169.254.169.254", "fd00::1", "127.0.0.1"));
        String url = "http://hook.test:" + port() + "/";

        assertThat(handler(url, List.of("127.0.0.1")).handle(new FakeTask())).isEqualTo(Result.done());
    }

    @Test
    void nextAddressIsTriedIfThereIsNoConnection() throws Exception {
        answers.add(List.of("127.0.0.2", "127.0.0.1"));
        String url = "http://hook.test:" + port() + "/";

        assertThat(handler(url, List.of("hook.test:" + port())).handle(new FakeTask()))
                .isEqualTo(Result.done());
    }

    @Test
    void listedNameDoesNotOpenTheMetadataOfTheCloud() {
        answers.add(List.of("169.254.169.254"));

        assertThatThrownBy(() -> handler("http://hook.test/latest/meta-data", List.of("hook.test"))
                        .handle(new FakeTask()))
                .hasMessageContaining("169.254.169.254 is a link-local address");
    }

    @Test
    void redirectToLoopbackIsNotFollowed() {
        answers.add(List.of("127.0.0.1"));
        HttpHandler handler = handler("http://hook.test:" + port() + "/redirect", List.of("hook.test"));

        assertThatThrownBy(() -> handler.handle(new FakeTask())).hasMessageContaining("redirects are not followed");
        assertThat(secretsRead).hasValue(0);
    }

    @Test
    void addressInTheUrlIsAllowedAsItStandsThere() throws Exception {
        HttpHandler handler = handler("http://127.0.0.1:" + port() + "/", List.of());
        assertThat(handler(HostResolver.SYSTEM, "http://localhost:" + port() + "/", List.of())
                        .handle(new FakeTask()))
                .isEqualTo(Result.done());

        answers.add(List.of("127.0.0.1"));
        assertThat(handler.handle(new FakeTask())).isEqualTo(Result.done());
        answers.clear();
        answers.add(List.of("10.0.0.1"));
        assertThatThrownBy(() -> handler.handle(new FakeTask())).hasMessageContaining("10.0.0.1 is a private address");
    }

    /** Some libraries read these as 127.0.0.1. */
    @ParameterizedTest
    @ValueSource(strings = {"0x7f.1.example", "127.1.example", "loopback.example"})
    void otherSpellingsOfLoopbackAreNamesLikeAnyOther(String host) {
        answers.add(List.of("127.0.0.1"));

        assertThatThrownBy(() -> handler("http://" + host + ":" + port() + "/", List.of())
                        .handle(new FakeTask()))
                .hasMessageContaining("a loopback address");
    }

    @Test
    void idsAndKeysCannotAddHeadersOrRequests() throws Exception {
        answers.add(List.of("127.0.0.1"));
        HttpHandler handler = handler("http://hook.test:" + port() + "/", List.of("hook.test"));
        String smuggled = "x\r\nHost: other\r\n\r\nPOST /admin HTTP/1.1\r\nHost: other\r\n\r\n";

        assertThat(handler.handle(new FakeTask()
                        .id(smuggled)
                        .key(smuggled)
                        .header("content-type", smuggled)
                        .header("traceparent", smuggled)))
                .isEqualTo(Result.done());
        assertThat(secretsRead).hasValue(1);
    }

    @Test
    void unknownNameIsAFailedAttemptThatNamesIt() {
        HostResolver none = host -> {
            throw new UnknownHostException(host);
        };

        assertThatThrownBy(() -> handler(none, "http://hook.test/", List.of()).handle(new FakeTask()))
                .hasToString("no connection to hook.test: its address is not known");
    }

    /** A name server that does not answer, which the look-up of the machine waits for whatever happens. */
    @Test
    void aLookUpIsPartOfTheTimeoutEndsByAnInterruptAndIsShared() throws Exception {
        HostResolver stuck = host -> {
            lookUps.incrementAndGet();
            awaitRelease();
            return List.of(InetAddress.getLoopbackAddress());
        };
        HttpHandler handler = handler(stuck, "http://hook.test:" + port() + "/", List.of("hook.test"));

        Future<Result> first =
                threads.submit(() -> handler.handle(new FakeTask().deadline(HttpCallsOfTests.NOW.plusMillis(20))));
        assertThatThrownBy(() -> first.get(10, TimeUnit.SECONDS))
                .hasMessageContaining("the call of hook.test:" + port() + " failed: its address was not found in time");

        FutureTask<Result> call = new FutureTask<>(() -> handler.handle(new FakeTask()));
        Thread worker = new Thread(call);
        worker.start();
        await().until(() -> worker.getState() == Thread.State.TIMED_WAITING);
        worker.interrupt();
        assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);

        Future<Result> last = threads.submit(() -> handler.handle(new FakeTask()));
        assertThat(lookUps).hasValue(1);
        released.countDown();
        assertThat(last.get(10, TimeUnit.SECONDS)).isEqualTo(Result.done());
    }

    private void awaitRelease() {
        while (released.getCount() > 0) {
            try {
                released.await();
            } catch (InterruptedException e) {
                // As the machine does.
            }
        }
    }

    @Test
    void callsOfOneHostAreBounded() throws Exception {
        String url = "http://127.0.0.1:" + port() + "/slow";
        HttpHandler handler = handler(HostResolver.SYSTEM, url, List.of());
        List<Future<Result>> both = List.of(
                threads.submit(() -> handler.handle(new FakeTask())),
                threads.submit(() -> handler.handle(new FakeTask())));
        while (secretsRead.get() < 2) {
            Thread.onSpinWait();
        }

        assertThatThrownBy(() -> handler.handle(new FakeTask().deadline(HttpCallsOfTests.NOW.plusMillis(20))))
                .hasMessageContaining("none of its 2 connections (tandem.http.connections-per-host) was free in time");
        released.countDown();
        for (Future<Result> each : both) {
            assertThat(each.get()).isEqualTo(Result.done());
        }
        assertThat(handler.handle(new FakeTask())).isEqualTo(Result.done());
    }

    private int port() {
        return secrets.getAddress().getPort();
    }

    private HttpHandler handler(String url, List<String> allow) {
        return handler(this::resolve, url, allow);
    }

    private HttpHandler handler(HostResolver resolver, String url, List<String> allow) {
        return HttpCallsOfTests.handler(calls, HttpCallsOfTests.settings(url, allow), resolver, false);
    }

    private List<InetAddress> resolve(String host) throws UnknownHostException {
        lookUps.incrementAndGet();
        List<String> next = answers.size() > 1 ? answers.removeFirst() : answers.getFirst();
        List<InetAddress> addresses = new ArrayList<>();
        for (String each : next) {
            addresses.add(InetAddress.getByName(each));
        }
        return addresses;
    }
}
