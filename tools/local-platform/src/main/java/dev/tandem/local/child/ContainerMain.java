package dev.tandem.local.child;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.OutputFrame;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.ImageNameSubstitutor;

/**
 * The main class of a process that runs one container with Testcontainers. It executes a command per line of its
 * standard input, answers each in a file, and removes the container when its standard input ends. Arguments: the file
 * with the properties of the container, the file for answers.
 */
public final class ContainerMain {

    private final GenericContainer<?> container;
    private final Properties properties;

    private ContainerMain(Properties properties) {
        this.properties = properties;
        container = new GenericContainer<>(DockerImageName.parse(properties.getProperty("image")));
        container.setPortBindings(List.of(properties.getProperty("binding")));
        String command = properties.getProperty("command");
        if (command != null) {
            container.withCommand(command.split("\n", -1));
        }
        for (String key : properties.stringPropertyNames()) {
            String value = properties.getProperty(key);
            if (key.startsWith("env.")) {
                container.withEnv(key.substring("env.".length()), value);
            } else if (key.startsWith("file.")) {
                container.withCopyToContainer(Transferable.of(value), key.substring("file.".length()));
            }
        }
        container.withLogConsumer(ContainerMain::log);
        container.waitingFor(new AbstractWaitStrategy() {
            @Override
            protected void waitUntilReady() {
                // The parent probes it.
            }
        });
    }

    public static void main(String[] arguments) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(arguments[0]))) {
            properties.load(reader);
        }
        ContainerMain main = new ContainerMain(properties);
        Runtime.getRuntime().addShutdownHook(new Thread(main.container::stop, "remove-container"));
        Path answer = Path.of(arguments[1]);
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            int number = 0;
            for (String command = commands.readLine(); command != null; command = commands.readLine()) {
                number++;
                write(answer, number + " " + main.execute(command));
            }
        }
        System.exit(0);
    }

    private static void write(Path file, String text) throws IOException {
        Path partial = file.resolveSibling(file.getFileName() + ".part");
        Files.writeString(partial, text);
        Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private String execute(String command) {
        try {
            return "ok " + resultOf(command);
        } catch (Exception e) {
            e.printStackTrace(System.out);
            return "error " + e.getMessage();
        }
    }

    private String resultOf(String command) throws Exception {
        DockerClient docker = container.getDockerClient();
        String id = container.getContainerId();
        String[] words = command.split(" ", -1);
        switch (words[0]) {
            case "start" -> start(docker, id);
            case "running" -> {
                return id == null ? "false" : Boolean.toString(isRunning(docker, id));
            }
            case "kafka" -> {
                return Boolean.toString(acceptsKafkaClients());
            }
            case "stop" ->
                docker.stopContainerCmd(id)
                        .withTimeout(Integer.valueOf(words[1]))
                        .exec();
            case "kill" -> docker.killContainerCmd(id).exec();
            case "pause" -> docker.pauseContainerCmd(id).exec();
            case "unpause" -> docker.unpauseContainerCmd(id).exec();
            default -> throw new IllegalArgumentException("unknown command");
        }
        return "";
    }

    private void start(DockerClient docker, String id) throws InterruptedException {
        if (id == null) {
            pull(docker);
            container.start();
            return;
        }
        try {
            docker.startContainerCmd(id).exec();
            container.followOutput(ContainerMain::log);
        } catch (NotModifiedException e) {
            // It runs already.
        }
    }

    // Testcontainers would retry for two minutes. An image that cannot be pulled should be reported at once.
    private void pull(DockerClient docker) throws InterruptedException {
        String image = ImageNameSubstitutor.instance()
                .apply(DockerImageName.parse(properties.getProperty("image")))
                .asCanonicalNameString();
        try {
            docker.inspectImageCmd(image).exec();
        } catch (NotFoundException e) {
            System.out.println("pulling " + image);
            docker.pullImageCmd(image).start().awaitCompletion();
        }
    }

    private static void log(OutputFrame frame) {
        System.out.print(frame.getUtf8String());
    }

    private static boolean isRunning(DockerClient docker, String id) {
        return Boolean.TRUE.equals(
                docker.inspectContainerCmd(id).exec().getState().getRunning());
    }

    private boolean acceptsKafkaClients() {
        int millis = (int) Duration.ofSeconds(2).toMillis();
        try (Admin admin = Admin.create(Map.of(
                "bootstrap.servers", properties.getProperty("kafka"),
                "request.timeout.ms", millis,
                "default.api.timeout.ms", millis))) {
            return !admin.describeCluster()
                    .nodes()
                    .get(millis, TimeUnit.MILLISECONDS)
                    .isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (Exception e) {
            return false;
        }
    }
}
