package dev.tandem.outbox;

import dev.tandem.api.TaskClient;
import dev.tandem.outbox.RelayCore.Settled;
import dev.tandem.outbox.RowSender.Event;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread of a relay: it owns the relay's connection and its core. */
final class RelayLoop {

    private static final Logger log = LoggerFactory.getLogger(RelayLoop.class);

    private static final long MAX_READ_BYTES = 16L << 20;
    private static final int DATABASE_TIMEOUT_MILLIS = 30_000;
    private static final long RETRY_MILLIS = 1_000;
    private static final long STOP_MILLIS = 10_000;

    /** The least time between two deletions, so that acknowledgements gather. */
    private static final long SETTLE_MILLIS = 50;

    private static final int SETTLE_ROWS = 500;

    private record Woken() {}

    private static final Object WOKEN = new Woken();

    private final DataSource database;
    private final RelaySettings settings;
    private final String id;
    private final RelayCore core;
    private final RowSender sender;
    private final Pace pace;
    private final BlockingQueue<Object> inbox = new LinkedBlockingQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final RelayClock clock;
    private final Handover handover;
    private volatile RowListener listener = RowListener.NONE;
    private volatile boolean stopping;
    private volatile long leaseEnds = Long.MIN_VALUE;
    private volatile RelayStatus status = new RelayStatus(0, 0, 0, 0, "not started yet");

    private @Nullable RelayStatements statements;
    private Set<Integer> buckets = Set.of();
    private Settled unrecorded = Settled.none();
    private @Nullable String databaseProblem;
    private @Nullable String brokerProblem;
    private long renewAt;
    private long settleAt;
    private long retryAt;
    private long stopAt = Long.MAX_VALUE;

    RelayLoop(DataSource database, TaskClient client, RelaySettings settings, String id, RelayClock clock) {
        this.clock = clock;
        this.handover = new Handover(settings.lease().toMillis());
        this.database = database;
        this.settings = settings;
        this.id = id;
        this.core = new RelayCore(
                settings.whenRefused() == RelaySettings.WhenRefused.HALT,
                settings.grace().toMillis());
        this.sender = new RowSender(client, () -> millis() < leaseEnds, inbox::add);
        this.pace = new Pace();
    }

    void listener(RowListener value) {
        listener = value;
    }

    RelayStatus status() {
        return status;
    }

    /** Has the table read soon. Calls gather. */
    void wake() {
        if (woken.compareAndSet(false, true)) {
            inbox.add(WOKEN);
        }
    }

    void stop() {
        stopping = true;
        inbox.add(WOKEN);
    }

    private long millis() {
        return clock.millis();
    }

    void run() {
        try {
            while (!isOver()) {
                receive();
                if (millis() >= retryAt) {
                    work();
                }
                core.next().forEach(sender::send);
            }
            leave();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ended("it was interrupted");
        } catch (RuntimeException | Error e) {
            // Its state cannot be trusted any more. Others get its buckets after the lease.
            ended(e.toString());
            log.error("The relay of the outbox has ended, and publishes nothing any more", e);
        } finally {
            leaseEnds = Long.MIN_VALUE;
            sender.close();
            disconnect();
        }
    }

    private void ended(String why) {
        databaseProblem = "The relay has ended: " + why;
        report(0, Settled.none());
    }

    private boolean isOver() {
        if (!stopping) {
            return false;
        }
        if (stopAt == Long.MAX_VALUE) {
            stopAt = millis() + STOP_MILLIS;
        }
        core.dropUnsent();
        return core.held() == 0 && unsettled() == 0 || millis() >= stopAt;
    }

    private int unsettled() {
        return core.settledRows() + unrecorded.size();
    }

    // ---- events

    private void receive() throws InterruptedException {
        Object first = inbox.poll(Math.max(0, nextAt() - millis()), TimeUnit.MILLISECONDS);
        if (first != null) {
            List<Object> all = new ArrayList<>();
            all.add(first);
            inbox.drainTo(all);
            long now = millis();
            all.forEach(each -> receive(each, now));
        }
    }

    private void receive(Object message, long now) {
        if (message instanceof Event event) {
            receive(event, now);
        } else {
            woken.set(false);
            pace.woken(now);
        }
    }

    private void receive(Event event, long now) {
        if (event instanceof RowSender.Accepted accepted) {
            core.accepted(accepted.row());
        } else if (event instanceof RowSender.Unfit unfit) {
            unfit(unfit, now);
        } else if (event instanceof RowSender.Failed failed) {
            core.failed(failed.row(), failed.reason(), now);
        } else if (event instanceof RowSender.Unsent unsent) {
            core.unsent(unsent.row());
        } else if (event instanceof RowSender.Returned returned) {
            core.returned(returned.queue());
        }
    }

    private void unfit(RowSender.Unfit event, long now) {
        int bucket = core.unfit(event.row(), event.reason(), now);
        RelayStatements open = statements;
        if (bucket >= 0 && open != null && open.hasOthers() && handover.wants(bucket, now)) {
            core.dropBucket(bucket);
        }
    }

    private long nextAt() {
        long next = renewAt;
        if (!stopping) {
            next = Math.min(next, pace.nextReadAt(core.held(), settings.batch()));
        }
        if (unsettled() > 0) {
            next = Math.min(next, settleAt);
        }
        return Math.max(next, retryAt);
    }

