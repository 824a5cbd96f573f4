package dev.tandem.executor;

import dev.tandem.api.FanOutException;
import java.io.Serial;

/** Ends the handler of a subtask whose copy has fanned out. The task then ends as a duplicate, whatever the handler makes of it. */
final class CopyException extends FanOutException {

    @Serial
    private static final long serialVersionUID = 1L;

    CopyException(String message) {
        super(message);
    }
}
