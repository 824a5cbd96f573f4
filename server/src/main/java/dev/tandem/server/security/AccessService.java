package dev.tandem.server.security;

import dev.tandem.runtime.settings.TandemSettings.ApiSettings;
import dev.tandem.runtime.settings.TandemSettings.Login;
import dev.tandem.server.access.KnownTokens;
import dev.tandem.server.access.TokenBook;
import dev.tandem.server.credentials.TokenFiles;
import dev.tandem.task.FailureText;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;

/** Makes the tokens of this machine once the web server listens, and keeps what this server knows of tokens up to date. */
final class AccessService implements ApplicationListener<WebServerInitializedEvent>, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AccessService.class);
    private static final String NO_FILE = "stdout";

    private final ApiSettings settings;
    private final TokenBook book;
    private final KnownTokens tokens;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "tandem-access");
        thread.setDaemon(true);
        return thread;
    });

    AccessService(ApiSettings settings, TokenBook book, KnownTokens tokens) {
        this.settings = settings;
        this.book = book;
        this.tokens = tokens;
    }

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
        // A separate server for health (management.server.port) has a name.
        boolean isApi = event.getApplicationContext().getServerNamespace() == null;
        if (!isApi || settings.login() == Login.NONE) {
            return;
        }
        LocalToken local = new LocalToken(
                book,
                tokens,
                InstantSource.system(),
                hostName() + ":" + event.getWebServer().getPort(),
                file(event.getWebServer().getPort()),
                System.out);
        timer.scheduleWithFixedDelay(() -> turn(local), 0, KnownTokens.RENEWED_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void turn(LocalToken local) {
        try {
            tokens.renew();
            local.turn();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            log.warn("Could not renew the tokens of this machine: {}", FailureText.of(e));
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "an unknown host";
        }
    }

    private @Nullable Path file(int port) {
        return switch (settings.tokenFile()) {
            case NO_FILE -> null;
            case "" -> TokenFiles.file(TokenFiles.folder(System::getenv), URI.create("http://127.0.0.1:" + port));
            default -> Path.of(settings.tokenFile());
        };
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
