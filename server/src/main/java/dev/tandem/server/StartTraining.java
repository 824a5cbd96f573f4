package dev.tandem.server;

import static org.springframework.core.env.StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
import static org.springframework.core.env.StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME;

import dev.tandem.server.cli.TandemCli;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.web.context.support.StandardServletEnvironment;

/**
 * Starts the server once without brokers, and ends. The JVM is told by its options to archive the classes that were
 * loaded meanwhile, so that the server starts from them. Classes that are needed only once a broker answers are loaded
 * by name. The settings of the user have no effect: an archive is the same for all of them.
 */
final class StartTraining {

    /** The jars of Tandem and of the clients of the brokers. */
    private static final Pattern LOADED_WHOLE =
            Pattern.compile("tandem.*|kafka-clients.*|lettuce-core.*|amqp-client.*");

    /** Nobody listens there. All that the server does is to connect again and again. */
    private static final String NOWHERE = "127.0.0.1:1";

    private static final String LOOPBACK = "127.0.0.1";

    private static final List<String> SETTINGS = List.of(
            "--spring.config.location=classpath:/", // not the files of the working directory
            "--server.address=" + LOOPBACK,
            "--server.port=0",
            "--tandem.api.open-metrics=true",
            "--logging.level.root=off",
            "--logging.level.dev.tandem=off",
            "--tandem.kafka.bootstrap-servers=" + NOWHERE,
            "--tandem.rabbit.uri=amqp://" + NOWHERE,
            "--tandem.redis.uri=redis://" + NOWHERE,
            "--tandem.queues.from-kafka.source=kafka",
            "--tandem.queues.from-kafka.handler=log",
            "--tandem.queues.from-rabbit.source=rabbit",
            "--tandem.queues.from-rabbit.handler=log");

    private StartTraining() {}

    /** Exits with 0 only if all of it worked. Ends the JVM in any case, although threads of the server may be left. */
    public static void main(String[] arguments) {
        int status = 1;
        try {
            train();
            status = 0;
        } catch (Exception | Error e) {
            e.printStackTrace(); // logging is off
        } finally {
            System.exit(status);
        }
    }

    private static void train() throws IOException, InterruptedException {
        SpringApplication application = TandemServer.application();
        application.setEnvironment(withoutSettings());
        try (ConfigurableApplicationContext server = application.run(SETTINGS.toArray(String[]::new))) {
            String port = server.getEnvironment().getRequiredProperty("local.server.port");
            for (String path : List.of("/actuator/health/readiness", "/actuator/health", "/actuator/prometheus")) {
                request(URI.create("http://" + LOOPBACK + ":" + port + path));
            }
            TandemCli.commandLine().setOut(new PrintWriter(new StringWriter())).execute("--help");
            loadClasses();
        }
    }

    /** Returns an environment of the kind that the server has, without system properties and variables. */
    private static ConfigurableEnvironment withoutSettings() {
        ConfigurableEnvironment environment = new StandardServletEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        sources.replace(
                SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME,
                new PropertiesPropertySource(SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, new Properties()));
        sources.replace(
                SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                new SystemEnvironmentPropertySource(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of()));
        return environment;
    }

    private static void request(URI uri) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
        HttpClient client =
                HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();
        client.send(request, BodyHandlers.discarding());
    }

    private static void loadClasses() throws IOException {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            File jar = new File(entry);
            if (jar.isFile() && LOADED_WHOLE.matcher(jar.getName()).matches()) {
                loadClasses(jar);
            }
        }
    }

    private static void loadClasses(File jar) throws IOException {
        try (JarFile open = new JarFile(jar)) {
            open.stream().map(JarEntry::getName).filter(StartTraining::isClass).forEach(StartTraining::load);
        }
    }

    private static boolean isClass(String name) {
        return name.endsWith(".class") && !name.startsWith("META-INF/") && !name.endsWith("-info.class");
    }

    private static void load(String file) {
        String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
        try {
            Class.forName(name, false, StartTraining.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            // The class needs a library that is optional for the client and not here.
        }
    }
}
