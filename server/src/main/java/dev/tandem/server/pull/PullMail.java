package dev.tandem.server.pull;

import dev.tandem.scheduler.Mailboxes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Carries the messages of servers about leases: at least once, or not at all. */
interface PullMail {

    /** The messages for this process. */
    interface Box extends AutoCloseable {

        /** Looks for messages whose wake-up may have got lost. */
        void look();

        @Override
        void close();
    }

    Box open(String name, Consumer<byte[]> receiver);

    /** @return how many there was room for, from the first on. If it fails, the other process may have got them all the same */
    CompletableFuture<Integer> post(String to, List<byte[]> messages);

    /** Removes a message, unless the other process has taken it. @return whether it was still there */
    CompletableFuture<Boolean> retract(String from, byte[] message);

    CompletableFuture<Void> announce(String queue, String text);

    AutoCloseable listen(String queue, Consumer<String> heard);

    /** Returns the mail in Redis. */
    static PullMail of(Mailboxes mailboxes) {
        return new PullMail() {
            @Override
            public Box open(String name, Consumer<byte[]> receiver) {
                Mailboxes.Mailbox opened = mailboxes.open(name, receiver);
                return new Box() {
                    @Override
                    public void look() {
                        opened.run();
                    }

                    @Override
                    public void close() {
                        opened.close();
                    }
                };
            }

            @Override
            public CompletableFuture<Integer> post(String to, List<byte[]> messages) {
                return mailboxes.post(to, messages);
            }

            @Override
            public CompletableFuture<Boolean> retract(String from, byte[] message) {
                return mailboxes.retract(from, message);
            }

            @Override
            public CompletableFuture<Void> announce(String queue, String text) {
                return mailboxes.announce(queue, text);
            }

            @Override
            public AutoCloseable listen(String queue, Consumer<String> heard) {
                return mailboxes.listen(queue, heard);
            }
        };
    }
}
