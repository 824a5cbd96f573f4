package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeaseRequest.Bury;
import dev.tandem.executor.pull.LeaseRequest.Discard;
import dev.tandem.executor.pull.LeaseRequest.Extend;
import dev.tandem.executor.pull.LeaseRequest.Fail;
import dev.tandem.executor.pull.LeaseRequest.Finish;
import dev.tandem.executor.pull.LeaseRequest.Progress;
import dev.tandem.executor.pull.LeaseRequest.ReadCheckpoint;
import dev.tandem.executor.pull.LeaseRequest.Release;
import dev.tandem.executor.pull.LeaseRequest.SaveCheckpoint;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.server.pull.PullMessage.Answers;
import dev.tandem.server.pull.PullMessage.GiveBack;
import dev.tandem.server.pull.PullMessage.Handed;
import dev.tandem.server.pull.PullMessage.Orders;
import dev.tandem.server.pull.PullMessage.Take;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The form of messages in Redis: a version, a kind, and their components in order. */
final class PullCodec {

    private static final int VERSION = 1;

    private static final byte TAKE = 1;
    private static final byte HANDED = 2;
    private static final byte GIVE_BACK = 3;
    private static final byte ORDERS = 4;
    private static final byte ANSWERS = 5;

    private PullCodec() {}

    /** Writes one component. */
    private interface Part<T> {
        void write(DataOutputStream out, T part) throws IOException;
    }

    /** Reads one component. */
    private interface Source<T> {
        T read(DataInputStream in) throws IOException;
    }

