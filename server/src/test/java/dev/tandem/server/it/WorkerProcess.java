package dev.tandem.server.it;

import dev.tandem.local.LocalProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** A worker in a JVM of its own, which can be killed as a crash would. */
final class WorkerProcess implements AutoCloseable {

    private final LocalProcess process;
    private final TestWorker.Options options;
    private final Consumer<TestWorker.Options> dead;
    private volatile boolean mayEnd;

    /** @param dead told when the process is dead for sure */
    WorkerProcess(TestWorker.Options options, Consumer<TestWorker.Options> dead) {
        this.options = options;
        this.dead = dead;
        this.process = LocalProcess.java(
                        "worker",
                        System.getProperty("java.class.path"),
                        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dtandem.test.log=INFO"),
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

    /** @throws IllegalStateException with its log if it ended though nobody made it: waiting on would be in vain */
    void requireAlive() {
        if (!mayEnd && !process.isRunning()) {
            throw new IllegalStateException("A worker ended by itself. " + process.logTail());
        }
    }

    /** Its task is to end it. */
    WorkerProcess doomed() {
        mayEnd = true;
        return this;
    }

    /** SIGKILL. Returns when it is gone. */
    void kill() {
        mayEnd = true;
        process.kill();
        dead.accept(options);
    }

    /** It ended by itself. */
    void gone() {
        dead.accept(options);
    }

    /** SIGSTOP: connections stay open and nothing answers. */
    void freeze() {
        process.suspend();
    }

    void thaw() {
        process.resume();
    }

    String logTail() {
        return process.logTail();
    }

    @Override
    public void close() {
        mayEnd = true;
        process.close();
    }
}
