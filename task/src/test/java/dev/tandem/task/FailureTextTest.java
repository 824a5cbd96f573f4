package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTextTest {

    private static final class StaleClusterViewException extends RuntimeException {}

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new ConnectException("Connection refused"), "Connection refused"),
                Arguments.of(new ConnectException(), "connection refused"),
                Arguments.of(new IOException(), "the connection failed"),
                Arguments.of(new ClosedChannelException(), "the connection was closed"),
                Arguments.of(new TimeoutException(), "no answer in time"),
                Arguments.of(
                        new UnknownHostException("redis: Name or service not known"),
                        "the host name 'redis' cannot be resolved"),
                Arguments.of(
                        new IOException("Unable to connect to localhost/<unresolved>:6379"),
                        "Unable to connect to localhost:6379"),
                Arguments.of(
                        new IOException("Currently not connected. Commands are rejected."), "there is no connection"),
                Arguments.of(
                        new ExecutionException(new CompletionException(new IOException("reset by peer"))),
                        "reset by peer"),
                Arguments.of(
                        new UncheckedIOException(new ConnectException("Connection refused")), "Connection refused"),
                Arguments.of(new StaleClusterViewException(), "stale cluster view"),
                Arguments.of(new IOException("Node 3 says: try v1.2: later"), "Node 3 says: try v1.2: later"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aReasonNamesNoClass(Throwable failure, String text) {
        assertThat(FailureText.of(failure)).isEqualTo(text);
    }

    /** An expression that recurses for each piece of its input would overflow the stack. */
    @ParameterizedTest
    @ValueSource(strings = {"a.", "aB.c ", "a", "1.b_", "a.B$", "a.b: ", "[x] "})
    @Timeout(60)
    void aMessageMayBeOfAnyLength(String piece) {
        String message = piece.repeat((1 << 20) / piece.length());

        assertThat(FailureText.of(new IOException(message))).isEqualTo(message.strip());
        assertThat(FailureText.of(new IOException("java.io.IOException: " + message + "end")))
                .isEqualTo(message + "end");
    }
}
