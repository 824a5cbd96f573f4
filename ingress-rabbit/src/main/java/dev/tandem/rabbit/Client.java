package dev.tandem.rabbit;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.DefaultExceptionHandler;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens connections. One thread at a time. */
final class Client {

    private static final Logger log = LoggerFactory.getLogger(Client.class);

    /**
     * The broker misses one that is silent after two to three of them, and gives what it had to others: before its lease
     * (10 s by default) is over, so that no time is lost then.
     */
    private static final int HEARTBEAT_SECONDS = 3;

    private static final int CONNECT_MILLIS = 5_000;
    private static final int RPC_MILLIS = 10_000;

    /**
     * The largest message that RabbitMQ 3 accepts by default (4: 16 MiB). The client's own limit of 64 MiB closes the
     * connection, so that such a message would come again for ever; ours marks it as unreadable.
     */
    private static final int MAX_MESSAGE = 128 << 20;

    private final List<ConnectionFactory> factories = new ArrayList<>();
    private int next;

    /**
     * For these addresses.
     *
     * @param uris as {@link #check} lets through
     * @param threads for the client's reader and heartbeats
     */
    Client(String uris, ThreadFactory threads) {
        for (String uri : uris.split(",", -1)) {
            factories.add(factory(uri, threads));
        }
    }

    /** Connects to the first address that answers, beginning with the one that did last time. */
    Connection connect(String name) throws IOException, TimeoutException {
        @Nullable IOException failed = null;
        for (int i = 0; i < factories.size(); i++) {
            ConnectionFactory factory = factories.get((next + i) % factories.size());
            try {
                // Callbacks run on the connection's reader: ours only put into queues, and what was delivered before an
                // answer is then always there before it.
                Connection connection = factory.newConnection(new CallerRuns(), name);
                next = (next + i) % factories.size();
                return connection;
            } catch (IOException e) {
                failed = e;
            } catch (TimeoutException e) {
                failed = new IOException("no answer within " + CONNECT_MILLIS + " ms", e);
            }
        }
        throw failed == null ? new IOException("no address") : failed;
    }

    /** @throws IOException if the broker allows no more of them on this connection, or it broke */
    static Channel channel(Connection on) throws IOException {
        Channel channel = on.createChannel();
        if (channel == null) {
            throw new IOException("the broker's channel_max of this connection is used up");
        }
        return channel;
    }

    private static ConnectionFactory factory(String uri, ThreadFactory threads) {
        ConnectionFactory factory = parse(uri);
        // Recovery is ours: the client's would consume again on a new channel behind our back, and an ack of the old
        // one's delivery tag would settle another message.
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setRequestedHeartbeat(HEARTBEAT_SECONDS);
        factory.setConnectionTimeout(CONNECT_MILLIS);
        factory.setHandshakeTimeout(CONNECT_MILLIS);
        factory.setShutdownTimeout(CONNECT_MILLIS);
        factory.setChannelRpcTimeout(RPC_MILLIS);
        // Else the late answer of a call that timed out would be taken for the next call's.
        factory.setChannelShouldCheckRpcResponseType(true);
        factory.setMaxInboundMessageBodySize(MAX_MESSAGE);
        factory.setThreadFactory(threads);
        factory.setExceptionHandler(new LessNoise());
        return factory;
    }

    /** Broken connections are told to listeners, and said once by those; what callbacks throw stays an error. */
    private static final class LessNoise extends DefaultExceptionHandler {
        @Override
        public void handleUnexpectedConnectionDriverException(Connection connection, Throwable problem) {
            log.debug("The connection broke", problem);
        }
    }

    private static ConnectionFactory parse(String text) {
        URI uri = uri(text);
        ConnectionFactory factory = new ConnectionFactory();
        try {
            factory.setUri(uri);
            if ("amqps".equalsIgnoreCase(uri.getScheme())) {
                // By itself the client trusts every certificate here.
                factory.useSslProtocol(SSLContext.getDefault());
                factory.enableHostnameVerification();
            }
        } catch (GeneralSecurityException | RuntimeException e) {
            throw refused(text, e);
        }
        return factory;
    }

    private static URI uri(String text) {
        try {
            URI uri = new URI(text.strip());
            // To the letter of the URI scheme a lone slash names a virtual host without a name. Nobody means that.
            return "/".equals(uri.getRawPath()) ? new URI(text.strip().replaceFirst("/(\\?.*)?$", "$1")) : uri;
        } catch (URISyntaxException e) {
            throw refused(text, e);
        }
    }

    /** @throws IllegalArgumentException if one of the addresses can't be one; it never shows a password */
    static void check(String uris) {
        for (String text : uris.split(",", -1)) {
            URI uri = uri(text);
            if (uri.getHost() == null
                    || uri.getScheme() == null
                    || !uri.getScheme().matches("(?i)amqps?")) {
                throw refused(text, null);
            }
            parse(text);
        }
    }

    private static IllegalArgumentException refused(String text, @Nullable Exception cause) {
        String why = cause instanceof URISyntaxException syntax ? " (" + syntax.getReason() + ")" : "";
        return new IllegalArgumentException("The RabbitMQ setting 'uri' is '" + masked(text) + "'" + why
                + ": use amqp://user:password@host:5672/virtual-host, or amqps://, several separated by commas; special"
                + " characters in user and password percent-encoded");
    }

    /** The addresses without user and password. */
    static String shown(String uris) {
        StringBuilder shown = new StringBuilder();
        for (String text : uris.split(",", -1)) {
            URI uri = uri(text);
            shown.append(shown.isEmpty() ? "" : ",").append(uri.getHost());
            shown.append(uri.getPort() < 0 ? "" : ":" + uri.getPort());
            shown.append(uri.getPath() == null ? "" : uri.getPath());
        }
        return shown.toString();
    }

    /** Whatever stands before an @ may be a secret. */
    private static String masked(String text) {
        int at = text.lastIndexOf('@');
        return at < 0 ? text : "…" + text.substring(at);
    }
}
