package dev.tandem.it;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A worker in its own JVM, which can be killed. */
final class WorkerProcess implements AutoCloseable {

    private final LocalProcess process;
    private final TestWorker.Options options;
    private final Consumer<TestWorker.Options> onDeath;
    private volatile boolean mayEnd;

    /** @param onDeath called when the process is certainly dead */
    WorkerProcess(TestWorker.Options options, Consumer<TestWorker.Options> onDeath) {
        this.options = options;
        this.onDeath = onDeath;
        this.process = LocalProcess.java(
                        "worker",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m", "-Dtandem.test.log=INFO"),
                        TestWorker.class.getName(),
                        options.arguments())
                .log(Path.of(options.journal() + ".log"))
                .disposable()
                .build()
                .start();
    }

    TestWorker.Options options() {
        return options;
    }

    boolean isRunning() {
        return process.isRunning();
    }

    /** @throws IllegalStateException with its log if the process ended unexpectedly, so that no test waits for it */
    void requireAlive() {
        if (!mayEnd && !process.isRunning()) {
            throw new IllegalStateException("A worker process ended unexpectedly. " + process.logTail());
        }
    }

    /** Expects that a task ends the process. */
    WorkerProcess expectedToDie() {
        mayEnd = true;
        return this;
    }

    /** Kills the process with SIGKILL. Returns when it is dead. */
    void kill() {
        mayEnd = true;
        process.kill();
        onDeath.accept(options);
    }

    /** Records that the process was ended by its task. */
    void markDead() {
        onDeath.accept(options);
    }

    @Override
    public void close() {
        mayEnd = true;
        process.close();
    }
}
