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
 * Reads an answer's body without ever holding much of it: the beginning of an error's text is kept, because it often
 * says why; the rest is thrown away, and a body that does not end is cut off with its connection.
 */
final class BoundedTextSubscriber implements BodySubscriber<String> {

    /** Kept, in bytes. */
    static final int KEPT = 300;

    /** Read to its end, so that the connection can be used again; what is longer is not worth it. */
    static final int READ = 64 * 1024;

    private final CompletableFuture<String> body = new CompletableFuture<>();
    private final ByteBuffer kept = ByteBuffer.allocate(KEPT);
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
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            read += buffer.remaining();
            int more = Math.min(kept.remaining(), buffer.remaining());
            kept.put(kept.position(), buffer, buffer.position(), more).position(kept.position() + more);
        }
        if (read > READ && subscription != null) {
            subscription.cancel();
            onComplete();
        }
    }

    @Override
    public void onError(Throwable failure) {
        // The status came through, and it is what counts.
        onComplete();
    }

    @Override
    public void onComplete() {
        String text = new String(kept.array(), 0, kept.position(), StandardCharsets.UTF_8);
        body.complete(text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip());
    }
}
