package dev.tandem.rabbit;

import com.rabbitmq.client.Connection;
import dev.tandem.rabbit.UnroutedMover.CannotMoveException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Builds the ring of an ordered queue, in steps that are the same however far an earlier builder came. One process
 * builds at a time: it holds an exclusive queue, which the broker deletes when its connection ends.
 *
 * <p>First the waiting messages are moved to the ring, then the ring is opened, so that later messages come behind
 * them. Messages that arrive between these two steps are moved afterwards. The ring is opened even if publishers are as
 * fast as the mover. Used by one thread.
 */
final class RingBuilder {

    private static final long FIRST_LOCK_RETRY_MILLIS = 50;
    private static final long MAX_LOCK_RETRY_MILLIS = 500;
    private static final int CLOSE_MILLIS = 2_000;

    private final RabbitConnector connector;
    private final RabbitSettings settings;
    private final QueueLog queueLog;

    RingBuilder(RabbitConnector connector, RabbitSettings settings, QueueLog queueLog) {
        this.connector = connector;
        this.settings = settings;
        this.queueLog = queueLog;
    }

    /**
     * Builds what is missing of the ring. Uses a connection of its own, since an overloaded broker stops reading from
     * connections that publish.
     *
     * @param stop checked often
     * @return false if it was stopped before the ring was open
     * @throws CannotMoveException if the ring is open, but earlier messages could not be moved
     * @throws RabbitTopologyException if a part cannot be made as it is needed
     * @throws IOException if the connection broke
     */
    boolean build(DeclaredQueues queues, BooleanSupplier stop)
            throws IOException, TimeoutException, InterruptedException {
        Connection connection = connector.connect("tandem " + settings.queue() + " ring");
        try {
            TopologyDeclarer declarer = new TopologyDeclarer(
                    connection, BrokerProduct.of(connection.getServerProperties()), settings, queueLog);
            long retryMillis = FIRST_LOCK_RETRY_MILLIS;
            while (!declarer.lockRing()) {
                if (stop.getAsBoolean()) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(retryMillis);
                retryMillis = Math.min(MAX_LOCK_RETRY_MILLIS, 2 * retryMillis);
            }
            declarer.declareRing(queues);
            return open(connection, declarer, stop);
        } finally {
            connection.abort(CLOSE_MILLIS);
        }
    }

    private boolean open(Connection connection, TopologyDeclarer declarer, BooleanSupplier stop)
            throws IOException, InterruptedException {
        UnroutedMover mover = new UnroutedMover(connection, settings);
        try {
            if (!mover.moveBacklog(stop)) {
                return false;
            }
            declarer.openRing();
            boolean unused = mover.moveAll(stop);
            return true;
        } catch (CannotMoveException e) {
            declarer.openRing(); // A message that cannot be moved must not hold back all others.
            throw e;
        }
    }
}
