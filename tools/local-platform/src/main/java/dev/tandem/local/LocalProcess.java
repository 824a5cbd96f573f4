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
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A program that runs as our child, can be stopped, killed, frozen and started again, and never outlives this JVM, even
 * if that is killed. Its output goes to a file. Thread-safe.
 */
public final class LocalProcess implements Runner, AutoCloseable {

    private static final String START = Reaper.script("start.sh");
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int TAIL_BYTES = 4_000;

    private final String name;
    private final List<String> command;
    private final Map<String, @Nullable String> environment;
    private final Path directory;
    private final Path log;
    private final boolean disposable;
    private final boolean takesInput;
    private @Nullable Process process;

    private LocalProcess(Builder builder) {
        this.name = builder.name;
        this.command = List.copyOf(builder.command);
        this.environment = new LinkedHashMap<>(builder.environment);
        Path given = builder.directory;
        this.directory = given != null ? given : Folders.fresh(name);
        Path givenLog = builder.log;
        this.log = givenLog != null ? givenLog : directory.resolve(name + ".log");
        this.disposable = builder.disposable;
        this.takesInput = builder.takesInput;
    }

    /** A program with its arguments; the first is found on the PATH if it has no slash. */
    public static Builder program(String name, List<String> command) {
        return new Builder(name, command);
    }

    /**
     * A Java program on the JDK that runs this one.
     *
     * @param options for the JVM, such as {@code -Xmx256m}; may be empty
     */
    public static Builder java(
            String name, String classPath, List<String> options, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(mainClass);
        command.addAll(arguments);
        return new Builder(name, command);
    }

    /** Starts the program. Nothing happens if it runs already. */
    public synchronized LocalProcess start() {
        if (isRunning()) {
            return this;
        }
        try {
            Files.createDirectories(directory);
            Files.createDirectories(log.toAbsolutePath().getParent());
            ProcessBuilder builder = new ProcessBuilder(commandLine())
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            environment.forEach((key, value) -> {
                if (value == null) {
                    builder.environment().remove(key);
                } else {
                    builder.environment().put(key, value);
                }
            });
            Children.instance(); // its shutdown hook must be there before the first child
            Process started = builder.start();
            process = started;
            OutputStream go = started.getOutputStream();
            try { // closed without a line, should anything here fail: it ends
                long pid = started.pid();
                Reaper.instance().watch(pid);
                Children.instance().add(this);
                var unused = started.onExit().thenRun(() -> Reaper.instance().forget(pid));
                go.write((takesInput ? "input\n" : "go\n").getBytes(StandardCharsets.US_ASCII));
                go.flush();
            } catch (IOException | RuntimeException e) {
                go.close();
                throw e;
            }
            if (!takesInput) {
                go.close();
            }
            return this;
        } catch (IOException e) {
            throw new LocalException(
                    name + " could not be started with '" + command.get(0) + "': " + e.getMessage(), e);
        }
    }

    private List<String> commandLine() {
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", START, name));
        line.addAll(command);
        return line;
    }

    /**
     * Starts the program and waits until the probe says yes.
     *
     * @param probe asked every few milliseconds, from the calling thread; must not block for long
     * @throws LocalException when the program ends or the time is up, with the end of its log; it is killed then
     */
    @Override
    public void startAndAwait(Duration limit, BooleanSupplier probe) {
        start();
        try {
            awaitReady(limit, probe);
        } catch (RuntimeException e) {
            kill();
            throw e;
        }
    }

