package dev.tandem.server.runtime;

import dev.tandem.rabbit.RabbitConnector;
import dev.tandem.runtime.queues.BrokerSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.doctor.RabbitFacts.Managed;
import dev.tandem.server.doctor.RabbitFacts.Management;
import dev.tandem.task.FailureText;
import dev.tandem.task.UrlText;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks RabbitMQ's management plugin for what AMQP does not show of queues. Follows no redirects. */
final class RabbitManagement {

    private static final int TIMEOUT_MILLIS = 2_000;
    private static final int MOST_BYTES = 1 << 20;

    private final String root;
    private final String login;
    private final String virtualHost;
    private final @Nullable SSLContext tls;
    /** The reason why it did not answer once: then it is not asked again. */
    private @Nullable String failure;

    private RabbitManagement(URI address, String userInfo, String virtualHost, @Nullable SSLContext tls) {
        String path = address.getRawPath() == null ? "" : address.getRawPath().replaceFirst("/+$", "");
        this.root = address.getScheme() + "://" + address.getHost()
                + (address.getPort() < 0 ? "" : ":" + address.getPort()) + path;
        this.login = Base64.getEncoder().encodeToString(userInfo.getBytes(StandardCharsets.UTF_8));
        this.virtualHost = virtualHost;
        this.tls = tls;
    }

    /** Returns the plugin that is to be asked; empty if the settings name none. */
    static Optional<RabbitManagement> of(TandemSettings settings) throws IOException {
        String uri = settings.rabbit().managementUri();
        if (uri.isEmpty()) {
            return Optional.empty();
        }
        RabbitConnector.Login amqp = RabbitBacklog.connector(settings.rabbit()).login();
        URI address = URI.create(uri);
        String userInfo =
                address.getUserInfo() == null ? amqp.username() + ":" + amqp.password() : address.getUserInfo();
        Supplier<SSLContext> tls =
                BrokerSettings.rabbitAccess(settings.rabbit()).tls();
        return Optional.of(new RabbitManagement(address, userInfo, amqp.virtualHost(), tls == null ? null : tls.get()));
    }

    /** Returns what it says of these queues of the broker. Those that it does not know are left out. */
    Management look(List<String> queues) {
        if (failure != null) {
            return new Management(failure, List.of());
        }
        List<Managed> found = new ArrayList<>();
        try {
            for (String queue : queues) {
                Managed managed = look(queue);
                if (managed != null) {
                    found.add(managed);
                }
            }
            return new Management(null, found);
        } catch (IOException e) {
            failure = FailureText.of(e);
        } catch (JacksonException e) {
            failure = "it answers with no JSON";
        }
        return new Management(failure, List.of());
    }

    private @Nullable Managed look(String queue) throws IOException {
        URI uri =
                URI.create(root + "/api/queues/" + UrlText.pathSegment(virtualHost) + "/" + UrlText.pathSegment(queue));
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        if (tls != null && connection instanceof HttpsURLConnection encrypted) {
            encrypted.setSSLSocketFactory(tls.getSocketFactory());
        }
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Authorization", "Basic " + login);
        connection.setRequestProperty("Accept", "application/json");
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_NOT_FOUND) {
            return null;
        } else if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException("it answers with status " + status);
        }
        try (InputStream in = connection.getInputStream()) {
            return managed(JsonMapper.shared().readTree(in.readNBytes(MOST_BYTES)));
        }
    }

    private static Managed managed(JsonNode queue) {
        return new Managed(
                queue.path("name").asString(""),
                queue.path("type").asString("classic"),
                queue.path("durable").asBoolean(true),
                values(queue.path("arguments")),
                queue.path("policy").isString() ? queue.path("policy").asString() : null,
                values(queue.path("effective_policy_definition")));
    }

    private static Map<String, Object> values(JsonNode object) {
        Map<String, Object> values = new HashMap<>();
        object.properties().forEach(each -> {
            JsonNode value = each.getValue();
            values.put(each.getKey(), value.isIntegralNumber() ? (Object) value.asLong() : value.asString(""));
        });
        return values;
    }
}
