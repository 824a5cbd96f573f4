package dev.tandem.server;

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
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the server once without brokers, and ends. The JVM is told by its options to archive the classes that were
 * loaded meanwhile, so that the server starts from them. Classes that are needed only once a broker answers are loaded
 * by name.
 */
final class StartTraining {

    /** The jars of Tandem and of the clients of the brokers. */
    private static final Pattern LOADED_WHOLE =
            Pattern.compile("tandem.*|kafka-clients.*|lettuce-core.*|amqp-client.*");

    /** Nobody listens there. All that the server does is to connect again and again. */
    private static final String NOWHERE = "127.0.0.1:1";

    private static final List<String> SETTINGS = List.of(
            "--server.port=0",
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

    public static void main(String[] arguments) throws Exception {
        ConfigurableApplicationContext server = TandemServer.application().run(SETTINGS.toArray(String[]::new));
        String port = server.getEnvironment().getRequiredProperty("local.server.port");
        for (String path : List.of("/actuator/health/readiness", "/actuator/health", "/actuator/prometheus")) {
            request(URI.create("http://127.0.0.1:" + port + path));
        }
        TandemCli.commandLine().setOut(new PrintWriter(new StringWriter())).execute("--help");
        loadClasses();
        server.close();
        System.exit(0); // also if a client has left a thread
    }

    private static void request(URI uri) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
        HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
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
