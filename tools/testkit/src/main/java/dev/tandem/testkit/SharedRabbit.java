package dev.tandem.testkit;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.tandem.local.LocalAmqp;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;

/** A RabbitMQ that tests share, with the consistent-hash exchange. Thread-safe. */
public final class SharedRabbit {

    private final LocalAmqp rabbit;

    SharedRabbit() {
        rabbit = LocalAmqp.builder().rabbitOnly().start();
    }

    /** Returns {@code amqp://guest:guest@127.0.0.1:<port>}. */
    public String uri() {
        return rabbit.address();
    }

    /** Opens a connection without automatic recovery. Close it. */
    public Connection connect() {
        return connect(rabbit.address());
    }

    /** Opens a connection without automatic recovery to a broker of the test's own. Close it. */
    public static Connection connect(String uri) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setAutomaticRecoveryEnabled(false);
        try {
            factory.setUri(uri);
            return factory.newConnection("test");
        } catch (IOException | TimeoutException | URISyntaxException | GeneralSecurityException e) {
            throw new IllegalStateException("Cannot connect to " + uri + ": " + e, e);
        }
    }

    @Override
    public String toString() {
        return rabbit.toString();
    }
}
