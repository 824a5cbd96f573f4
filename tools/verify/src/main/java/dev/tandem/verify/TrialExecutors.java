package dev.tandem.verify;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.kit.TcpProxy;
import dev.tandem.verify.fault.Requirement;
import dev.tandem.verify.load.Workload;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import dev.tandem.verify.worker.LiveView;
import dev.tandem.verify.worker.WorkerProcess;
import dev.tandem.verify.worker.WorkerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The executors of one trial: starts them, ends them, and feeds their events to the live view. Thread-safe. */
final class TrialExecutors implements AutoCloseable {

    private static final long POLL_MILLIS = 50;

    private final LaneBrokers brokers;
    private final TrialCase trialCase;
    private final TrialSettings trial;
    private final String queue;
    private final String classPath;
    private final Path folder;
    private final JsonLinesLog<Event> log;
    private final LiveView liveView;
    private final String store;
    private final List<WorkerProcess> running = new CopyOnWriteArrayList<>();
    private final Thread poller;
    private volatile String database = "";
    private volatile boolean closed;
    private int starts;

    TrialExecutors(
            LaneBrokers brokers,
            TrialCase trialCase,
            TrialSettings trial,
            String queue,
            String classPath,
            Path folder,
            JsonLinesLog<Event> log,
            LiveView liveView) {
        this.brokers = brokers;
        this.trialCase = trialCase;
        this.trial = trial;
        this.queue = queue;
        this.classPath = classPath;
        this.folder = folder;
        this.log = log;
        this.liveView = liveView;
        this.store = brokers.storeAddress(trialCase.fault().requirements());
        this.poller = new Thread(this::poll, "verify-poll");
        poller.setDaemon(true);
    }

    /** Has the handlers of executors that start from now on write with {@code Once}. */
    void database(String url) {
        database = url;
    }

    /** Returns the running executors, ordered by slot. */
    List<WorkerProcess> all() {
        return running.stream()
                .sorted(Comparator.comparingInt(WorkerProcess::slot))
                .toList();
    }

    /** Starts an executor in the first free slot. */
    synchronized WorkerProcess start() {
        int slot = freeSlot();
        boolean proxied = trialCase.fault().requirements().contains(Requirement.PROXIES);
        Map<Server, TcpProxy> proxies = proxied ? brokers.proxies(trialCase.workload(), slot) : Map.of();
        WorkerSettings settings = settings("e" + ++starts, proxies);
        WorkerProcess executor = new WorkerProcess(settings, classPath, log, liveView, proxies, slot);
        running.add(executor);
        return executor;
    }

    private int freeSlot() {
        List<Integer> taken = running.stream().map(WorkerProcess::slot).toList();
        int slot = 0;
        while (taken.contains(slot)) {
            slot++;
        }
        return slot;
    }

    void stop(WorkerProcess executor) {
        executor.leave();
        executor.poll();
        running.remove(executor);
    }

    void kill(WorkerProcess executor) {
        executor.kill();
        executor.poll();
        running.remove(executor);
    }

    /** Asks all executors to leave. */
    void stopAll() {
        running.forEach(WorkerProcess::leave);
    }

    /** Throws an exception if an executor ended by itself. */
    void requireAlive() {
        running.forEach(WorkerProcess::requireAlive);
    }

    boolean usesCluster() {
        return trialCase.fault().requirements().contains(Requirement.CLUSTER);
    }

    LiveView liveView() {
        return liveView;
    }

    /** Returns the address of the store: one address, or those of a cluster's nodes separated by spaces. */
    String storeAddress() {
        return store;
    }

    /** Returns the settings of a client that connects to the servers without proxies. */
    WorkerSettings directSettings() {
        return settings("", Map.of());
    }

    /** Makes the file that lets all handlers fail, or deletes it. */
    void handlersFail(boolean fail) {
        Path marker = directSettings().outage();
        try {
            if (fail) {
                Files.createFile(marker);
            } else {
                Files.deleteIfExists(marker);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot make or delete " + marker, e);
        }
    }

    private WorkerSettings settings(String name, Map<Server, TcpProxy> proxies) {
        Map<Server, Integer> ports = new EnumMap<>(Server.class);
        proxies.forEach((server, proxy) -> ports.put(server, proxy.port()));
        Workload workload = trialCase.workload();
        Integer brokerPort = ports.get(Server.BROKER);
        Integer storePort = ports.get(Server.STORE);
        String broker = brokerPort == null
                ? brokers.brokerAddress(trialCase.fault().requirements(), workload)
                : workload.isRabbit() ? "amqp://guest:guest@127.0.0.1:" + brokerPort : "127.0.0.1:" + brokerPort;
        return new WorkerSettings(
                name,
                queue,
                broker,
                storePort == null ? store : "redis://127.0.0.1:" + storePort,
                usesCluster(),
                workload.isOrdered(),
                trial.partitions(),
                workload.maxParkedPerKey(),
                trial.lease(),
                trial.retry(),
                trialCase.fault().requirements().contains(Requirement.DEATH_PROOF),
                workload.hasFeatures(),
                database,
                folder);
    }

    /** Starts reading the executors' events. */
    void startPolling() {
        poller.start();
    }

    void stopPolling() throws InterruptedException {
        closed = true;
        poller.interrupt();
        poller.join();
    }

    private void poll() {
        while (!closed) {
            try {
                running.forEach(WorkerProcess::poll);
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        new ArrayList<>(running).forEach(WorkerProcess::close);
    }
}
