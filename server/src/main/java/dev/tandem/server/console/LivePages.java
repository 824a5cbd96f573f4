package dev.tandem.server.console;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Sends what changes in pages to those who look at them, as server-sent events. A page is rendered every two seconds for all
 * of its streams together, and sent if it has changed. A stream ends after a minute, and the browser opens it again: so who may
 * look is checked again. All streams end before the web server stops, which would wait for them. Thread-safe.
 */
final class LivePages implements SmartLifecycle {

    /** The most streams of this server. Each holds a connection, and no thread. */
    static final int MAX_STREAMS = 200;

    /** The most streams of a caller. A further one ends the oldest, which may be of a page that is not open any more. */
    static final int MAX_OF_CALLER = 20;

    private static final Logger log = LoggerFactory.getLogger(LivePages.class);
    private static final Duration LIFE = Duration.ofMinutes(1);
    private static final int RENDERERS = 4;

    /** The pages that are followed, by what their streams have in common. */
    private final Map<String, Followed> pages = new HashMap<>();

    private final List<LiveStream> streams = new ArrayList<>();
    private ScheduledExecutorService renderers = threads(RENDERERS, "tandem-console");

    /** Apart from the others, so that streams end on time while Redis does not answer. */
    private ScheduledExecutorService ends = threads(1, "tandem-console-ends");

    private final Duration period;
    private boolean running;

    LivePages(Duration period) {
        this.period = period;
    }

    private static ScheduledExecutorService threads(int count, String name) {
        ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(count, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        threads.setRemoveOnCancelPolicy(true);
        return threads;
    }

    /** The content of a page. @param last whether there is nothing more to follow, and this is what is said about it */
    record Frame(String html, boolean last) {}

    /** A page that somebody looks at. It is rendered by one thread at a time. */
    private final class Followed {

        private final String key;
        private final Supplier<Frame> frames;
        private final List<LiveStream> its = new ArrayList<>();

        Followed(String key, Supplier<Frame> frames) {
            this.key = key;
            this.frames = frames;
        }

        void turn() {
            List<LiveStream> open = open(this);
            if (open.isEmpty()) {
                return;
            }
            try {
                Frame now = frames.get();
                open.forEach(each -> {
                    if (now.last()) {
                        each.gone(now.html());
                    } else {
                        each.show(now.html());
                    }
                });
            } catch (Throwable e) {
                // The page keeps what it shows, and says that it is old.
                log.debug("A page of the console cannot be rendered", e);
                open.forEach(LiveStream::stale);
            } finally {
                schedule(this, period.toMillis());
            }
        }
    }

    /**
     * Answers a request with a stream.
     *
     * @param caller who asks
     * @param key what the streams have in common that show the same
     * @param frames renders the page
     */
    void follow(
            HttpServletRequest request, HttpServletResponse response, String caller, String key, Supplier<Frame> frames)
            throws IOException {
        if (!hasRoom(caller)) {
            response.setHeader(HttpHeaders.RETRY_AFTER, "10");
            response.sendError(HttpStatus.SERVICE_UNAVAILABLE.value());
            return;
        }
        LiveStream.head(response);
        AsyncContext context = request.startAsync();
        context.setTimeout(0);
        LiveStream stream = new LiveStream(context, caller, System.nanoTime() + LIFE.toNanos());
        stream.begin();
        boolean isFirst;
        Followed page;
        synchronized (this) {
            page = pages.computeIfAbsent(key, none -> new Followed(key, frames));
            page.its.add(stream);
            streams.add(stream);
            isFirst = page.its.size() == 1;
            if (!running) {
                stream.end();
            }
        }
        if (isFirst) {
            schedule(page, 0);
        }
    }

    private synchronized void schedule(Followed page, long millis) {
        try {
            var unused = renderers.schedule(page::turn, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The console has stopped");
        }
    }

    private synchronized boolean hasRoom(String caller) {
        streams.removeIf(LiveStream::isOver);
        List<LiveStream> its =
                streams.stream().filter(each -> each.caller().equals(caller)).toList();
        if (its.size() >= MAX_OF_CALLER) {
            its.get(0).end();
            streams.remove(its.get(0));
        }
        return running && streams.size() < MAX_STREAMS;
    }

    /** Returns the streams that are still open. Forgets the page if there are none. */
    private synchronized List<LiveStream> open(Followed page) {
        page.its.removeIf(LiveStream::isOver);
        if (page.its.isEmpty()) {
            pages.remove(page.key);
        }
        return List.copyOf(page.its);
    }

    private void endOld() {
        long now = System.nanoTime();
        List<LiveStream> all;
        synchronized (this) {
            all = List.copyOf(streams);
        }
        all.forEach(stream -> stream.endAfter(now));
    }

    @Override
    public synchronized void start() {
        if (renderers.isShutdown()) {
            renderers = threads(RENDERERS, "tandem-console");
            ends = threads(1, "tandem-console-ends");
            pages.clear();
        }
        running = true;
        var unused = ends.scheduleWithFixedDelay(this::endOld, 1, 1, TimeUnit.SECONDS);
    }

    @Override
    public void stop() {
        List<LiveStream> all;
        synchronized (this) {
            running = false;
            all = List.copyOf(streams);
            renderers.shutdownNow();
            ends.shutdownNow();
        }
        all.forEach(LiveStream::end);
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    /** Stops before the web server does. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
