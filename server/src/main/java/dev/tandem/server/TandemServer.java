package dev.tandem.server;

import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.logs.LibraryWarnings;
import dev.tandem.server.settings.BrokenFiles;
import dev.tandem.server.settings.StartFailures;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** The server program: {@code ./tandem server [--check] [--config FILE]}. */
public final class TandemServer {

    private static final String USAGE = """
            Usage: tandem server [--check] [--config FILE] [--name=value ...]

            Runs the platform against the brokers that its settings name.

              --config FILE    settings, YAML or properties (default: application.yml here, if there is one)
              --name=value     one setting, for instance --tandem.redis.uri=redis://redis:6379
              --check          only check the settings: exit status 1 if any is wrong
              --help           this text

            Settings also come from the environment, for instance TANDEM_REDIS_URI.
            All of them are described in docs/configuration.md.""";

    private static final Logger log = LoggerFactory.getLogger(TandemServer.class);

    private TandemServer() {}

    public static void main(String[] args) {
        run(application(), args);
    }

    /** Runs the server with command line arguments. Ends the JVM if the server does not start. */
    public static void run(SpringApplication application, String... args) {
        int status = run(application, args, System.out, System.err);
        if (status != 0) {
            System.exit(status);
        }
    }

    /** @return the exit status; also 0 if the server keeps running */
    static int run(SpringApplication application, String[] args, PrintStream out, PrintStream err) {
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
        List<String> broken =
                BrokenFiles.problems(arguments.files(), Path.of("").toAbsolutePath());
        if (!broken.isEmpty()) {
            report(
                    String.join("\n", broken) + (arguments.check() ? "" : "\nCorrect the files above and start again."),
                    arguments.check(),
                    err);
            return 1;
        }
        try {
            if (arguments.check()) {
                settingsOnly().run(arguments.forSpring()).close();
                out.println("The settings are right.");
                return 0;
            }
            application.run(arguments.forSpring());
            return 0;
        } catch (RuntimeException e) {
            report(arguments.check() ? StartFailures.problems(e) : StartFailures.report(e), arguments.check(), err);
            return 1;
        }
    }

    /** Says why the settings are wrong. Spring has reported other reasons. */
    private static void report(@Nullable String text, boolean check, PrintStream err) {
        if (text != null && check) {
            err.println(text);
        } else if (text != null) {
            log.error("The server does not start:\n{}", text);
        }
    }

    /** Returns the server, ready to run with arguments of the form {@code --name=value}. */
    public static SpringApplication application() {
        return quiet(new SpringApplication(ServerConfiguration.class));
    }

    /** Returns a program that loads the settings as the server does, and does nothing else. */
    private static SpringApplication settingsOnly() {
        SpringApplication application = quiet(new SpringApplication(NoBeans.class));
        application.setWebApplicationType(WebApplicationType.NONE);
        return application;
    }

    private static SpringApplication quiet(SpringApplication application) {
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        application.addInitializers(TandemServer::loadSettings);
        return application;
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    static class NoBeans {}

    /** Loads the settings before anything else is created, so that a wrong setting is the only error reported. */
    private static void loadSettings(ConfigurableApplicationContext context) {
        LibraryWarnings.install();
        TandemSettings settings = SettingsLoader.load(context.getEnvironment());
        ((GenericApplicationContext) context).registerBean(TandemSettings.class, () -> settings);
        // Spring must wait longer than the executor drains.
        Duration stopTimeout = settings.executor().drainTimeout().plusSeconds(15);
        Map<String, Object> derived = new LinkedHashMap<>();
        derived.put("spring.lifecycle.timeout-per-shutdown-phase", stopTimeout.toMillis() + "ms");
        ConfigurableEnvironment environment = context.getEnvironment();
        if (environment.containsProperty("management.server.port")
                && !environment.containsProperty("management.server.address")) {
            // A port of its own for health and metrics is as hidden as the API.
            derived.put("management.server.address", "${server.address}");
        }
        environment.getPropertySources().addLast(new MapPropertySource("tandem", derived));
    }
}