    // ---- the database

    private void work() {
        try {
            RelayStatements open = open();
            if (millis() >= renewAt) {
                renew(open);
            }
            settle(open, false);
            if (mayRead()) {
                settle(open, true);
                read(open);
            }
        } catch (SQLException | RuntimeException | Error e) {
            retryAt = millis() + RETRY_MILLIS;
            String text = "The outbox's database cannot be used: " + (e instanceof SQLException ? e.getMessage() : e);
            if (!text.equals(databaseProblem)) {
                log.warn("{}. It is tried again each second", text);
            }
            databaseProblem = text;
            report(0, Settled.none());
            disconnect();
        }
    }

    private RelayStatements open() throws SQLException {
        RelayStatements open = statements;
        if (open == null) {
            Connection connection = database.getConnection();
            try {
                connection.setNetworkTimeout(Runnable::run, DATABASE_TIMEOUT_MILLIS);
                open = Dialect.of(connection)
                        .relayTables(
                                connection,
                                id,
                                settings.lease(),
                                settings.whenRefused() == RelaySettings.WhenRefused.HALT);
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            statements = open;
            core.dropUnsent(); // another server may answer now, which does not have the same rows
        }
        return open;
    }

    private void renew(RelayStatements open) throws SQLException {
        long asked = millis();
        if (asked >= leaseEnds) {
            core.dropUnsent(); // another relay may have published them and given the bucket back
        }
        Set<Integer> going = handover.take(core.busyBuckets(), asked);
        if (!going.isEmpty()) {
            open.handOver(going, settings.grace().toMillis());
        }
        buckets = open.renew(core.busyBuckets(), pace.isAsleep());
        leaseEnds = asked + settings.lease().toMillis();
        renewAt = asked + settings.lease().toMillis() / 3;
        core.keepBuckets(buckets);
        databaseProblem = null;
        report(buckets.size(), Settled.none());
    }

    private void settle(RelayStatements open, boolean atOnce) throws SQLException {
        long now = millis();
        if (unsettled() == 0 || !(atOnce || stopping || unsettled() >= SETTLE_ROWS || now >= settleAt)) {
            return;
        }
        Settled more = core.takeSettled();
        unrecorded.published().addAll(more.published());
        unrecorded.refused().putAll(more.refused());
        unrecorded.failed().putAll(more.failed());
        unrecorded.unfit().putAll(more.unfit());
        open.settle(unrecorded);
        count(unrecorded);
        unrecorded = Settled.none();
        settleAt = millis() + SETTLE_MILLIS;
    }

    private void count(Settled done) {
        done.refused()
                .forEach((row, reason) -> log.error(
                        "The row {} of tandem_outbox can never be published and was set aside: {}", row.id(), reason));
        if (!done.unfit().isEmpty()) {
            log.warn(
                    "{} rows of tandem_outbox cannot be published by this relay's client; they are tried again for {},"
                            + " and by other relays: {}",
                    done.unfit().size(),
                    settings.grace(),
                    done.unfit().values().iterator().next());
        }
        if (!done.failed().isEmpty()) {
            brokerProblem = done.failed().values().iterator().next();
            log.warn(
                    "{} rows of the outbox were not published; they are tried again: {}",
                    done.failed().size(),
                    brokerProblem);
        } else if (!done.published().isEmpty()) {
            brokerProblem = null;
        }
        report(status.buckets(), done);
    }

    private void report(int ownedBuckets, Settled done) {
        RelayStatus last = status;
        status = new RelayStatus(
                ownedBuckets,
                last.published() + done.published().size(),
                last.refused() + done.refused().size(),
                last.failures() + done.failed().size() + done.unfit().size(),
                databaseProblem != null ? databaseProblem : brokerProblem);
    }

    private boolean mayRead() {
        long now = millis();
        return !stopping
                && now < leaseEnds
                && !buckets.isEmpty()
                && core.hasRoom()
                && now >= pace.nextReadAt(core.held(), settings.batch());
    }

    private void read(RelayStatements open) throws SQLException {
        long began = millis();
        List<OutboxRow> rows = open.read(wanted(), core.exclusions(began), settings.batch(), MAX_READ_BYTES);
        boolean wasAsleep = pace.isAsleep();
        pace.read(rows.size(), settings.batch(), began, millis(), listener.isListening());
        core.add(rows);
        if (wasAsleep != pace.isAsleep()) {
            open.sleep(pace.isAsleep());
        }
    }

    private Set<Integer> wanted() {
        Set<Integer> wanted = new HashSet<>(buckets);
        wanted.removeAll(handover.leaving());
        return wanted;
    }

    private void leave() {
        try {
            RelayStatements open = open();
            settle(open, true);
            // Others get those of which rows are on their way after the lease.
            Set<Integer> idle = new HashSet<>(buckets);
            idle.removeAll(core.busyBuckets());
            open.leave(idle);
        } catch (SQLException e) {
            log.warn(
                    "The relay ends without giving back its buckets; others get them after its lease: {}",
                    e.toString());
        }
    }

    private void disconnect() {
        RelayStatements open = statements;
        statements = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                log.debug("The relay's connection could not be closed: {}", e.toString());
            }
        }
    }
}