    private void awaitReady(Duration limit, BooleanSupplier probe) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!probe.getAsBoolean()) {
            if (!isRunning()) {
                throw new LocalException(
                        name + " ended while it started, with status " + exitStatus() + ". " + logTail());
            }
            if (System.nanoTime() - deadline > 0) {
                throw new LocalException(name + " was not ready after " + limit.toSeconds() + " s. " + logTail());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LocalException("Interrupted while " + name + " started", e);
            }
        }
    }

    @Override
    public synchronized boolean isRunning() {
        Process current = process;
        return current != null && current.isAlive();
    }

    /** The process id, or -1 when it has never run. */
    public synchronized long pid() {
        Process current = process;
        return current != null ? current.pid() : -1;
    }

    /** The status it ended with (128 and above: by a signal), or -1 while it runs or has never run. */
    public synchronized int exitStatus() {
        Process current = process;
        return current == null || current.isAlive() ? -1 : current.exitValue();
    }

    /** Waits for the program to end by itself; false when the time is up first. */
    public boolean awaitExit(Duration limit) {
        Process current;
        synchronized (this) {
            current = process;
        }
        return current == null || waitFor(current, limit);
    }

    /** Asks the program to end (SIGTERM) and waits; kills it after ten seconds. */
    public void stop() {
        stop(GRACE);
    }

    /** As {@link #stop()}, with a patience of its own. */
    @Override
    public synchronized void stop(Duration patience) {
        Process current = process;
        if (current == null || !current.isAlive()) {
            return;
        }
        signal("CONT"); // a frozen process cannot answer
        current.destroy();
        if (!waitFor(current, patience)) {
            kill();
        }
    }

    /** Kills the program and what it started (SIGKILL): as a crash would. Returns when it is gone. */
    @Override
    public synchronized void kill() {
        Process current = process;
        if (current == null) {
            return;
        }
        List<ProcessHandle> family = family(current);
        family.forEach(ProcessHandle::destroyForcibly);
        waitFor(current, GRACE);
    }

    /** Freezes the program (SIGSTOP): connections stay open and nothing answers. */
    @Override
    public void suspend() {
        signal("STOP");
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
            throw new LocalException(name + " takes no more input. " + logTail(), e);
        }
    }

    /** Lets a frozen program go on. */
    @Override
    public void resume() {
        signal("CONT");
    }

    private synchronized void signal(String signal) {
        Process current = process;
        if (current == null || !current.isAlive()) {
            return;
        }
        List<String> line = new ArrayList<>(List.of("kill", "-" + signal));
        family(current).forEach(member -> line.add(Long.toString(member.pid())));
        try {
            new ProcessBuilder(line)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new LocalException("SIG" + signal + " could not be sent to " + name + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalException("Interrupted while SIG" + signal + " was sent to " + name, e);
        }
    }

    private static List<ProcessHandle> family(Process parent) {
        return Stream.concat(Stream.of(parent.toHandle()), parent.descendants()).toList();
    }

    private static boolean waitFor(Process process, Duration limit) {
        try {
            return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }

    /** The file that its output is appended to. */
    @Override
    public Path log() {
        return log;
    }

    /** Its working folder. */
    public Path directory() {
        return directory;
    }

    public String name() {
        return name;
    }

    /** The end of the log, for messages. */
    public String logTail() {
        try {
            byte[] all = Files.exists(log) ? Files.readAllBytes(log) : new byte[0];
            int from = Math.max(0, all.length - TAIL_BYTES);
            String tail = new String(all, from, all.length - from, StandardCharsets.UTF_8).strip();
            return tail.isEmpty() ? "Its log " + log + " is empty." : "The end of its log " + log + ":\n" + tail;
        } catch (IOException e) {
            return "Its log " + log + " cannot be read: " + e.getMessage();
        }
    }

    /** Stops it for good, or kills it when it is disposable; safe to call twice. */
    @Override
    public void close() {
        if (disposable) {
            kill();
        } else {
            stop();
        }
        Children.instance().remove(this);
    }

    @Override
    public String toString() {
        return name + " (pid " + pid() + ")";
    }

    /** Collects what a {@link LocalProcess} needs. Not thread-safe. */
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

        /** An environment variable of the child, besides those of this process; null removes one. */
        public Builder environment(String key, @Nullable String value) {
            environment.put(key, value);
            return this;
        }

        /** Its working folder, made when missing; without one it gets a temporary folder. */
        public Builder directory(Path folder) {
            this.directory = folder;
            return this;
        }

        /** Where its output goes; without one, to {@code <name>.log} in its working folder. */
        public Builder log(Path file) {
            this.log = file;
            return this;
        }

        /** Nothing of it is needed later: at the end it is killed, which is faster than asking it to stop. */
        public Builder disposable() {
            this.disposable = true;
            return this;
        }

        /** Leaves its stdin open, for {@link LocalProcess#send}. */
        Builder takesInput() {
            this.takesInput = true;
            return this;
        }

        /** A process that is ready to {@link LocalProcess#start()}. */
        public LocalProcess build() {
            return new LocalProcess(this);
        }

        /** Builds and starts it. */
        public LocalProcess start() {
            return build().start();
        }
    }
}
