package dev.tandem.server.api;

import dev.tandem.server.access.Caller;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Who makes a request, as the login found out. */
public final class Callers {

    private static final String CALLER = Callers.class.getName();

    private Callers() {}

    /** Keeps who makes a request. */
    public static void set(HttpServletRequest request, Caller caller) {
        request.setAttribute(CALLER, caller);
    }

    /** Returns who makes a request; null if nobody has logged in. */
    public static @Nullable Caller of(HttpServletRequest request) {
        return (Caller) request.getAttribute(CALLER);
    }
}