    static byte[] encode(PullMessage message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            write(out, message);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @throws IllegalArgumentException if it is no message, or one of a later version */
    static PullMessage decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IllegalArgumentException("The message has the version " + version + ", not " + VERSION);
            }
            return read(in);
        } catch (IOException e) {
            throw new IllegalArgumentException("The message cannot be read: " + e, e);
        }
    }

    private static void write(DataOutputStream out, PullMessage message) throws IOException {
        if (message instanceof Take take) {
            out.writeByte(TAKE);
            out.writeLong(take.id());
            text(out, take.from());
            text(out, take.queue());
            call(out, take.call());
        } else if (message instanceof Handed handed) {
            out.writeByte(HANDED);
            out.writeLong(handed.id());
            text(out, handed.queue());
            out.writeBoolean(handed.last());
            list(out, handed.tasks(), PullCodec::task);
        } else if (message instanceof GiveBack back) {
            out.writeByte(GIVE_BACK);
            text(out, back.queue());
            list(out, back.leases(), PullCodec::lease);
        } else if (message instanceof Orders orders) {
            out.writeByte(ORDERS);
            out.writeLong(orders.id());
            text(out, orders.from());
            text(out, orders.queue());
            list(out, orders.orders(), (to, order) -> {
                lease(to, order.lease());
                request(to, order.request());
            });
        } else if (message instanceof Answers answers) {
            out.writeByte(ANSWERS);
            out.writeLong(answers.id());
            list(out, answers.answers(), PullCodec::answer);
        }
    }

    private static PullMessage read(DataInputStream in) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case TAKE -> new Take(in.readLong(), text(in), text(in), call(in));
            case HANDED -> new Handed(in.readLong(), text(in), in.readBoolean(), list(in, PullCodec::task));
            case GIVE_BACK -> new GiveBack(text(in), list(in, PullCodec::lease));
            case ORDERS ->
                new Orders(
                        in.readLong(),
                        text(in),
                        text(in),
                        list(in, from -> new LeaseOrder(lease(from), request(from))));
            case ANSWERS -> new Answers(in.readLong(), list(in, PullCodec::answer));
            default -> throw new IllegalArgumentException("The message has the unknown kind " + kind);
        };
    }

    // ---- calls and tasks ----

    private static void call(DataOutputStream out, LeaseCall call) throws IOException {
        out.writeInt(call.max());
        out.writeLong(call.maxBytes());
        out.writeLong(call.waitMillis());
        out.writeLong(call.leaseMillis());
        text(out, call.worker());
    }

    private static LeaseCall call(DataInputStream in) throws IOException {
        return new LeaseCall(in.readInt(), in.readLong(), in.readLong(), in.readLong(), text(in));
    }

    private static void task(DataOutputStream out, LeasedTask task) throws IOException {
        lease(out, task.lease());
        out.writeLong(task.leaseMillis());
        text(out, task.id());
        text(out, task.position());
        text(out, task.type());
        maybe(out, task.key());
        maybe(out, task.dedupKey());
        out.writeInt(task.attempt());
        out.writeInt(task.maxAttempts());
        out.writeLong(task.timeoutMillis());
        out.writeInt(task.headers().size());
        for (Map.Entry<String, String> header : task.headers().entrySet()) {
            text(out, header.getKey());
            text(out, header.getValue());
        }
        bytes(out, task.payload());
    }

    private static LeasedTask task(DataInputStream in) throws IOException {
        LeaseName lease = lease(in);
        long leaseMillis = in.readLong();
        String id = text(in);
        String position = text(in);
        String type = text(in);
        String key = maybe(in);
        String dedupKey = maybe(in);
        int attempt = in.readInt();
        int maxAttempts = in.readInt();
        long timeoutMillis = in.readLong();
        Map<String, String> headers = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            headers.put(text(in), text(in));
        }
        return new LeasedTask(
                lease,
                leaseMillis,
                id,
                position,
                type,
                key,
                dedupKey,
                attempt,
                maxAttempts,
                timeoutMillis,
                headers,
                bytes(in));
    }

    private static void lease(DataOutputStream out, LeaseName lease) throws IOException {
        text(out, lease.toString());
    }

    private static LeaseName lease(DataInputStream in) throws IOException {
        return LeaseName.parse(text(in)).orElseThrow(() -> new IOException("no lease"));
    }

    // ---- requests and answers ----

    private static void request(DataOutputStream out, LeaseRequest request) throws IOException {
        if (request instanceof Finish finish) {
            out.writeByte(1);
            maybe(out, finish.result());
        } else if (request instanceof Fail fail) {
            out.writeByte(2);
            text(out, fail.error());
            out.writeLong(fail.delayMillis());
        } else if (request instanceof Release release) {
            out.writeByte(3);
            out.writeLong(release.delayMillis());
        } else if (request instanceof Bury bury) {
            out.writeByte(4);
            text(out, bury.reason());
        } else if (request instanceof Discard) {
            out.writeByte(5);
        } else if (request instanceof Extend extend) {
            out.writeByte(6);
            out.writeLong(extend.millis());
        } else if (request instanceof Progress progress) {
            out.writeByte(7);
            out.writeLong(progress.done());
            out.writeLong(progress.total());
            text(out, progress.text());
            maybe(out, progress.line());
            out.writeLong(progress.extendMillis());
        } else if (request instanceof SaveCheckpoint save) {
            out.writeByte(8);
            bytes(out, save.value());
        } else if (request instanceof ReadCheckpoint) {
            out.writeByte(9);
        }
    }

    private static LeaseRequest request(DataInputStream in) throws IOException {
        byte kind = in.readByte();
        return switch (kind) {
            case 1 -> new Finish(maybe(in));
            case 2 -> new Fail(text(in), in.readLong());
            case 3 -> new Release(in.readLong());
            case 4 -> new Bury(text(in));
            case 5 -> new Discard();
            case 6 -> new Extend(in.readLong());
            case 7 -> new Progress(in.readLong(), in.readLong(), text(in), maybe(in), in.readLong());
            case 8 -> new SaveCheckpoint(bytes(in));
            case 9 -> new ReadCheckpoint();
            default -> throw new IOException("the request of kind " + kind);
        };
    }

    private static void answer(DataOutputStream out, LeaseAnswer answer) throws IOException {
        text(out, answer.status().name());
        text(out, answer.detail());
        out.writeLong(answer.leaseMillis());
        byte[] checkpoint = answer.checkpoint();
        out.writeBoolean(checkpoint != null);
        if (checkpoint != null) {
            bytes(out, checkpoint);
        }
    }

    private static LeaseAnswer answer(DataInputStream in) throws IOException {
        return new LeaseAnswer(
                LeaseAnswer.Status.valueOf(text(in)), text(in), in.readLong(), in.readBoolean() ? bytes(in) : null);
    }

    // ---- parts ----

    private static <T> void list(DataOutputStream out, List<T> all, Part<T> part) throws IOException {
        out.writeInt(all.size());
        for (T each : all) {
            part.write(out, each);
        }
    }

    private static <T> List<T> list(DataInputStream in, Source<T> source) throws IOException {
        List<T> all = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            all.add(source.read(in));
        }
        return all;
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        bytes(out, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(bytes(in), StandardCharsets.UTF_8);
    }

    private static void maybe(DataOutputStream out, @Nullable String text) throws IOException {
        out.writeBoolean(text != null);
        if (text != null) {
            text(out, text);
        }
    }

    private static @Nullable String maybe(DataInputStream in) throws IOException {
        return in.readBoolean() ? text(in) : null;
    }

    private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        byte[] bytes = new byte[Math.min(in.readInt(), in.available())];
        in.readFully(bytes);
        return bytes;
    }
}
