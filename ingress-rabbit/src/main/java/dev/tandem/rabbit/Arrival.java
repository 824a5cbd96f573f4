package dev.tandem.rabbit;

import dev.tandem.task.Delivery;
import java.util.Map;

/**
 * A delivery of a consuming channel.
 *
 * @param arrivedAt in nanoseconds of elapsed time
 * @param returns how often the message had come back to its queue before, {@link #UNKNOWN} if the broker does not say
 */
record Arrival(Delivery delivery, long arrivedAt, long returns) {

    static final long UNKNOWN = -1;

    private static final String ACQUIRED = "x-acquired-count";
    private static final String DELIVERED = "x-delivery-count";

    /**
     * Returns how often a quorum queue took the message back. RabbitMQ 4.3 and later say that in a header of its own. Up to
     * 3.13 the count of deliveries has every return; in the versions between, it leaves some out.
     *
     * @param countsAllReturns whether the broker is of a version before 4
     */
    static long returns(Map<String, Object> headers, boolean countsAllReturns) {
        if (headers.get(ACQUIRED) instanceof Number acquired) {
            return acquired.longValue();
        }
        return countsAllReturns && headers.get(DELIVERED) instanceof Number delivered ? delivered.longValue() : UNKNOWN;
    }
}
