package dev.tandem.server.masking;

import dev.tandem.api.PayloadMask;
import dev.tandem.runtime.masking.JsonMask;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.task.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what people see of payloads: the one place that everything asks which shows some. What cannot be masked is hidden
 * as a whole. Thread-safe.
 */
public final class PayloadMasks {

    /** The text that is shown in place of a value. */
    public static final String HIDDEN = JsonMask.HIDDEN;

    private static final Logger log = LoggerFactory.getLogger(PayloadMasks.class);

    private static final Shown ALL_HIDDEN = new Shown(HIDDEN.getBytes(StandardCharsets.UTF_8), true);

    private final Map<String, JsonMask> ofQueues = new HashMap<>();
    private final @Nullable PayloadMask own;

    /**
     * What is shown of a payload.
     *
     * @param masked whether that is less than all of it
     */
    public record Shown(byte[] bytes, boolean masked) {}

    /** @param own what the people who run the server have added; null if nothing */
    public PayloadMasks(Map<String, QueueSettings> queues, @Nullable PayloadMask own) {
        this.own = own;
        queues.forEach((name, settings) -> {
            if (!settings.mask().isEmpty()) {
                ofQueues.put(name, new JsonMask(settings.mask()));
            }
        });
    }

    /** Whether nobody is shown a part of a payload. One that has none of the masked fields is shown as a whole. */
    public boolean hides(String queue, @Nullable String type, byte[] payload) {
        byte[] left = payload.length == 0 || own == null ? payload : byOwn(own, queue, type, payload);
        if (left == null || !Arrays.equals(left, payload)) {
            return true;
        }
        JsonMask pointers = ofQueues.get(queue);
        String text = pointers == null || payload.length == 0 ? "" : Utf8.decode(payload);
        return text == null || !text.isEmpty() && (pointers == null || pointers.hides(text));
    }

    /** Returns what may be shown of a payload. @param type null if the task names none */
    public Shown show(String queue, @Nullable String type, byte[] payload) {
        if (payload.length == 0) {
            return new Shown(payload, false);
        }
        byte[] left = own == null ? payload : byOwn(own, queue, type, payload);
        if (left == null) {
            return ALL_HIDDEN;
        }
        JsonMask pointers = ofQueues.get(queue);
        if (pointers == null) {
            return new Shown(left, left != payload);
        }
        String text = Utf8.decode(left);
        String masked = text == null ? null : pointers.apply(text);
        return masked == null ? ALL_HIDDEN : new Shown(masked.getBytes(StandardCharsets.UTF_8), true);
    }

    private static byte @Nullable [] byOwn(PayloadMask own, String queue, @Nullable String type, byte[] payload) {
        try {
            return own.mask(queue, type, payload);
        } catch (RuntimeException | Error e) {
            // Without the message, which may have a part of the payload.
            log.warn(
                    "The {} threw {} for a task of {}, so the payload is hidden",
                    own.getClass().getName(),
                    e.getClass().getName(),
                    queue);
            return null;
        }
    }
}
