package dev.tandem.server.console;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One stream of server-sent events. It never waits for its client: while that takes nothing, nothing is written, and the client
 * gets the newest state once it takes something again. Thread-safe.
 *
 * <p>The format is that of <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">the HTML standard</a>.
 */
final class LiveStream implements WriteListener, AsyncListener {

    /** How long browsers wait before they open a stream again that has ended. */
    private static final String RETRY = "retry: 1000\n\n";

    /** The event that says that there is nothing more to follow. */
    static final String GONE = "gone";

    /** After so many turns without a change, something is sent all the same: that shows whether the client is there. */
    private static final int QUIET_TURNS = 8;

    private final AsyncContext context;
    private final String caller;
    private final ServletOutputStream out;
    private final long endNanos;
    private @Nullable String shown;
    private @Nullable String next = RETRY;
    private boolean unflushed;
    private int quietTurns;
    private boolean begun;
    private boolean last;
    private boolean over;

    /** @param endNanos when it ends, by {@link System#nanoTime()} */
    LiveStream(AsyncContext context, String caller, long endNanos) throws IOException {
        this.context = context;
        this.caller = caller;
        this.out = context.getResponse().getOutputStream();
        this.endNanos = endNanos;
    }

    /** Says in the head of an answer that it is a stream. */
    static void head(HttpServletResponse response) {
        response.setContentType("text/event-stream;charset=UTF-8");
        response.setHeader("X-Accel-Buffering", "no");
    }

    String caller() {
        return caller;
    }

    /** Sends the head of the answer. */
    void begin() throws IOException {
        context.addListener(this);
        out.setWriteListener(this);
    }

    /** Sends the content of the page, if it is not what the client has. */
    synchronized void show(String html) {
        if (html.equals(shown)) {
            if (++quietTurns >= QUIET_TURNS) {
                send(event("same", ""));
            }
        } else {
            shown = html;
            send(event("content", html));
        }
    }

    /** Says that the page cannot be rendered now. */
    synchronized void stale() {
        shown = null;
        send(event("stale", ""));
    }

    /** Says that what the page shows is gone, and ends once the client has got that. @param html what became of it */
    synchronized void gone(String html) {
        last = true;
        send(event(GONE, html));
    }

    private void send(String text) {
        quietTurns = 0;
        // A page may be rendered before the client can be written to. It still gets the first line.
        next = next != null && next.startsWith(RETRY) ? RETRY + text : text;
        write();
    }

    private void write() {
        if (!begun || over) {
            return;
        }
        try {
            // A long text is not written at once: then the web server calls again, and the rest is flushed.
            while ((next != null || unflushed) && out.isReady()) {
                if (next != null) {
                    byte[] bytes = next.getBytes(StandardCharsets.UTF_8);
                    next = null;
                    unflushed = true;
                    out.write(bytes);
                } else {
                    unflushed = false;
                    out.flush();
                }
            }
            if (last && next == null && !unflushed && out.isReady()) {
                end();
            }
        } catch (IOException | RuntimeException e) {
            // The client has gone.
            end();
        }
    }

    /** Returns an event. Its data has the lines of the text. */
    static String event(String name, String text) {
        StringBuilder event = new StringBuilder("event: ").append(name).append('\n');
        text.lines().forEach(line -> event.append("data: ").append(line).append('\n'));
        return (text.isEmpty() ? event.append("data:\n") : event).append('\n').toString();
    }

    /** Ends the stream if its time is over. */
    synchronized void endAfter(long nanos) {
        if (nanos - endNanos >= 0) {
            end();
        }
    }

    synchronized boolean isOver() {
        return over;
    }

    synchronized void end() {
        if (!over) {
            over = true;
            complete();
        }
    }

    private void complete() {
        try {
            context.complete();
        } catch (IllegalStateException e) {
            // The web server has ended it already.
        }
    }

    @Override
    public synchronized void onWritePossible() {
        begun = true;
        write();
    }

    @Override
    public void onError(Throwable failure) {
        end();
    }

    @Override
    public synchronized void onComplete(AsyncEvent event) {
        over = true;
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        end();
    }

    /** The client has gone. Completes in any case: otherwise the web server makes an error page. */
    @Override
    public synchronized void onError(AsyncEvent event) {
        over = true;
        complete();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // It is not started again.
    }
}
