package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import dev.tandem.task.TaskHeaders;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Checks the content header frames of AMQP, which carry a message's properties. An incoming frame that the client could
 * not parse would end the connection, again at each redelivery. Such a frame is rewritten, so that the message arrives
 * and says itself why it is unreadable. An outgoing frame is checked before the client counts its message.
 *
 * <p>Checking costs one pass over the bytes and makes no objects.
 */
final class HeaderFrame {

    /** The header that says why the properties were rewritten. Its message is unreadable. */
    static final String REASON = TaskHeaders.UNREADABLE;

    /** The header with all properties as they were sent, if they cannot be told apart. */
    static final String RAW_PROPERTIES = "tandem-raw-properties";

    /** How deep the client reads tables and arrays in a header. Deeper ones make it give the connection up. */
    static final int MAX_NESTING = 32;

    private static final int BASIC_CLASS = 60;
    /** Class, weight and body size, before the flags. */
    private static final int FLAGS_AT = 12;

    private static final int CONTENT_TYPE = 1 << 15;
    private static final int CONTENT_ENCODING = 1 << 14;
    private static final int HEADERS = 1 << 13;
    private static final int DELIVERY_MODE = 1 << 12;
    private static final int PRIORITY = 1 << 11;
    private static final int TIMESTAMP = 1 << 6;
    /** The last flags: unused, and more flags follow. Nothing in AMQP 0-9-1 needs them. */
    private static final int UNKNOWN_FLAGS = 3;

    private static final String MALFORMED = "the message's properties are malformed";

    private HeaderFrame() {}

    /** Thrown for bytes that are no properties. Has no stack trace: who publishes much of this should cost little. */
    private static final class MalformedException extends RuntimeException {
        MalformedException(String reason) {
            super(reason, null, false, false);
        }
    }

    /**
     * Returns a payload of a content header frame that the client can parse: the same array if it can parse it already.
     */
    static byte[] readable(byte[] payload) {
        if (payload.length < FLAGS_AT + 2 || ByteBuffer.wrap(payload).getShort() != BASIC_CLASS) {
            return payload;
        }
        ByteBuffer in = ByteBuffer.wrap(payload, FLAGS_AT, payload.length - FLAGS_AT);
        int tableAt = -1;
        String reason;
        try {
            int flags = flags(in);
            skipTextsBeforeTable(in, flags);
            if ((flags & HEADERS) != 0) {
                tableAt = in.position();
                in.position(tableAt + lengthOf(in));
            }
            skipRest(in, flags);
            if (tableAt < 0) {
                return payload;
            }
            reason = tableProblem(tableOf(payload, tableAt));
        } catch (BufferUnderflowException | IllegalArgumentException | MalformedException e) {
            return withRawProperties(payload, MALFORMED);
        }
        if (reason == null) {
            return payload;
        }
        byte[] table = readableTable(tableOf(payload, tableAt), reason);
        return table == null ? withRawProperties(payload, reason) : withTable(payload, tableAt, table);
    }

    /**
     * Returns why a message cannot be sent; null if it can.
     *
     * @param frameMax the largest frame of the connection, in bytes; 0 if there is no limit
     */
    static @Nullable String problemOfSending(BasicProperties properties, int bodyLength, int frameMax) {
        int size;
        try {
            size = properties.toFrame(1, bodyLength).size();
        } catch (IOException | RuntimeException e) {
            return BrokerErrors.explain(e);
        }
        return frameMax > 0 && size > frameMax
                ? "its properties and headers take " + size + " bytes, and the broker's frame_max is " + frameMax
                : null;
    }

    // ---- properties

    private static int flags(ByteBuffer in) {
        int flags = in.getShort() & 0xFFFF;
        if ((flags & UNKNOWN_FLAGS) != 0) {
            throw new MalformedException(MALFORMED);
        }
        return flags;
    }

    private static void skipTextsBeforeTable(ByteBuffer in, int flags) {
        if ((flags & CONTENT_TYPE) != 0) {
            skipShortText(in);
        }
        if ((flags & CONTENT_ENCODING) != 0) {
            skipShortText(in);
        }
    }

    private static void skipRest(ByteBuffer in, int flags) {
        if ((flags & DELIVERY_MODE) != 0) {
            skip(in, 1);
        }
        if ((flags & PRIORITY) != 0) {
            skip(in, 1);
        }
        for (int flag = PRIORITY >> 1; flag > UNKNOWN_FLAGS; flag >>= 1) {
            if ((flags & flag) != 0) {
                if (flag == TIMESTAMP) {
                    skip(in, Long.BYTES);
                } else {
                    skipShortText(in);
                }
            }
        }
    }

    private static byte[] withTable(byte[] payload, int tableAt, byte[] table) {
        int restAt = tableAt + Integer.BYTES + ByteBuffer.wrap(payload).getInt(tableAt);
        return ByteBuffer.allocate(tableAt + Integer.BYTES + table.length + payload.length - restAt)
                .put(payload, 0, tableAt)
                .putInt(table.length)
                .put(table)
                .put(payload, restAt, payload.length - restAt)
                .array();
    }

