package dev.tandem.server.handlers;

import dev.tandem.api.Handler;
import dev.tandem.runtime.settings.TandemSettings;
import java.util.Map;

/** An extension point for programs that embed the server: a bean of this type adds hosted handlers to every queue. */
@FunctionalInterface
public interface AdditionalHandlers {

    /** Returns the handlers by task type. Called once, at the start. */
    Map<String, Handler> of(TandemSettings settings);
}
