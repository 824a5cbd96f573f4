package dev.tandem.verify.worker;

import dev.tandem.local.LocalProcess;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.record.EventLog;
import dev.tandem.verify.record.EventTail;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An executor in a process of its own, seen from outside: what is done to it is recorded. Its JVM compiles with the first
 * compiler only, so that many of them fit on a small machine. Thread-safe.
 */
public final class WorkerProcess implements AutoCloseable {

    private static final List<String> JVM = List.of(
            "-Xmx192m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Dlogback.configurationFile=dev/tandem/verify/worker-logback.xml");
    private static final Duration LEAVE = Duration.ofSeconds(60);

    private final WorkerSettings settings;
    private final LocalProcess process;
    private final EventLog log;
    private final EventTail tail;
    private final LiveView live;
    private final Map<Server, TcpProxy> ways;
    private final int slot;
    private boolean ended;

    /**
     * Starts it.
     *
     * @param log for what is done to it
     * @param live gets its events
     * @param classPath of its Java
     * @param ways to its broker and to its store, if they can be closed
     * @param slot its place in the trial
     */
    public WorkerProcess(
            WorkerSettings settings,
            String classPath,
            EventLog log,
            LiveView live,
            Map<Server, TcpProxy> ways,
            int slot) {
        this.settings = settings;
        this.log = log;
        this.live = live;
        this.ways = ways;
        this.slot = slot;
        this.tail = new EventTail(settings.events());
        begin(settings.events());
        this.process = LocalProcess.java(
                        settings.name(), classPath, JVM, WorkerMain.class.getName(), settings.arguments())
                .log(settings.log())
                .disposable()
                .build()
                .start();
    }

    /** Even of a process that ends before it begins: a file that is missing later was lost. */
    private static void begin(Path events) {
        try {
            Files.createFile(events);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The name of this process start. */
    public String name() {
        return settings.name();
    }

    /** Its place in the trial, which another process may have after it. */
    public int slot() {
        return slot;
    }

    /** Takes in what it recorded since the last look. */
    public synchronized void look() {
        live.add(tail.next());
    }

    /**
     * Does nothing while it runs, or ended as it was to.
     *
     * @throws IllegalStateException with the end of its log, if it ended and nobody made it
     */
    public synchronized void requireAlive() {
        if (!ended && !process.isRunning()) {
            throw new IllegalStateException("The executor " + name() + " ended by itself. " + process.logTail());
        }
    }

    /** SIGKILL, if it has not left. */
    public synchronized void kill() {
        if (ended) {
            return;
        }
        ended = true;
        process.kill();
        log.write(new Event.ProcessEnded(System.nanoTime(), name(), true));
    }

    /** SIGTERM, and its end. */
    public synchronized void leave() {
        if (ended) {
            return;
        }
        ended = true;
        process.stop(LEAVE);
        // 128 + SIGTERM is how a JVM ends that left in order.
        boolean forced = process.exitStatus() != 143 && process.exitStatus() != 0;
        log.write(new Event.ProcessEnded(System.nanoTime(), name(), forced));
    }

    /** SIGSTOP. */
    public void freeze() {
        log.write(new Event.ProcessFrozen(System.nanoTime(), name()));
        process.suspend();
    }

    /** Has it freeze itself at a moment that it knows. */
    public void freezeAt(WorkerOrders.FreezePoint moment) {
        order(moment.text());
    }

    /** Sets its clock of epoch time so much ahead of the machine's; below 0: behind it. */
    public void setClock(Duration ahead) {
        order(WorkerOrders.CLOCK + ahead.toMillis());
    }

    private void order(String text) {
        Path orders = settings.orders();
        try {
            // Whole at once.
            Path file = Files.writeString(orders.resolveSibling(name() + ".order"), text);
            Files.move(file, orders, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the order back if it was not carried out yet. */
    public void forgetFreeze() {
        try {
            Files.deleteIfExists(settings.orders());
            order("never");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SIGCONT. */
    public void thaw() {
        process.resume();
        log.write(new Event.ProcessThawed(System.nanoTime(), name()));
    }

    /** Closes its way to something. */
    public void cut(Server link, TcpProxy.Mode mode) {
        TcpProxy way = ways.get(link);
        if (way == null) {
            throw new IllegalStateException(name() + " has no way to its " + link + " that can be closed");
        }
        log.write(new Event.ConnectionCut(System.nanoTime(), name(), link));
        way.set(mode);
    }

    /** Opens it again. */
    public void heal(Server link) {
        TcpProxy way = ways.get(link);
        if (way != null) {
            way.set(TcpProxy.Mode.OPEN);
            log.write(new Event.ConnectionHealed(System.nanoTime(), name(), link));
        }
    }

    /** The end of its output, for messages. */
    public String logTail() {
        return process.logTail();
    }

    /** Leaves if it runs. */
    @Override
    public void close() {
        leave();
        process.close();
    }
}
