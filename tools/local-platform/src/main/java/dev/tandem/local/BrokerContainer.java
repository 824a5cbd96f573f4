package dev.tandem.local;

import dev.tandem.kit.FileTree;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.BooleanSupplier;

/**
 * A broker in a Docker container. Testcontainers runs it in a child process of ours, so that its jars are on no other
 * class path. The child reads one-line commands from its standard input, answers in a file, and removes the container
 * when its standard input ends. The container, and so its data and its port, survives being killed and started.
 * Thread-safe.
 */
final class BrokerContainer implements BrokerRuntime {

    private static final String MAIN = "dev.tandem.local.child.ContainerMain";
    private static final Duration PULL_LIMIT = Duration.ofMinutes(10);
    private static final Duration COMMAND_LIMIT = Duration.ofMinutes(1);

    private final LocalProcess process;
    private final String image;
    private final Path answer;
    private int commands;

    private BrokerContainer(LocalProcess process, String image, Path answer) {
        this.process = process;
        this.image = image;
        this.answer = answer;
    }

    static Builder of(String name, String image, int port, int containerPort) {
        return new Builder(name, image, port, containerPort);
    }

    String origin() {
        return "Docker, " + image;
    }

    @Override
    public synchronized void startAndAwait(Duration limit, BooleanSupplier probe) {
        boolean first = !process.isRunning();
        if (first) {
            process.start();
        }
        ask("start", first ? PULL_LIMIT : COMMAND_LIMIT);
        Waiting.until(limit, "The container of " + image + " was not ready", () -> isReady(probe), process::logTail);
    }

    private boolean isReady(BooleanSupplier probe) {
        if (probe.getAsBoolean()) {
            return true;
        }
        if (!isRunning()) {
            throw new LocalException("The container of " + image + " ended while it started. " + process.logTail());
        }
        return false;
    }

    @Override
    public synchronized boolean isRunning() {
        return process.isRunning()
                && commands > 0
                && ask("running", COMMAND_LIMIT).equals("true");
    }

    /** Whether the Kafka in this container has a broker that accepts clients. */
    synchronized boolean acceptsKafkaClients() {
        return ask("kafka", COMMAND_LIMIT).equals("true");
    }

    @Override
    public synchronized void stop(Duration patience) {
        if (isRunning()) {
            ask("stop " + patience.toSeconds(), patience.plus(COMMAND_LIMIT));
        }
    }

    @Override
    public synchronized void kill() {
        if (isRunning()) {
            ask("kill", COMMAND_LIMIT);
        }
    }

    @Override
    public synchronized void suspend() {
        ask("pause", COMMAND_LIMIT);
    }

    @Override
    public synchronized void resume() {
        ask("unpause", COMMAND_LIMIT);
    }

    @Override
    public Path log() {
        return process.log();
    }

    @Override
    public void close() {
        process.close(); // its shutdown hook removes the container
    }

    /** Sends a command and returns its answer: a file with "(number of the command) (ok or error) (text)". */
    private String ask(String command, Duration limit) {
        commands++;
        String prefix = commands + " ";
        process.send(command);
        Waiting.until(
                limit,
                "Docker did not do '" + command + "' with " + image,
                () -> {
                    if (!process.isRunning()) {
                        throw new LocalException("Docker could not do '" + command + "' with " + image
                                + ": the process that controls it ended. " + process.logTail());
                    }
                    return readAnswer().startsWith(prefix);
                },
                process::logTail);
        String text = readAnswer().substring(prefix.length());
        if (!text.startsWith("ok")) {
            throw new LocalException("Docker could not do '" + command + "' with " + image + ": " + text.strip());
        }
        return text.substring("ok".length()).strip();
    }

    private String readAnswer() {
        try {
            return Files.exists(answer) ? Files.readString(answer) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Collects what a container needs, as properties for the child. */
    static final class Builder {

        private final String name;
        private final String image;
        private final Properties properties = new Properties();
        private final int port;

        private Builder(String name, String image, int port, int containerPort) {
            this.name = name;
            this.image = image;
            this.port = port;
            properties.setProperty("image", image);
            properties.setProperty("binding", String.format(Locale.ROOT, "127.0.0.1:%d:%d", port, containerPort));
        }

        Builder command(List<String> words) {
            properties.setProperty("command", String.join("\n", words));
            return this;
        }

        Builder environment(String key, String value) {
            properties.setProperty("env." + key, value);
            return this;
        }

        Builder file(String path, String content) {
            properties.setProperty("file." + path, content);
            return this;
        }

        /** Lets the child ask the Kafka in the container whether it is ready. */
        Builder kafka() {
            properties.setProperty("kafka", "127.0.0.1:" + port);
            return this;
        }

        BrokerContainer build(BrokerLocation location) {
            StringWriter text = new StringWriter();
            try {
                properties.store(text, null);
            } catch (IOException e) {
                throw new UncheckedIOException(e); // a StringWriter throws none
            }
            Path file = location.write("container.properties", text.toString());
            Path answer = location.home().resolve("answer");
            FileTree.delete(answer);
            LocalProcess process = LocalProcess.java(
                            name,
                            BrokerJars.classPath(),
                            BrokerJars.jvmOptions(false, "128m"),
                            MAIN,
                            List.of(file.toString(), answer.toString()))
                    .directory(location.home())
                    // Its helper container would remove ours after us. The child does so, and the reaper ends the
                    // child.
                    .environment("TESTCONTAINERS_RYUK_DISABLED", "true")
                    .takesInput()
                    .build();
            return new BrokerContainer(process, image, answer);
        }
    }
}
