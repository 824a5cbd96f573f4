package dev.tandem.local;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A broker in a Docker container. Testcontainers runs it, in a child process of ours, so that it is on no other class
 * path; that child takes one-line commands on its stdin and answers in a file, and removes the container when its
 * stdin ends. Killing and starting keep the container, and so its data and its port.
 */
final class Container implements Runner {

    private static final String MAIN = "dev.tandem.local.child.ContainerMain";
    private static final Duration PULL_LIMIT = Duration.ofMinutes(10);
    private static final Duration COMMAND_LIMIT = Duration.ofMinutes(1);

    private final LocalProcess process;
    private final String image;
    private final Path answer;
    private int commands;

    private Container(LocalProcess process, String image, Path answer) {
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
        long deadline = System.nanoTime() + limit.toNanos();
        while (!probe.getAsBoolean()) {
            if (!isRunning()) {
                throw new LocalException("The container of " + image + " ended while it started. " + process.logTail());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new LocalException("The container of " + image + " was not ready after " + limit.toSeconds()
                        + " s. " + process.logTail());
            }
            pause(50);
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return process.isRunning()
                && commands > 0
                && ask("running", COMMAND_LIMIT).equals("true");
    }

    /** Whether the Kafka in this container has a broker that takes clients. */
    synchronized boolean takesKafkaClients() {
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

    // The answer is a file of "<number of the command> <ok|error> <text>", put there by a rename.
    private String ask(String command, Duration limit) {
        commands++;
        String prefix = commands + " ";
        process.send(command);
        long deadline = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() - deadline < 0 && process.isRunning()) {
            String line = read();
            if (line.startsWith(prefix + "ok")) {
                return line.substring((prefix + "ok").length()).strip();
            }
            if (line.startsWith(prefix)) {
                throw new LocalException("Docker could not do '" + command + "' with " + image + ": "
                        + line.substring(prefix.length()).strip());
            }
            pause(20);
        }
        throw new LocalException("Docker did not do '" + command + "' with " + image + ". " + process.logTail());
    }

    private String read() {
        try {
            return Files.exists(answer) ? Files.readString(answer) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalException("Interrupted while waiting for Docker", e);
        }
    }

    /** What a container needs; passed to the child as properties. */
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

        /** It is a Kafka: lets the child ask it whether it is ready. */
        Builder kafka() {
            properties.setProperty("kafka", "127.0.0.1:" + port);
            return this;
        }

        Container build(Place place) {
            StringWriter text = new StringWriter();
            try {
                properties.store(text, null);
            } catch (IOException e) {
                throw new UncheckedIOException(e); // not from a StringWriter
            }
            Path file = place.write("container.properties", text.toString());
            Path answer = place.home().resolve("answer");
            Folders.delete(answer);
            LocalProcess process = LocalProcess.java(
                            name,
                            BrokerJars.classPath(),
                            BrokerJars.jvmOptions(false, "-Xmx128m"),
                            MAIN,
                            List.of(file.toString(), answer.toString()))
                    .directory(place.home())
                    // Its helper container would watch over ours; the child does, and the reaper over the child.
                    .environment("TESTCONTAINERS_RYUK_DISABLED", "true")
                    .takesInput()
                    .build();
            return new Container(process, image, answer);
        }
    }
}
