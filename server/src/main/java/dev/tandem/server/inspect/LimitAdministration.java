package dev.tandem.server.inspect;

import dev.tandem.task.store.LimitRequest;

/** Port: sets the numbers of limits in place of the settings, for all executors. Thread-safe. */
public interface LimitAdministration {

    /** Changes a limit or a rate limit, if it still is as the request says. @throws UnavailableException if Redis does not answer */
    LimitRequest.Answer change(String limit, LimitRequest request);
}
