package dev.tandem.server.programs;

import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.runtime.settings.CommandSettings;
import dev.tandem.server.programs.Program.UnfitPayloadException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Runs a listed program for each task. Its exit code is the outcome; the end of its output is the result, or the error. When the
 * handler is interrupted, all processes of the program are ended.
 */
final class ProgramHandler implements Handler {

    private static final String MARK = "TANDEM_RUN";
    private static final int MOST_OF_AN_ERROR = 1_500;
    /** What {@code setsid} and its like exit with if they cannot start a program. */
    private static final int NOT_STARTED = 126;

    /** A program that a signal has ended has 128 and the number of the signal. */
    private static final int SIGNAL = 128;

    private static final long OUTPUT_SECONDS = 2;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Program command;
    private final boolean keepsResult;
    private final ExecutorService threads;
    private final MeterRegistry registry;
    private final ProcessTable processes = new ProcessTable();

    /**
     * Makes a handler.
     *
     * @param keepsResult whether the queue keeps results
     * @param threads has a thread of the system at any time
     */
    ProgramHandler(Program command, boolean keepsResult, ExecutorService threads, MeterRegistry registry) {
        this.command = command;
        this.keepsResult = keepsResult;
        this.threads = threads;
        this.registry = registry;
    }

    ProcessTable processes() {
        return processes;
    }

    @Override
    public Result handle(TaskContext task) throws InterruptedException {
        Timer.Sample sample = Timer.start(registry);
        String outcome = "interrupted";
        try {
            Result result = run(task);
            outcome = result instanceof Result.Done ? "succeeded" : "dead";
            return result;
        } catch (ProgramException e) {
            outcome = "failed";
            throw e;
        } finally {
            sample.stop(Timer.builder("tandem.commands")
                    .description("Runs of listed programs, and how long they took")
                    .tag("queue", task.queue())
                    .tag("outcome", outcome)
                    .register(registry));
        }
    }

    private Result run(TaskContext task) throws InterruptedException {
        byte[] random = new byte[16];
        RANDOM.nextBytes(random);
        Map.Entry<String, String> mark = Map.entry(MARK, HexFormat.of().formatHex(random));
        List<String> words;
        try {
            words = command.words(task);
        } catch (UnfitPayloadException e) {
            return Result.dead(String.valueOf(e.getMessage()));
        }
        CompletableFuture<Process> starting = new CompletableFuture<>();
        threads.execute(() -> keep(words, task, mark, starting));
        try {
            Process process = starting.get();
            return outcome(task, process, family(process, mark));
        } catch (InterruptedException e) {
            starting.thenAccept(process -> family(process, mark).kill());
            throw e;
        } catch (ExecutionException e) {
            throw new ProgramException(
                    "the program cannot be started: " + e.getCause().getMessage());
        }
    }

    private ProcessFamily family(Process process, Map.Entry<String, String> mark) {
        return new ProcessFamily(processes, process, mark.getKey() + "=" + mark.getValue());
    }

    /** Starts a program, and stays until it has ended: it is killed when the thread that has started it is no more. */
    private void keep(
            List<String> words, TaskContext task, Map.Entry<String, String> mark, CompletableFuture<Process> starting) {
        try {
            Process process = command.start(words, task, mark);
            starting.complete(process);
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            starting.completeExceptionally(e);
        }
    }

    private Result outcome(TaskContext task, Process process, ProcessFamily family) throws InterruptedException {
        int keep = (int) command.settings().keepOutput().toBytes();
        OutputTail output = new OutputTail(Math.max(1, keep));
        OutputTail errors = new OutputTail(Math.max(1, keep));
        CountDownLatch read = new CountDownLatch(2);
        boolean ended = false;
        pump(() -> output.readAll(process.getInputStream()), read);
        pump(() -> errors.readAll(process.getErrorStream()), read);
        try {
            if (command.settings().stdin() == CommandSettings.Stdin.PAYLOAD) {
                threads.execute(() -> write(task.payload(), process));
            }
            int code = process.waitFor();
            // What a program leaves behind would go on without anybody who looks after it.
            ended = family.kill();
            boolean unused = read.await(OUTPUT_SECONDS, TimeUnit.SECONDS);
            return outcome(task, code, keep == 0 ? "" : output.text(), keep == 0 ? "" : errors.text());
        } finally {
            if (!ended) {
                family.end(command.settings().killAfter());
            }
            closeBeside(process);
        }
    }

    private void pump(Runnable work, CountDownLatch done) {
        threads.execute(() -> {
            try {
                work.run();
            } finally {
                done.countDown();
            }
        });
    }

    private static void write(byte[] payload, Process process) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(payload);
        } catch (IOException e) {
            // The program has not read all of it, which it need not.
        }
    }

    /**
     * Closes the streams on another thread. What has escaped may hold stdin without reading it: closing waits for who writes
     * there, until that has ended, and no interrupt helps.
     */
    private void closeBeside(Process process) {
        try {
            threads.execute(() -> {
                close(process.getInputStream());
                close(process.getErrorStream());
                close(process.getOutputStream());
            });
        } catch (RejectedExecutionException e) {
            // The server stops, and all is closed with it.
        }
    }

    private static void close(Closeable stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // It is closed as far as that goes.
        }
    }

    private Result outcome(TaskContext task, int code, String output, String errors) {
        if (code == 0) {
            if (keepsResult) {
                task.result(output);
            }
            return Result.done();
        }
        String end = errors.isEmpty() ? output : errors;
        String shown = end.length() > MOST_OF_AN_ERROR ? end.substring(end.length() - MOST_OF_AN_ERROR) : end;
        String reason = (code > SIGNAL ? "signal " + (code - SIGNAL) : "exit code " + code)
                + (shown.isEmpty() ? "" : "\n" + shown);
        List<Integer> retryOn = command.settings().retryOn();
        boolean mayBeDead = code < NOT_STARTED;
        if (command.settings().deadOn().contains(code) || mayBeDead && !retryOn.isEmpty() && !retryOn.contains(code)) {
            return Result.dead(reason);
        }
        throw new ProgramException(reason);
    }

    /** Fails an attempt. Has no stack trace, which would tell nothing. */
    static final class ProgramException extends RuntimeException {

        private final String reason;

        ProgramException(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }

        /** Returns the reason alone, because people read it as the task's error. */
        @Override
        public String toString() {
            return reason;
        }
    }
}