    /** Replaces all properties by the reason and their bytes. */
    private static byte[] withRawProperties(byte[] payload, String reason) {
        byte[] table = written(out -> {
            writeText(out, REASON, reason);
            writeBytes(out, RAW_PROPERTIES, ByteBuffer.wrap(payload, FLAGS_AT, payload.length - FLAGS_AT));
        });
        return ByteBuffer.allocate(FLAGS_AT + Short.BYTES + Integer.BYTES + table.length)
                .put(payload, 0, FLAGS_AT)
                .putShort((short) HEADERS)
                .putInt(table.length)
                .put(table)
                .array();
    }

    // ---- tables

    private static ByteBuffer tableOf(byte[] payload, int tableAt) {
        return ByteBuffer.wrap(
                payload, tableAt + Integer.BYTES, ByteBuffer.wrap(payload).getInt(tableAt));
    }

    /** Returns why the client could not parse the table; null if it can. */
    private static @Nullable String tableProblem(ByteBuffer table) {
        try {
            checkEntries(table, 0);
            return null;
        } catch (MalformedException e) {
            return String.valueOf(e.getMessage());
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return "the message's header table is malformed";
        }
    }

    /** Checks what is left of a table. @param depth how many tables and arrays are around it */
    private static void checkEntries(ByteBuffer in, int depth) {
        while (in.hasRemaining()) {
            skipShortText(in);
            checkValue(in, depth + 1);
        }
    }

    private static void checkValue(ByteBuffer in, int depth) {
        byte type = in.get();
        if (type != 'F' && type != 'A') {
            skip(in, lengthOfPlain(in, type));
            return;
        }
        if (depth > MAX_NESTING) {
            throw new MalformedException(
                    "a header of the message nests tables or arrays deeper than " + MAX_NESTING + " levels");
        }
        int end = in.position() + lengthOf(in);
        int outerEnd = in.limit();
        in.getInt();
        in.limit(end);
        if (type == 'F') {
            checkEntries(in, depth);
        } else {
            while (in.hasRemaining()) {
                checkValue(in, depth + 1);
            }
        }
        in.limit(outerEnd);
    }

    /**
     * Returns the table with the reason, and with the encoded bytes of each value that the client could not parse in its
     * place. Returns null if the entries cannot be told apart.
     */
    private static byte @Nullable [] readableTable(ByteBuffer table, String reason) {
        try {
            return written(out -> {
                writeText(out, REASON, reason);
                while (table.hasRemaining()) {
                    copyEntry(table, out);
                }
            });
        } catch (BufferUnderflowException | IllegalArgumentException | MalformedException e) {
            return null;
        }
    }

    private static void copyEntry(ByteBuffer table, DataOutputStream out) throws IOException {
        int nameAt = table.position();
        skipShortText(table);
        int valueAt = table.position();
        byte type = table.get();
        skip(table, type == 'F' || type == 'A' ? lengthOf(table) : lengthOfPlain(table, type));
        int length = table.position() - valueAt;
        out.write(table.array(), nameAt, valueAt - nameAt);
        if (isReadable(ByteBuffer.wrap(table.array(), valueAt, length))) {
            out.write(table.array(), valueAt, length);
        } else {
            writeBytes(out, ByteBuffer.wrap(table.array(), valueAt, length));
        }
    }

    private static boolean isReadable(ByteBuffer value) {
        try {
            checkValue(value, 1);
            return true;
        } catch (BufferUnderflowException | IllegalArgumentException | MalformedException e) {
            return false;
        }
    }

    /** Returns the length of a value that is no table or array. The buffer is behind its type. */
    private static int lengthOfPlain(ByteBuffer in, byte type) {
        return switch (type) {
            case 'V' -> 0;
            case 't', 'b', 'B' -> 1;
            case 's', 'u' -> 2;
            case 'I', 'i', 'f' -> 4;
            case 'D' -> 5;
            case 'l', 'd', 'T' -> 8;
            case 'S', 'x' -> lengthOf(in);
            default -> throw new MalformedException("a header of the message has a value of an unknown type");
        };
    }

    /** Returns the length of a long text, a table or an array, with the four bytes that say it. Moves nothing. */
    private static int lengthOf(ByteBuffer in) {
        if (in.remaining() < Integer.BYTES) {
            throw new BufferUnderflowException();
        }
        int length = in.getInt(in.position());
        if (length < 0 || length > in.remaining() - Integer.BYTES) {
            throw new BufferUnderflowException();
        }
        return Integer.BYTES + length;
    }

    private static void skipShortText(ByteBuffer in) {
        skip(in, in.get() & 0xFF);
    }

    private static void skip(ByteBuffer in, int bytes) {
        in.position(in.position() + bytes);
    }

    // ---- writing

    @FunctionalInterface
    private interface Writing {
        void to(DataOutputStream out) throws IOException;
    }

    private static byte[] written(Writing content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.to(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void writeName(DataOutputStream out, String name) throws IOException {
        out.writeByte(name.length());
        out.writeBytes(name);
    }

    private static void writeText(DataOutputStream out, String name, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        writeName(out, name);
        out.writeByte('S');
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void writeBytes(DataOutputStream out, String name, ByteBuffer bytes) throws IOException {
        writeName(out, name);
        writeBytes(out, bytes);
    }

    private static void writeBytes(DataOutputStream out, ByteBuffer bytes) throws IOException {
        out.writeByte('x');
        out.writeInt(bytes.remaining());
        out.write(bytes.array(), bytes.position(), bytes.remaining());
    }

    /** The type of content header frames. */
    static boolean isHeader(int frameType) {
        return frameType == AMQP.FRAME_HEADER;
    }
}
