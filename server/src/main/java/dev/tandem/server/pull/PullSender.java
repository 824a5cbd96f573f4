package dev.tandem.server.pull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends messages to other processes. Those to one process go together, in one request at a time. Used by the thread of leases
 * only.
 */
final class PullSender {

    /** The most messages that wait here for one process. */
    static final int MOST = 500;

    private static final int MOST_AT_ONCE = 20;
    private static final int BYTES_AT_ONCE = 1 << 20;

    /** @param refused is called unless it is certain that the process has it in its mailbox */
    private record Outgoing(byte[] message, Runnable refused) {}

    private final class Destination {
        private final String process;
        private final ArrayDeque<Outgoing> waiting = new ArrayDeque<>();
        private boolean sending;

        Destination(String process) {
            this.process = process;
        }

        private void sendNext() {
            List<Outgoing> batch = new ArrayList<>();
            int size = 0;
            while (!waiting.isEmpty() && batch.size() < MOST_AT_ONCE && size < BYTES_AT_ONCE) {
                Outgoing next = waiting.removeFirst();
                batch.add(next);
                size += next.message().length;
            }
            if (batch.isEmpty()) {
                destinations.remove(process);
                return;
            }
            sending = true;
            mail.post(process, batch.stream().map(Outgoing::message).toList())
                    .whenComplete((count, failure) -> thread.run(() -> sent(batch, failure == null ? count : 0)));
        }

        private void sent(List<Outgoing> batch, int count) {
            sending = false;
            batch.subList(count, batch.size()).forEach(each -> each.refused().run());
            sendNext();
        }
    }

    private final PullMail mail;
    private final PullThread thread;
    private final Map<String, Destination> destinations = new HashMap<>();

    PullSender(PullMail mail, PullThread thread) {
        this.mail = mail;
        this.thread = thread;
    }

    /**
     * @param refused is called, later or at once, unless it is known that the message is in the mailbox. The process may get it all
     *     the same, if only the reply of Redis was lost
     */
    void send(String process, PullMessage message, Runnable refused) {
        Destination destination = destinations.computeIfAbsent(process, Destination::new);
        if (destination.waiting.size() >= MOST) {
            refused.run();
            return;
        }
        destination.waiting.addLast(new Outgoing(PullCodec.encode(message), refused));
        if (!destination.sending) {
            destination.sendNext();
        }
    }
}
