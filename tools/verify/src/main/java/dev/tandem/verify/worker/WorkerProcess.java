package dev.tandem.verify.worker;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.kit.JsonLinesTail;
import dev.tandem.kit.TcpProxy;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An executor in a separate process, as the trial controls it. Records what is done to it. Thread-safe.
 */
public final class WorkerProcess implements AutoCloseable {

    private static final List<String> JVM =
            JvmOptions.quickStart("192m", "-Dlogback.configurationFile=dev/tandem/verify/worker-logback.xml");
    private static final Duration LEAVE_LIMIT = Duration.ofSeconds(120);

    private final WorkerSettings settings;
    private final LocalProcess process;
    private final JsonLinesLog<Event> log;
    private final JsonLinesTail<Event> tail;
    private final LiveView liveView;
    private final Map<Server, TcpProxy> proxies;
    private final int slot;
    private boolean ended;

    /**
     * Starts the process.
     *
     * @param log records what is done to the process
     * @param liveView receives the events of the process
     * @param proxies proxies to its servers; empty if it connects to them directly
     * @param slot its place in the trial
     */
    public WorkerProcess(
            WorkerSettings settings,
            String classPath,
            JsonLinesLog<Event> log,
            LiveView liveView,
            Map<Server, TcpProxy> proxies,
            int slot) {
        this.settings = settings;
        this.log = log;
        this.liveView = liveView;
        this.proxies = proxies;
        this.slot = slot;
        this.tail = new JsonLinesTail<>(settings.events(), Event.class);
        createEventFile(settings.events());
        this.process = LocalProcess.java(
                        settings.name(), classPath, JVM, WorkerMain.class.getName(), settings.arguments())
                .log(settings.log())
                .disposable()
                .build()
                .start();
    }

    /** Creates the file even if the process ends before it records anything: a missing file means lost events. */
    private static void createEventFile(Path events) {
        try {
            Files.createFile(events);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create the event file " + events, e);
        }
    }

    /** Returns the name of this process start. */
    public String name() {
        return settings.name();
    }

    /** Returns its place in the trial, which another process may take after it. */
    public int slot() {
        return slot;
    }

    /** Reads the events recorded since the last call. */
    public synchronized void poll() {
        liveView.add(tail.next());
    }

    /**
     * Checks that the process is running, or was ended by the trial.
     *
     * @throws IllegalStateException if it ended by itself, with the end of its log
     */
    public synchronized void requireAlive() {
        if (!ended && !process.isRunning()) {
            throw new IllegalStateException("Executor " + name() + " ended by itself. " + process.logTail());
        }
    }

    /** Kills the process (SIGKILL) if it has not left. */
    public synchronized void kill() {
        if (ended) {
            return;
        }
        ended = true;
        process.kill();
        log.write(new Event.ProcessEnded(System.nanoTime(), name(), true));
    }

    /** Asks the process to leave (SIGTERM) and waits for its end. */
    public synchronized void leave() {
        if (ended) {
            return;
        }
        ended = true;
        process.stop(LEAVE_LIMIT);
        // A JVM that ends on SIGTERM has the status 128 + 15.
        boolean forced = process.exitStatus() != 143 && process.exitStatus() != 0;
        log.write(new Event.ProcessEnded(System.nanoTime(), name(), forced));
    }

    /** Stops the process (SIGSTOP). */
    public void freeze() {
        log.write(new Event.ProcessFrozen(System.nanoTime(), name()));
        process.suspend();
    }

    /** Orders the process to freeze itself at a point. */
    public void freezeAt(WorkerOrders.FreezePoint point) {
        order(point.text());
    }

    /** Orders the process to set its wall clock ahead of the machine's, or behind it if negative. */
    public void setClock(Duration ahead) {
        order(WorkerOrders.CLOCK + ahead.toMillis());
    }

    private void order(String text) {
        Path orders = settings.orders();
        try {
            // Renamed, so that the process never sees half of it.
            Path file = Files.writeString(orders.resolveSibling(name() + ".order"), text);
            Files.move(file, orders, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write orders to " + orders, e);
        }
    }

    /** Withdraws an order to freeze that was not carried out yet. */
    public void cancelFreeze() {
        try {
            Files.deleteIfExists(settings.orders());
            order("never");
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete " + settings.orders(), e);
        }
    }

    /** Lets a frozen process continue (SIGCONT). */
    public void thaw() {
        process.resume();
        log.write(new Event.ProcessThawed(System.nanoTime(), name()));
    }

    /** Cuts the process off from a server. */
    public void cut(Server server, TcpProxy.Mode mode) {
        TcpProxy proxy = proxies.get(server);
        if (proxy == null) {
            throw new IllegalStateException("Executor " + name() + " has no proxy to its " + server);
        }
        log.write(new Event.ConnectionCut(System.nanoTime(), name(), server));
        proxy.set(mode);
    }

    /** Restores the connection to a server. */
    public void heal(Server server) {
        TcpProxy proxy = proxies.get(server);
        if (proxy != null) {
            proxy.set(TcpProxy.Mode.OPEN);
            log.write(new Event.ConnectionHealed(System.nanoTime(), name(), server));
        }
    }

    /** Returns the end of its output, for error messages. */
    public String logTail() {
        return process.logTail();
    }

    /** Asks the process to leave if it is running. */
    @Override
    public void close() {
        leave();
        process.close();
    }
}
