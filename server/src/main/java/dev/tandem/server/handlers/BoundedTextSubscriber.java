package dev.tandem.server.handlers;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a response with bounded memory. Keeps the beginning of an error's body, which often tells the
 * reason, and discards the rest. A body that is too long is cut off by closing the connection.
 */
final class BoundedTextSubscriber implements BodySubscriber<String> {

    private static final int MAX_KEPT_BYTES = 300;

    /** A shorter body is read to its end, so that the connection can be reused. */
    private static final int MAX_READ_BYTES = 64 * 1024;

    private final CompletableFuture<String> body = new CompletableFuture<>();
    private final ByteBuffer kept = ByteBuffer.allocate(MAX_KEPT_BYTES);
    private Flow.@Nullable Subscription subscription;
    private int read;

    private BoundedTextSubscriber() {}

    static BodyHandler<String> handler() {
        return answer -> {
            if (answer.statusCode() < 400) {
                return BodySubscribers.mapping(new BoundedTextSubscriber(), text -> "");
            }
            return new BoundedTextSubscriber();
        };
    }

    @Override
    public CompletionStage<String> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
        subscription = newSubscription;
        newSubscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            read += buffer.remaining();
            int more = Math.min(kept.remaining(), buffer.remaining());
            kept.put(kept.position(), buffer, buffer.position(), more).position(kept.position() + more);
        }
        if (read > MAX_READ_BYTES && subscription != null) {
            subscription.cancel();
            onComplete();
        }
    }

    @Override
    public void onError(Throwable failure) {
        // The status has arrived, and it decides the outcome.
        onComplete();
    }

    @Override
    public void onComplete() {
        String text = new String(kept.array(), 0, kept.position(), StandardCharsets.UTF_8);
        body.complete(text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip());
    }
}
