package dev.tandem.kafka;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;

/**
 * Members of the group whose processes are known to be gone. They are removed from the group, which would otherwise keep
 * their partitions for them until their sessions time out. Members may be added by any thread; the polling thread does
 * the rest.
 */
final class DeadMembers {

    private final String ownId;
    private final KafkaClients clients;
    private final AnswerQueue answers;
    private final KafkaHealth health;
    private final Queue<String> waiting = new ConcurrentLinkedQueue<>();

    DeadMembers(KafkaSettings settings, KafkaClients clients, AnswerQueue answers, KafkaHealth health) {
        this.ownId = settings.memberId();
        this.clients = clients;
        this.answers = answers;
        this.health = health;
    }

    /** Adds a member, unless it is this process. May be called by any thread. */
    void add(String memberId) {
        if (!memberId.equals(ownId)) {
            waiting.add(memberId);
        }
    }

    /** Asks the brokers to remove the members that were added, once they can be asked. */
    void remove() {
        KafkaAdmin admin = clients.maybeAdmin();
        for (String member = admin == null ? null : waiting.poll(); member != null; member = waiting.poll()) {
            String removed = member;
            answers.onAnswer(
                    admin.removeMember(member),
                    done -> health.info("removed " + removed + " from the group, whose process is gone"),
                    problem -> failed(removed, problem));
        }
    }

    private void failed(String member, Throwable problem) {
        // The client wraps what the broker said of one member.
        boolean leftAlready = hasLeft(problem) || hasLeft(problem.getCause());
        if (!leftAlready) {
            health.warn("could not remove " + member + " from the group, which will notice by its session time-out"
                    + " that it is gone: " + KafkaErrors.explain(problem));
        }
    }

    private static boolean hasLeft(@Nullable Throwable problem) {
        return problem instanceof UnknownMemberIdException || problem instanceof GroupIdNotFoundException;
    }
}
