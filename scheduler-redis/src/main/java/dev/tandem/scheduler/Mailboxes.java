package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries messages between processes that share a Redis. Each process has a mailbox: a list, and a channel that wakes the process.
 * A message may get lost, with Redis or with its receiver, so that senders wait for answers no longer than they want to.
 * Thread-safe; no method blocks.
 */
public final class Mailboxes {

    private static final Logger log = LoggerFactory.getLogger(Mailboxes.class);

    /** The most messages that wait in a mailbox. */
    public static final int MOST = 200;

    private static final byte[] MOST_TEXT = bytes(Integer.toString(MOST));

    /** How long messages stay in a mailbox from which nobody takes them. */
    private static final byte[] KEPT_SECONDS = bytes("30");

    private static final byte[] MOST_TAKEN = bytes("50");
    private static final byte[] BYTES_TAKEN = bytes(Integer.toString(1 << 20));

    private final AdminConnection connection;
    private final WakeupSubscriber wakeups;

    Mailboxes(AdminConnection connection, WakeupSubscriber wakeups) {
        this.connection = connection;
        this.wakeups = wakeups;
    }

    /**
     * Opens the mailbox of this process.
     *
     * @param name unique per process start
     * @param receiver gets one message after the other, on a thread of the connection, so that it must not block
     */
    public Mailbox open(String name, Consumer<byte[]> receiver) {
        Mailbox made = new Mailbox(name, receiver);
        wakeups.add(connection.keys().mailChannel(name), made);
        return made;
    }

    /** Puts messages into a mailbox, each of which has a megabyte at most. @return how many there was room for, from the first on */
    public CompletableFuture<Integer> post(String to, List<byte[]> messages) {
        List<byte[]> args = new ArrayList<>(messages.size() + 3);
        args.add(bytes(connection.keys().mailChannel(to)));
        args.add(MOST_TEXT);
        args.add(KEPT_SECONDS);
        args.addAll(messages);
        byte[][] keys = {connection.keys().mailbox(to)};
        return connection
                .runScript(Script.POST_MESSAGES, keys, args.toArray(byte[][]::new))
                .thenApply(reply -> new ReplyReader(reply).count());
    }

    /** Removes a message from a mailbox. @return whether it was there, so that its receiver does not get it any more */
    public CompletableFuture<Boolean> retract(String from, byte[] message) {
        byte[] key = connection.keys().mailbox(from);
        return connection.run(commands -> commands.lrem(key, 0, message)).thenApply(removed -> removed > 0);
    }

    /** Tells all processes that listen that tasks of a queue wait for workers. It may not reach some of them. */
    public CompletableFuture<Void> announce(String queue, String text) {
        byte[] channel = bytes(connection.keys().pulledChannel(queue));
        return connection
                .run(commands -> commands.publish(channel, bytes(text)))
                .thenApply(receivers -> null);
    }

    /** Listens to what processes announce of a queue. @param heard is called on a thread of the connection, so that it must not block */
    public AutoCloseable listen(String queue, Consumer<String> heard) {
        WakeupSubscriber.MessageListener listener = message -> {
            if (message != null) {
                heard.accept(message);
            }
        };
        String channel = connection.keys().pulledChannel(queue);
        wakeups.add(channel, listener);
        return () -> wakeups.remove(channel, listener);
    }

    /** The mailbox of this process. One request for its messages is under way at a time. */
    public final class Mailbox implements Runnable, AutoCloseable {

        private final byte[][] keys;
        private final String channel;
        private final Consumer<byte[]> receiver;
        /** How many times to look: 1 while a request is under way, 2 if something may have come since it was sent. */
        private final AtomicInteger looks = new AtomicInteger();

        private volatile boolean closed;

        private Mailbox(String name, Consumer<byte[]> receiver) {
            this.keys = new byte[][] {connection.keys().mailbox(name)};
            this.channel = connection.keys().mailChannel(name);
            this.receiver = receiver;
        }

        /** Looks for messages. Is called at each wake-up; whoever waits for an answer may call it too. */
        @Override
        public void run() {
            if (!closed && looks.getAndUpdate(now -> Math.min(2, now + 1)) == 0) {
                take();
            }
        }

        private void take() {
            connection
                    .runScript(Script.TAKE_MESSAGES, keys, MOST_TAKEN, BYTES_TAKEN)
                    .whenComplete((reply, failure) -> taken(reply, failure));
        }

        private void taken(@Nullable List<Object> reply, @Nullable Throwable failure) {
            long left = 0;
            if (reply != null) {
                left = (Long) reply.get(0);
                for (Object message : (List<?>) reply.get(1)) {
                    receive((byte[]) message);
                }
            } else {
                log.debug("Failed to take messages out of the mailbox: {}", String.valueOf(failure));
            }
            if (left > 0 && !closed) {
                take();
            } else if (looks.getAndUpdate(now -> now == 2 ? 1 : 0) == 2) {
                take();
            }
        }

        private void receive(byte[] message) {
            try {
                receiver.accept(message);
            } catch (RuntimeException e) {
                log.warn("A message of another process could not be handled", e);
            }
        }

        /** Takes no messages any more, and removes those that are there. */
        @Override
        public void close() {
            closed = true;
            wakeups.remove(channel, this);
            connection.run(commands -> commands.del(keys[0])).exceptionally(failure -> {
                log.debug("Failed to remove the mailbox: {}", failure.toString());
                return 0L;
            });
        }

        @Override
        public String toString() {
            return new String(keys[0], StandardCharsets.UTF_8);
        }
    }
}
