package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages between processes, by a real Redis. */
class MailboxesIT extends OperatorTestBase {

    private final String process = UniqueNames.fresh("process");
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final Mailboxes mailboxes = store.serverRecords().mailboxes();

    private Mailboxes.Mailbox box() {
        return mailboxes.open(process, message -> received.add(new String(message, StandardCharsets.UTF_8)));
    }

    private int post(int first, int count) {
        return mailboxes
                .post(
                        process,
                        IntStream.range(first, first + count)
                                .mapToObj(each -> Integer.toString(each).getBytes(StandardCharsets.UTF_8))
                                .toList())
                .join();
    }

    private static List<String> numbers(int first, int count) {
        return IntStream.range(first, first + count).mapToObj(Integer::toString).toList();
    }

    @Test
    void messagesComeInTheirOrderAlsoThoseFromBeforeTheBoxWasOpened() throws Exception {
        post(0, 120);
        try (Mailboxes.Mailbox box = box()) {
            await().until(() -> received.size() == 120);
            post(120, 3);
            post(123, 1);
            await().until(() -> received.size() == 124);
        }
        assertThat(received).isEqualTo(numbers(0, 124));
    }

    @Test
    void aMailboxHasABound() throws Exception {
        assertThat(post(0, Mailboxes.MOST - 1)).isEqualTo(Mailboxes.MOST - 1);
        assertThat(post(Mailboxes.MOST - 1, 5)).isEqualTo(1);
        assertThat(post(900, 1)).isZero();
        try (Mailboxes.Mailbox box = box()) {
            await().until(() -> received.size() == Mailboxes.MOST);
        }
        assertThat(received).isEqualTo(numbers(0, Mailboxes.MOST));
    }

    @Test
    void whatNobodyTakesIsForgotten() {
        post(0, 1);
        long seconds = store.adminConnection()
                .run(commands -> commands.ttl(store.adminConnection().keys().mailbox(process)))
                .join();
        assertThat(seconds).isBetween(20L, 30L);
    }

    @Test
    void aMessageIsRetractedAsLongAsNobodyHasTakenIt() throws Exception {
        post(0, 3);
        byte[] second = "1".getBytes(StandardCharsets.UTF_8);
        assertThat(mailboxes.retract(process, second).join()).isTrue();
        assertThat(mailboxes.retract(process, second).join()).isFalse();
        try (Mailboxes.Mailbox box = box()) {
            await().until(() -> received.size() == 2);
            assertThat(mailboxes
                            .retract(process, "0".getBytes(StandardCharsets.UTF_8))
                            .join())
                    .isFalse();
        }
        assertThat(received).containsExactly("0", "2");
    }

    @Test
    void announcementsReachThoseWhoListenToTheQueue() throws Exception {
        try (AutoCloseable listening = mailboxes.listen(process, received::add)) {
            await().untilAsserted(() -> {
                mailboxes.announce(process, "e1 7").join();
                assertThat(received).isNotEmpty().containsOnly("e1 7");
            });
        }
    }
}
