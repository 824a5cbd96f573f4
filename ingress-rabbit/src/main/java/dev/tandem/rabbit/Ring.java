package dev.tandem.rabbit;

import com.rabbitmq.client.Connection;
import dev.tandem.rabbit.Declarer.Declared;
import dev.tandem.rabbit.Drain.StuckException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Makes the ring of an ordered queue: always the same steps in the same order, however far the one before came, and by
 * one process at a time. The right to it is an exclusive queue, which ends with the connection of whoever died.
 *
 * <p>First what waits for the ring is moved, then the way to the ring opens; so what comes later is behind it, but for
 * what arrives between these two. That is moved after. Publishers that are as fast as the mover don't keep the way
 * closed. One thread's.
 */
final class Ring {

    private static final long FIRST_LOOK_MILLIS = 50;
    private static final long MAX_LOOK_MILLIS = 500;
    private static final int CLOSE_MILLIS = 2_000;

    private final Client client;
    private final RabbitSettings settings;
    private final Declarer.Notes notes;

    Ring(Client client, RabbitSettings settings, Declarer.Notes notes) {
        this.client = client;
        this.settings = settings;
        this.notes = notes;
    }

    /**
     * Makes what is missing. On a connection of its own: a broker in need stops reading from those that publish.
     *
     * @param stop asked often
     * @return false if it was stopped before the ring was open
     * @throws StuckException the ring is open, but messages that came before it could not be moved
     * @throws RabbitTopologyException if something can't be as it must
     * @throws IOException if the connection broke
     */
    boolean make(Declared declared, BooleanSupplier stop) throws IOException, TimeoutException, InterruptedException {
        Connection own = client.connect("tandem " + settings.queue() + " ring");
        try {
            Declarer declarer = new Declarer(own, Broker.of(own.getServerProperties()), settings, notes);
            for (long look = FIRST_LOOK_MILLIS; !declarer.lock(); look = Math.min(MAX_LOOK_MILLIS, 2 * look)) {
                if (stop.getAsBoolean()) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(look);
            }
            declarer.makeRing(declared);
            return open(own, declarer, stop);
        } finally {
            own.abort(CLOSE_MILLIS);
        }
    }

    private boolean open(Connection own, Declarer declarer, BooleanSupplier stop)
            throws IOException, InterruptedException {
        Drain drain = new Drain(own, settings);
        try {
            if (!drain.catchUp(stop)) {
                return false;
            }
            declarer.openRing();
            boolean unused = drain.toTheEnd(stop);
            return true;
        } catch (StuckException e) {
            declarer.openRing(); // What can't be moved must not hold up all others.
            throw e;
        }
    }
}
