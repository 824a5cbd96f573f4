package dev.tandem.local;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A program that runs as a child of this JVM. It can be stopped, killed, frozen and started again, and never outlives
 * this JVM, even if that is killed. Its output goes to a file. Thread-safe.
 */
public final class LocalProcess implements BrokerRuntime, AutoCloseable {

    private static final String START = OrphanReaper.resource("start.sh");
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final String name;
    private final List<String> command;
    private final Map<String, @Nullable String> environment;
    private final Path directory;
    private final LogFile log;
    private final boolean disposable;
    private final boolean takesInput;
    private @Nullable Process process;

    private LocalProcess(Builder builder) {
        this.name = builder.name;
        this.command = List.copyOf(builder.command);
        this.environment = new LinkedHashMap<>(builder.environment);
        Path givenDirectory = builder.directory;
        this.directory = givenDirectory != null ? givenDirectory : ProcessFolders.create(name);
        Path givenLog = builder.log;
        this.log = new LogFile(givenLog != null ? givenLog : directory.resolve(name + ".log"));
        this.disposable = builder.disposable;
        this.takesInput = builder.takesInput;
    }

    /** Builds a process for a program with its arguments. The program is found on the PATH if it has no slash. */
    public static Builder program(String name, List<String> command) {
        return new Builder(name, command);
    }

    /**
     * Builds a process for a Java program, on the JDK that runs this one.
     *
     * @param options for the JVM, such as {@code -Xmx256m}; may be empty
     */
    public static Builder java(
            String name, String classPath, List<String> options, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(javaProgram());
        command.addAll(ClassArchives.options(options, classPath));
        command.add(mainClass);
        command.addAll(arguments);
        return new Builder(name, command);
    }

    /** Returns the {@code java} that runs this program. */
    static String javaProgram() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Starts the program, unless it runs already. */
    public synchronized LocalProcess start() {
        if (isRunning()) {
            return this;
        }
        try {
            Files.createDirectories(directory);
            Files.createDirectories(log().toAbsolutePath().getParent());
            ChildProcesses.instance(); // its shutdown hook must be there before the first child
            Process started = processBuilder().start();
            process = started;
            release(started);
            return this;
        } catch (IOException e) {
            throw new LocalException(
                    name + " could not be started with '" + command.get(0) + "': " + e.getMessage(), e);
        }
    }

    private ProcessBuilder processBuilder() {
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", START, name));
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        environment.forEach((key, value) -> {
            if (value == null) {
                builder.environment().remove(key);
            } else {
                builder.environment().put(key, value);
            }
        });
        return builder;
    }

    /** Registers the child, and only then has it become its program. See {@code start.sh}. */
    private void release(Process started) throws IOException {
        OutputStream input = started.getOutputStream();
        try {
            long pid = started.pid();
            OrphanReaper.instance().watch(pid);
            ChildProcesses.instance().add(this);
            var unused = started.onExit().thenRun(() -> OrphanReaper.instance().forget(pid));
            input.write((takesInput ? "input\n" : "go\n").getBytes(StandardCharsets.US_ASCII));
            input.flush();
        } catch (IOException | RuntimeException e) {
            input.close(); // without a line: the child ends
            throw e;
        }
        if (!takesInput) {
            input.close();
        }
    }

    /**
     * Starts the program and waits until the probe returns true.
     *
     * @param probe is called every few milliseconds by the calling thread; must not block for long
     * @throws LocalException when the program ends or the time is up, with the end of its log; the program is killed
     *     then
     */
    @Override
    public void startAndAwait(Duration limit, BooleanSupplier probe) {
        start();
        try {
            Waiting.until(limit, name + " was not ready", () -> isReady(probe), this::logTail);
        } catch (RuntimeException e) {
            kill();
            throw e;
        }
    }

    private boolean isReady(BooleanSupplier probe) {
        if (probe.getAsBoolean()) {
            return true;
        }
        if (!isRunning()) {
            throw new LocalException(name + " ended while it started, with status " + exitStatus() + ". " + logTail());
        }
        return false;
    }

    @Override
    public synchronized boolean isRunning() {
        Process current = process;
        return current != null && current.isAlive();
    }

    /** The process id, or -1 if it has never run. */
    public synchronized long pid() {
        Process current = process;
        return current != null ? current.pid() : -1;
    }

