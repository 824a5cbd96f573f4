package dev.tandem.server.api;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Warns when other machines can reach the API, which has no login yet. */
final class OpenApiWarning implements ApplicationListener<WebServerInitializedEvent> {

    private static final Logger log = LoggerFactory.getLogger(OpenApiWarning.class);

    private final Environment environment;

    OpenApiWarning(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
        String address = environment.getProperty("server.address");
        if (isOpen(address)) {
            log.warn(
                    "The API listens on {}, port {}, and has no login: anyone who can reach it can read, retry and"
                            + " delete tasks. Set server.address to 127.0.0.1, or make sure that only trusted networks"
                            + " can reach it",
                    address == null || address.isBlank() ? "every address" : address,
                    event.getWebServer().getPort());
        }
    }

    /** Whether other machines can reach a server that listens on this address. */
    static boolean isOpen(@Nullable String address) {
        if (address == null || address.isBlank()) {
            return true;
        }
        try {
            return !InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return true;
        }
    }
}
