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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens connections to a broker. Used by one thread at a time. */
public final class RabbitConnector {

    private static final Logger log = LoggerFactory.getLogger(RabbitConnector.class);

    /**
     * The broker gives up a silent connection after two to three heartbeats and requeues its messages. That is earlier
     * than the end of an executor's lease (10 s by default), so the next owner need not wait for them.
     */
    private static final int HEARTBEAT_SECONDS = 3;

    private static final int CONNECT_MILLIS = 5_000;
    private static final int RPC_MILLIS = 10_000;

    /** The user and the virtual host of a connection. */
    public record Login(String username, String password, String virtualHost) {
        /** Leaves out the password. */
        @Override
        public String toString() {
            return "Login[" + username + " in " + virtualHost + "]";
        }
    }

    /**
     * The largest message that RabbitMQ 3 accepts by default (RabbitMQ 4: 16 MiB). With the client's default of 64 MiB
     * a larger message would close the connection, again at each redelivery. Tandem's own limit marks it as unreadable.
     * The client refuses a message that has exactly as many bytes as it is told.
     */
    private static final int MAX_MESSAGE_BYTES = (128 << 20) + 1;

    private final RabbitAccess access;
    private final int connectMillis;
    private final List<ConnectionFactory> factories = new ArrayList<>();
    private int preferred;

    /**
     * @param settings of any queue of the broker
     * @param threads creates the client's reader and heartbeat threads
     */
    RabbitConnector(RabbitSettings settings, ThreadFactory threads) {
        this(settings.uri(), settings.access(), CONNECT_MILLIS, RPC_MILLIS, threads);
    }

    /**
     * Creates what opens connections for questions to the broker.
     *
     * @param uris the address; several of one cluster are separated by commas
     * @param timeoutMillis after which a connection that is not open, or an answer that has not come, has failed
     * @throws IllegalArgumentException if an address is invalid; the message shows no password
     */
    public RabbitConnector(String uris, RabbitAccess access, int timeoutMillis) {
        this(uris, access, timeoutMillis, timeoutMillis, RabbitThreads.named("questions"));
    }

    private RabbitConnector(String uris, RabbitAccess access, int connectMillis, int rpcMillis, ThreadFactory threads) {
        this.access = access;
        this.connectMillis = connectMillis;
        for (String uri : uris.split(",", -1)) {
            ConnectionFactory factory = factory(uri, threads);
            factory.setConnectionTimeout(connectMillis);
            factory.setHandshakeTimeout(connectMillis);
            factory.setShutdownTimeout(connectMillis);
            factory.setChannelRpcTimeout(rpcMillis);
            factories.add(factory);
        }
    }

    /**
     * Returns how the first address is logged in to.
     *
     * @throws IOException if a file with a secret cannot be used
     */
    public Login login() throws IOException {
        ConnectionFactory first = factories.get(0);
        try {
            access.apply(first);
        } catch (GeneralSecurityException | IllegalStateException e) {
            throw new IOException(e.getMessage(), e);
        }
        return new Login(first.getUsername(), first.getPassword(), first.getVirtualHost());
    }

    /**
     * Connects to the first address that answers, starting with the one that answered last time.
     *
     * @param name of the connection, for people
     */
    public Connection connect(String name) throws IOException, TimeoutException {
        @Nullable IOException failure = null;
        for (int i = 0; i < factories.size(); i++) {
            ConnectionFactory factory = factories.get((preferred + i) % factories.size());
            try {
                access.apply(factory);
                // Callbacks run on the connection's reader thread, so deliveries that the broker sent before an answer
                // are always seen before that answer. The callbacks only add to queues, so they do not block it.
                Connection connection = factory.newConnection(new CallerRunsExecutor(), name);
                preferred = (preferred + i) % factories.size();
                return connection;
            } catch (IOException e) {
                failure = e;
            } catch (TimeoutException e) {
                failure = new IOException("no answer within " + connectMillis + " ms", e);
            } catch (GeneralSecurityException | IllegalStateException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        throw failure == null ? new IOException("no address") : failure;
    }

    /** @throws IOException if the connection is broken, or the broker allows no more channels on it */
    static Channel openChannel(Connection on) throws IOException {
        Channel channel = on.createChannel();
        if (channel == null) {
            throw new IOException("the connection has reached the broker's channel_max: raise it in rabbitmq.conf");
        }
        return channel;
    }

    /** Returns the virtual host of addresses that {@link #check} accepts. */
    static String virtualHost(String uris) {
        return parse(uris.split(",", -1)[0]).getVirtualHost();
    }

    private static ConnectionFactory factory(String uri, ThreadFactory threads) {
        ConnectionFactory factory = parse(uri);
        // Tandem reconnects by itself. The client's own recovery would silently consume on a new channel, where the
        // ack of an old delivery tag would settle another message.
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setRequestedHeartbeat(HEARTBEAT_SECONDS);
        // Otherwise the late answer to a call that timed out could be mistaken for the answer to the next call.
        factory.setChannelShouldCheckRpcResponseType(true);
        factory.setMaxInboundMessageBodySize(MAX_MESSAGE_BYTES);
        factory.setThreadFactory(threads);
        factory.setExceptionHandler(new QuietExceptionHandler());
        return factory;
    }

    /** Logs a broken connection at debug level only: shutdown listeners report it. */
    private static final class QuietExceptionHandler extends DefaultExceptionHandler {
        @Override
        public void handleUnexpectedConnectionDriverException(Connection connection, Throwable problem) {
            log.debug("The connection broke", problem);
        }
    }

    private static ConnectionFactory parse(String text) {
        URI uri = uri(text);
        ConnectionFactory factory = new TolerantConnectionFactory();
        try {
            factory.setUri(uri);
        } catch (GeneralSecurityException | RuntimeException e) {
            throw refused(text, e);
        }
        return factory;
    }

    private static URI uri(String text) {
        try {
            URI uri = new URI(text.strip());
            // Strictly, a path of a lone slash names a virtual host with an empty name. Nobody means that.
            return "/".equals(uri.getRawPath()) ? new URI(text.strip().replaceFirst("/(\\?.*)?$", "$1")) : uri;
        } catch (URISyntaxException e) {
            throw refused(text, e);
        }
    }

    /** @throws IllegalArgumentException if an address is invalid; the message shows no password */
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
                + ": use amqp://user:password@host:5672/virtual-host, or amqps://; separate several by commas and"
                + " percent-encode special characters in user and password");
    }

    /** Returns the addresses without user and password. */
    static String withoutCredentials(String uris) {
        StringBuilder shown = new StringBuilder();
        for (String text : uris.split(",", -1)) {
            URI uri = uri(text);
            shown.append(shown.isEmpty() ? "" : ",").append(uri.getHost());
            shown.append(uri.getPort() < 0 ? "" : ":" + uri.getPort());
            shown.append(uri.getPath() == null ? "" : uri.getPath());
        }
        return shown.toString();
    }

    /** Hides the text before an @, which may contain a secret. */
    private static String masked(String text) {
        int at = text.lastIndexOf('@');
        return at < 0 ? text : "…" + text.substring(at);
    }
}
