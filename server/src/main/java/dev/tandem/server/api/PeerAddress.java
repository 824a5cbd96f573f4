package dev.tandem.server.api;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;

/** The address from which the connection of a request comes, whatever {@code X-Forwarded-For} says of the client. */
public final class PeerAddress {

    private static final String ATTRIBUTE = PeerAddress.class.getName();

    private PeerAddress() {}

    /** Returns the address; null if the web server did not keep it. */
    public static @Nullable String of(HttpServletRequest request) {
        return (String) request.getAttribute(ATTRIBUTE);
    }

    /** Keeps the address, since only the web server's own request has it. */
    static final class Keeper extends ValveBase {

        Keeper() {
            super(true);
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            request.setAttribute(ATTRIBUTE, request.getPeerAddr());
            getNext().invoke(request, response);
        }
    }
}