    /** The exit status (128 and above: ended by a signal), or -1 while it runs or if it has never run. */
    public synchronized int exitStatus() {
        Process current = process;
        return current == null || current.isAlive() ? -1 : current.exitValue();
    }

    /** Waits for the program to end by itself. Returns false when the time is up first. */
    public boolean awaitExit(Duration limit) {
        Process current;
        synchronized (this) {
            current = process;
        }
        return current == null || tree(current).awaitEnd(limit);
    }

    /** Asks the program to end (SIGTERM) and waits. Kills it after ten seconds. */
    public void stop() {
        stop(GRACE);
    }

    /** Asks the program to end (SIGTERM) and waits. Kills it when the time is up. */
    @Override
    public synchronized void stop(Duration patience) {
        Process current = process;
        if (current == null || !current.isAlive()) {
            return;
        }
        tree(current).signal("CONT"); // a frozen process would not notice
        current.destroy();
        if (!tree(current).awaitEnd(patience)) {
            kill();
        }
    }

    /** Kills the program and what it started (SIGKILL), as a crash would. Returns when it is gone. */
    @Override
    public synchronized void kill() {
        Process current = process;
        if (current != null) {
            tree(current).kill(GRACE);
        }
    }

    /** Freezes the program (SIGSTOP): its connections stay open, and it does not answer. */
    @Override
    public void suspend() {
        signal("STOP");
    }

    /** Continues a frozen program (SIGCONT). */
    @Override
    public void resume() {
        signal("CONT");
    }

    private synchronized void signal(String signal) {
        Process current = process;
        if (current != null && current.isAlive()) {
            tree(current).signal(signal);
        }
    }

    private ProcessTree tree(Process current) {
        return new ProcessTree(current, name);
    }

    /** Sends a line to a program that takes input. */
    synchronized void send(String line) {
        Process current = process;
        if (current == null) {
            throw new LocalException(name + " has not been started");
        }
        try {
            OutputStream input = current.getOutputStream();
            input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            throw new LocalException(name + " accepts no more input. " + logTail(), e);
        }
    }

    /** The file that its output is appended to. */
    @Override
    public Path log() {
        return log.path();
    }

    /** Its working folder. */
    public Path directory() {
        return directory;
    }

    public String name() {
        return name;
    }

    /** Returns the end of the log, for messages. */
    public String logTail() {
        return log.tail();
    }

    /** Stops the program for good, or kills it if it is disposable. May be called twice. */
    @Override
    public void close() {
        if (disposable) {
            kill();
        } else {
            stop();
        }
        ChildProcesses.instance().remove(this);
    }

    @Override
    public String toString() {
        return name + " (pid " + pid() + ")";
    }

    /** Builds a {@link LocalProcess}. Not thread-safe. */
    public static final class Builder {

        private final String name;
        private final List<String> command;
        private final Map<String, @Nullable String> environment = new LinkedHashMap<>();
        private @Nullable Path directory;
        private @Nullable Path log;
        private boolean disposable;
        private boolean takesInput;

        private Builder(String name, List<String> command) {
            this.name = name.replace(File.separatorChar, '-');
            this.command = command;
        }

        /** Sets an environment variable of the child, in addition to those of this process; null removes one. */
        public Builder environment(String key, @Nullable String value) {
            environment.put(key, value);
            return this;
        }

        /** Sets the working folder, which is created if it is missing. The default is a temporary folder. */
        public Builder directory(Path folder) {
            this.directory = folder;
            return this;
        }

        /** Sets the file for the output. The default is {@code <name>.log} in the working folder. */
        public Builder log(Path file) {
            this.log = file;
            return this;
        }

        /** Has the program killed at the end instead of stopped, which is faster: nothing of it is needed later. */
        public Builder disposable() {
            this.disposable = true;
            return this;
        }

        /** Leaves its standard input open, for {@link LocalProcess#send}. */
        Builder takesInput() {
            this.takesInput = true;
            return this;
        }

        /** Builds the process, ready to be started. */
        public LocalProcess build() {
            return new LocalProcess(this);
        }

        /** Builds and starts the process. */
        public LocalProcess start() {
            return build().start();
        }
    }
}
