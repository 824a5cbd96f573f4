package dev.tandem.server.handlers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.async.methods.AbstractBinResponseConsumer;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a call, read with bounded memory. Keeps the beginning of an error's body, which often tells the reason, and
 * discards the rest. A body that is too long is cut off by closing the connection.
 */
final class HttpAnswer extends AbstractBinResponseConsumer<HttpAnswer> {

    static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final int MAX_KEPT_BYTES = 300;

    /** A shorter body is read to its end, so that the connection can be reused. */
    private static final int MAX_READ_BYTES = 64 * 1024;

    private final CompletableFuture<HttpResponse> head = new CompletableFuture<>();

    // Guarded by this.
    private final ByteBuffer kept = ByteBuffer.allocate(MAX_KEPT_BYTES);
    private int read;

    /** Completes with the status and the headers. They decide the outcome, whatever becomes of the body. */
    CompletableFuture<HttpResponse> head() {
        return head;
    }

    int status() {
        return head.join().getCode();
    }

    boolean isSuccess() {
        return status() >= 200 && status() < 300;
    }

    /** Returns when it may be tried again, if the status is one that says so. */
    Optional<Duration> retryAfter(Instant now) {
        if (status() != TOO_MANY_REQUESTS && status() != UNAVAILABLE) {
            return Optional.empty();
        }
        return Optional.ofNullable(head.join().getFirstHeader("Retry-After"))
                .flatMap(header -> RetryAfter.parse(header.getValue(), now));
    }

    /** Returns the status, and the beginning of the body as a line of its own: only the first line of an error is logged. */
    String reason() {
        boolean redirects = status() >= 300 && status() < 400;
        String reason = "HTTP status " + status()
                + (redirects ? " (redirects are not followed: set http.url to the final address)" : "");
        return body().isEmpty() ? reason : reason + '\n' + body();
    }

    /** Returns the beginning of an error's body, in one line. */
    private synchronized String body() {
        String text = new String(kept.array(), 0, kept.position(), StandardCharsets.UTF_8);
        return status() < 400
                ? ""
                : text.replaceAll("[\\p{Cc}\\p{Cf}\\s]+", " ").strip();
    }

    @Override
    protected void start(HttpResponse response, @Nullable ContentType type) {
        head.complete(response);
    }

    @Override
    protected int capacityIncrement() {
        return Integer.MAX_VALUE;
    }

    @Override
    protected synchronized void data(ByteBuffer bytes, boolean end) throws IOException {
        read += bytes.remaining();
        int more = Math.min(kept.remaining(), bytes.remaining());
        kept.put(kept.position(), bytes, bytes.position(), more).position(kept.position() + more);
        bytes.position(bytes.limit());
        if (read > MAX_READ_BYTES) {
            throw new IOException("The answer has more than " + MAX_READ_BYTES + " bytes");
        }
    }

    @Override
    protected HttpAnswer buildResult() {
        return this;
    }

    @Override
    public void failed(Exception failure) {
        head.completeExceptionally(failure);
    }

    @Override
    public void releaseResources() {
        // There are none.
    }
}
