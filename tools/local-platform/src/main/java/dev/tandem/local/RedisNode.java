package dev.tandem.local;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;

/** Questions to a single Redis or Sentinel process on this machine, each on a connection of its own. Thread-safe. */
final class RedisNode {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final byte[] PONG = "+PONG\r\n".getBytes(StandardCharsets.US_ASCII);

    private RedisNode() {}

    /** The client of all questions: it is made for the first one, and its threads are daemons. */
    private static final class Client {

        static final RedisClient INSTANCE = create();

        private static RedisClient create() {
            RedisClient client = RedisClient.create(ClientResources.builder()
                    .ioThreadPoolSize(2)
                    .computationThreadPoolSize(2)
                    .build());
            client.setOptions(ClientOptions.builder()
                    .autoReconnect(false)
                    .protocolVersion(ProtocolVersion.RESP2) // the oldest Redis has it, and so do Sentinels
                    .socketOptions(
                            SocketOptions.builder().connectTimeout(TIMEOUT).build())
                    .build());
            return client;
        }
    }

    /**
     * Asks a Redis.
     *
     * @throws LocalException when it does not answer, or answers with an error
     */
    static <T> T ask(int port, Function<RedisCommands<String, String>, T> question) {
        try (StatefulRedisConnection<String, String> connection = Client.INSTANCE.connect(uri(port))) {
            return question.apply(connection.sync());
        } catch (RedisException e) {
            throw noAnswer("Redis", port, e);
        }
    }

    /**
     * Asks a Sentinel.
     *
     * @throws LocalException when it does not answer, or answers with an error
     */
    static <T> T askSentinel(int port, Function<RedisSentinelCommands<String, String>, T> question) {
        try (StatefulRedisSentinelConnection<String, String> connection = Client.INSTANCE.connectSentinel(uri(port))) {
            return question.apply(connection.sync());
        } catch (RedisException e) {
            throw noAnswer("The Sentinel", port, e);
        }
    }

    /**
     * Whether it answers PING, which it does not while it loads its data. Asked as plain text: the first use of
     * Lettuce takes half a second of processor time, which a start of the demo should not spend.
     */
    static boolean answers(int port) {
        int timeoutMillis = Math.toIntExact(TIMEOUT.toMillis());
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(PONG.length);
            return Arrays.equals(answer, PONG);
        } catch (IOException e) {
            return false;
        }
    }

    private static RedisURI uri(int port) {
        return RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withTimeout(TIMEOUT)
                .build();
    }

    private static LocalException noAnswer(String who, int port, RedisException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return new LocalException(who + " at 127.0.0.1:" + port + " did not answer: " + cause.getMessage(), e);
    }
}
