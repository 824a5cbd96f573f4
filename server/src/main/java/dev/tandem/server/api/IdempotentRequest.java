package dev.tandem.server.api;

import static dev.tandem.server.api.IdempotencyKeys.bytes;
import static dev.tandem.server.api.IdempotencyKeys.hash;

import dev.tandem.runtime.settings.TandemSettings.IdempotencySettings;
import dev.tandem.server.inspect.KeyedRequests;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Sentence;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A request that is to happen once. Its answer is kept when all is done, and a server may die before. So its tasks get ids and
 * deduplication keys that are made from the key of the request and from what they are: published again, they are duplicates.
 */
final class IdempotentRequest {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String PREFIX = "idempotent-";
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** How long the answer to a published task waits until it is kept. */
    private static final long KEEP_SECONDS = 5;

    /** Longer than the store's own timeout. */
    private static final long STORE_SECONDS = 70;

    private final KeyedRequests.Run run;
    private final String scope;
    private final IdempotencySettings settings;
    private long renewedAt = System.nanoTime();

    /** @param scope names the request among all */
    IdempotentRequest(KeyedRequests.Run run, String scope, IdempotencySettings settings) {
        this.run = run;
        this.scope = scope;
        this.settings = settings;
    }

    /** Returns a submission whose task is recognised when it comes again. @param line its number in a batch, or 0 */
    Submission recognised(Submission submission, long line, byte[] content) {
        return submission.recognised(PREFIX + hash(bytes(scope + " " + line + " "), content), settings.keep());
    }

    /**
     * Does it, or returns the answer of the earlier one.
     *
     * @param fingerprint of the body
     * @param publish is called if there is none, and its result is kept unless it fails
     */
    CompletableFuture<Views.Published> once(String fingerprint, Supplier<CompletableFuture<Views.Published>> publish) {
        return run.begin().thenCompose(begin -> {
            if (begin.state() != KeyedRequests.State.BEGUN) {
                return CompletableFuture.completedFuture(earlier(begin, fingerprint, Views.Published.class));
            }
            return begun(publish)
                    .handle((published, failure) -> {
                        CompletableFuture<Boolean> kept =
                                failure == null ? run.finish(answer(fingerprint, published)) : run.forget();
                        // The task is published, whether or not that can be noted.
                        return kept.completeOnTimeout(false, KEEP_SECONDS, TimeUnit.SECONDS)
                                .handle((done, unknown) -> {
                                    if (failure != null) {
                                        throw failure instanceof CompletionException wrapped
                                                ? wrapped
                                                : new CompletionException(failure);
                                    }
                                    return published;
                                });
                    })
                    .thenCompose(outcome -> outcome);
        });
    }

    private static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Begins a batch. Returns what became of the earlier one; null if there is none. */
    KeyedRequests.@Nullable Begin beginBatch() {
        KeyedRequests.Begin begin = await(run.begin());
        return begin.state() == KeyedRequests.State.BEGUN ? null : begin;
    }

    /** Renews a batch that is under way, now and then. It does not wait for that. */
    void goOn() {
        long now = System.nanoTime();
        if (now - renewedAt > RENEW_NANOS) {
            renewedAt = now;
            run.renew();
        }
    }

    /** Keeps the answer to a batch, as far as Redis lets it. */
    void finishBatch(String fingerprint, Object answer) {
        quietly(run.finish(answer(fingerprint, answer)));
    }

    /** Forgets a batch that was not answered in full. */
    void forgetBatch() {
        quietly(run.forget());
    }

    private static String answer(String fingerprint, Object answer) {
        return fingerprint + " " + JSON.writeValueAsString(answer);
    }

    /** Returns the answer of the earlier request. @throws ApiException if there is none, or it had another body */
    <T> T earlier(KeyedRequests.Begin begin, String fingerprint, Class<T> type) {
        String kept = begin.answer();
        if (begin.state() == KeyedRequests.State.FULL || begin.state() == KeyedRequests.State.CALLER_FULL) {
            throw full(begin.state() == KeyedRequests.State.CALLER_FULL);
        } else if (kept == null) {
            throw ProblemType.IDEMPOTENCY_KEY_IN_USE.refusal(
                    Sentence.of("problem.idempotency-in-use", IdempotencyKeys.HEADER),
                    Sentence.of("remedy.idempotency-in-use"));
        }
        String[] parts = kept.split(" ", 2);
        if (!parts[0].equals(fingerprint)) {
            throw ProblemType.IDEMPOTENCY_KEY_REUSED.refusal(
                    Sentence.of("problem.idempotency-reused", IdempotencyKeys.HEADER),
                    Sentence.of("remedy.idempotency-reused"));
        }
        return JSON.readValue(parts[1], type);
    }

    private ApiException full(boolean ofCaller) {
        int most = ofCaller ? Math.max(1, settings.max() / 2) : settings.max();
        return ProblemType.IDEMPOTENCY_KEYS_FULL.refusal(
                Sentence.of(
                        ofCaller ? "problem.idempotency-full-of-caller" : "problem.idempotency-full",
                        most,
                        (long) most * KeyedRequests.BYTES_EACH),
                Sentence.of(
                        ofCaller ? "remedy.idempotency-full-of-caller" : "remedy.idempotency-full",
                        settings.max(),
                        settings.keep().toSeconds()));
    }

    private static void quietly(CompletableFuture<Boolean> answer) {
        try {
            await(answer);
        } catch (UnavailableException e) {
            // The tasks are published. A repeat publishes duplicates.
        }
    }

    private static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.orTimeout(STORE_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof UnavailableException known
                    ? known
                    : new UnavailableException("Redis is not available", e);
        }
    }
}
