package dev.tandem.server.api;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/**
 * Keeps Tomcat from reading the rest of a refused body. It would do so on the thread of the request and wait for the
 * client again and again, although it closes the connection afterwards.
 */
final class UnreadBodyValve extends ValveBase {

    /** An attribute of requests whose body is not to be read any further. */
    static final String REFUSED = UnreadBodyValve.class.getName() + ".refused";

    UnreadBodyValve() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        getNext().invoke(request, response);
        if (request.getAttribute(REFUSED) != null) {
            request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
        }
    }
}
