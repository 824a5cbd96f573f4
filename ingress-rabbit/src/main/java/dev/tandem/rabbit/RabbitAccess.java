package dev.tandem.rabbit;

import com.rabbitmq.client.ConnectionFactory;
import java.security.GeneralSecurityException;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How RabbitMQ is logged in to, and what its certificate is checked against. Each connection asks anew, so a password or a
 * certificate can be exchanged while connections are open. Queues with equal accesses share connections.
 *
 * @param username the user; null for the one of the address
 * @param password returns the password, or throws an {@link IllegalStateException} that says why there is none; null for
 *     the one of the address
 * @param tls returns the context of connections to {@code amqps://}, or throws likewise; null for that of the JVM
 */
public record RabbitAccess(
        @Nullable String username,
        @Nullable Supplier<String> password,
        @Nullable Supplier<SSLContext> tls) {

    /** Only what the address says. */
    public static final RabbitAccess OF_ADDRESS = new RabbitAccess(null, null, null);

    /**
     * Has the connections that are opened next log in, and check the broker's certificate and the host's name in it.
     *
     * @param factory has its address already
     * @throws GeneralSecurityException if the JVM has no context for TLS
     * @throws IllegalStateException if a file cannot be used; the message says which
     */
    public void apply(ConnectionFactory factory) throws GeneralSecurityException {
        if (username != null) {
            factory.setUsername(username);
        }
        if (password != null) {
            factory.setPassword(password.get());
        }
        if (factory.isSSL()) {
            // Without a context of ours, the client trusts every certificate and tells everybody the password.
            factory.useSslProtocol(tls == null ? SSLContext.getDefault() : tls.get());
            factory.enableHostnameVerification();
        }
    }

    /** Leaves out everything that may be secret. */
    @Override
    public String toString() {
        return "RabbitAccess[username=" + username + "]";
    }
}
