package dev.tandem.task.store;

import dev.tandem.task.Envelope;
import org.jspecify.annotations.Nullable;

/** An envelope together with the fields that the scripts read out of its bytes. */
record StoredEnvelope(byte[] bytes, @Nullable String key, long token) {

    static StoredEnvelope of(String queue, byte[] bytes) {
        Envelope envelope = Envelope.decode(queue, bytes);
        return new StoredEnvelope(bytes, envelope.task().key(), envelope.token());
    }
}
