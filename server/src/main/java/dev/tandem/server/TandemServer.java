package dev.tandem.server;

import dev.tandem.server.settings.SettingsLoader;
import dev.tandem.server.settings.TandemSettings;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** The platform as a program: {@code ./tandem server [--config FILE]}. */
public final class TandemServer {

    private static final String USAGE = """
            Usage: tandem server [--config FILE] [--name=value ...]

            Runs the platform against the brokers that its settings name.

              --config FILE    settings, YAML or properties (default: application.yml here, if there is one)
              --name=value     one setting, for instance --tandem.redis.uri=redis://redis:6379
              --help           this text

            Settings also come from the environment, for instance TANDEM_REDIS_URI.
            All of them are described in docs/configuration.md.""";

    private TandemServer() {}

    public static void main(String[] args) {
        int status = run(args, System.out, System.err);
        if (status != 0) {
            System.exit(status);
        }
    }

    /** @return the exit status; 0 also when the server runs on */
    static int run(String[] args, PrintStream out, PrintStream err) {
        ServerArguments arguments;
        try {
            arguments = ServerArguments.parse(args);
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            err.println("Try 'tandem server --help'.");
            return 2;
        }
        if (arguments.help()) {
            out.println(USAGE);
            return 0;
        }
        try {
            application().run(arguments.forSpring());
            return 0;
        } catch (RuntimeException e) {
            // Spring has said why.
            return 1;
        }
    }

    /** The server, to be run with arguments of the form {@code --name=value}. */
    public static SpringApplication application() {
        SpringApplication application = new SpringApplication(ServerConfiguration.class);
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.addInitializers(TandemServer::loadSettings);
        return application;
    }

    /** Before anything else is made, so that a wrong setting is all that the message is about. */
    private static void loadSettings(ConfigurableApplicationContext context) {
        TandemSettings settings = SettingsLoader.load(context.getEnvironment());
        ((GenericApplicationContext) context).registerBean(TandemSettings.class, () -> settings);
        // Spring gives up on a part that does not stop; ours takes its drain timeout.
        Duration patience = settings.executor().drainTimeout().plusSeconds(15);
        Map<String, Object> derived = new LinkedHashMap<>();
        derived.put("spring.lifecycle.timeout-per-shutdown-phase", patience.toMillis() + "ms");
        context.getEnvironment().getPropertySources().addLast(new MapPropertySource("tandem", derived));
    }
}
