package dev.tandem.rabbit;

import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.FrameHandler;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Parts of the client's frames and frame handlers that differ between releases. This project uses a later release than
 * the one that Spring Boot 4.1 manages, and an application has that one unless it asks for another.
 */
final class FrameParts {

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.publicLookup();
    private static final MethodHandle TYPE = part("getType", "type");
    private static final MethodHandle CHANNEL = part("getChannel", "channel");

    /** The method {@code flush()} of earlier releases; null if there is none. */
    private static final @Nullable MethodHandle FLUSH = flush();

    private FrameParts() {}

    /** Returns what reads a part: a method, or a field in earlier releases. */
    private static MethodHandle part(String method, String field) {
        try {
            return LOOKUP.findVirtual(Frame.class, method, MethodType.methodType(int.class));
        } catch (ReflectiveOperationException e) {
            return fieldOf(field);
        }
    }

    private static MethodHandle fieldOf(String field) {
        try {
            return LOOKUP.findGetter(Frame.class, field, int.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "This release of amqp-client is not supported: its frames have no " + field, e);
        }
    }

    private static @Nullable MethodHandle flush() {
        try {
            return LOOKUP.findVirtual(FrameHandler.class, "flush", MethodType.methodType(void.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    static int type(Frame frame) {
        return read(TYPE, frame);
    }

    static int channel(Frame frame) {
        return read(CHANNEL, frame);
    }

    /** Calls {@code flush()}, which only earlier releases have, and only they ask for. */
    static void flush(FrameHandler frames) throws IOException {
        if (FLUSH == null) {
            throw new UnsupportedOperationException("This release of amqp-client flushes with a listener");
        }
        try {
            FLUSH.invokeExact(frames);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("Frames cannot be flushed", e);
        }
    }

    private static int read(MethodHandle part, Frame frame) {
        try {
            return (int) part.invokeExact(frame);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("A part of a frame cannot be read", e);
        }
    }
}
