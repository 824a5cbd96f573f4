package dev.tandem.server.operations;

import java.util.List;
import java.util.Optional;

/** Port: begins, shows and stops operations. Thread-safe. All methods may throw {@code UnavailableException}. */
public interface OperationAdministration {

    /** The result of a request to begin an operation. */
    enum Begun {
        BEGUN,
        /** The same operation has this id already. */
        KNOWN,
        /** Another operation has this id. */
        DIFFERS,
        /** Too many are open. */
        NO_ROOM
    }

    /** The result of a request to stop an operation. */
    enum Stop {
        STOPPING,
        ENDED,
        UNKNOWN
    }

    Begun begin(Operation operation);

    Stop stop(String queue, String id);

    /** Returns all operations that are kept, the latest first. */
    List<OperationInfo> all();

    default Optional<OperationInfo> find(String queue, String id) {
        return all().stream()
                .filter(each -> each.queue().equals(queue) && each.id().equals(id))
                .findFirst();
    }
}
