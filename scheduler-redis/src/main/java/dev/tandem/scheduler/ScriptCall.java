package dev.tandem.scheduler;

import dev.tandem.task.store.RequestHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A script with its arguments. */
record ScriptCall(Script script, List<byte[]> args) {

    /** The index of the first envelope in the arguments of scripts that settle or take custody, or one before it. */
    private static final int ENVELOPES = 8;

    /** The memory that Redis takes for a task besides its envelope, about. */
    private static final int TASK_BYTES = 400;

    /** Returns about how many bytes Redis takes for the envelopes. */
    long envelopeBytes() {
        long bytes = 0;
        for (int i = ENVELOPES; i < args.size(); i++) {
            bytes += args.get(i).length + TASK_BYTES;
        }
        return bytes;
    }

    /** Begins a call of a script that every process may send. */
    static Builder of(Script script) {
        return new Builder(script);
    }

    /** Begins a call with a request header: {@code include/fence.lua}. */
    static Builder of(Script script, RequestHeader header, long highestToken) {
        return new Builder(script)
                .text(header.writer())
                .number(header.number())
                .number(header.epoch())
                .number(highestToken);
    }

    /** Adds arguments in order. */
    static final class Builder {
        private final Script script;
        private final List<byte[]> args = new ArrayList<>();

        private Builder(Script script) {
            this.script = script;
        }

        Builder bytes(byte[] bytes) {
            args.add(bytes);
            return this;
        }

        Builder text(String text) {
            return bytes(text.getBytes(StandardCharsets.UTF_8));
        }

        Builder letter(char letter) {
            return text(String.valueOf(letter));
        }

        Builder number(long number) {
            return text(Long.toString(number));
        }

        Builder flag(boolean flag) {
            return text(flag ? "1" : "0");
        }

        /** Adds a token as scripts compare it: 8 bytes, big-endian. */
        Builder token(long token) {
            return bytes(ByteBuffer.allocate(Long.BYTES).putLong(token).array());
        }

        /** Adds whether there is a key, and the key. */
        Builder key(@Nullable String key) {
            return flag(key != null).text(key == null ? "" : key);
        }

        ScriptCall build() {
            return new ScriptCall(script, args);
        }
    }
}
