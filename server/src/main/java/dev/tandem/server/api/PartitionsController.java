package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.access.Needs;
import dev.tandem.server.access.Permission;
import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.TopicPartitions;
import dev.tandem.server.inspect.TopicPartitions.RefusedException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Says how many partitions the topic of a queue has, and adds some. */
@RestController
@Needs(Permission.VIEW)
@RequestMapping("/api/v1/queues/{queue}/partitions")
final class PartitionsController {

    /** More than any topic needs. Nothing takes partitions away again. */
    private static final int MOST = 10_000;

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final TopicPartitions topics;

    /** Queues whose topic is getting more partitions right now. */
    private final Set<String> growing = ConcurrentHashMap.newKeySet();

    PartitionsController(ConfiguredQueues queues, Inspection inspection, TopicPartitions topics) {
        this.queues = queues;
        this.inspection = inspection;
        this.topics = topics;
    }

    /** @param partitions how many the topic has */
    record Count(int partitions) {}

    @GetMapping
    Count count(@PathVariable String queue) {
        requireTopic(queue);
        return new Count(counted(queue));
    }

    @Needs(Permission.ADMINISTER)
    @PostMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    Count grow(@PathVariable String queue, @RequestParam int from, @RequestParam int to) {
        requireTopic(queue);
        if (to <= from || to > MOST) {
            throw ApiException.parameter(
                    "to",
                    "to is " + to + ", and from is " + from,
                    "Give the number that there is as from, and a higher one up to " + MOST
                            + " as to. A topic cannot get fewer partitions");
        }
        if (!growing.add(queue)) {
            throw ProblemType.TOPIC_NOT_CHANGED.refusal(
                    "Another request gives the topic of " + queue + " more partitions right now",
                    "Look how many it has before more are added");
        }
        try {
            requireCount(queue, from);
            requireNoticed(queue, from);
            topics.grow(queue, to);
        } catch (RefusedException e) {
            throw refused(e);
        } finally {
            growing.remove(queue);
        }
        return new Count(to);
    }

    private void requireCount(String queue, int from) {
        int now = counted(queue);
        if (now != from) {
            throw ProblemType.TOPIC_NOT_CHANGED.refusal(
                    "The topic of " + queue + " has " + now + " partitions, and from is " + from,
                    "Say from=" + now + " if more are still wanted");
        }
    }

    /** Two changes that executors take for one would lose the order of keys that moved by both. */
    private void requireNoticed(String queue, int now) {
        if (!queues.get(queue).keepsOrderOfMovedKeys()) {
            return;
        }
        int noticed = inspection.noticedPartitions(queue).orElse(0); // Before the growths, which are recorded with it.
        if (noticed != now) {
            throw ProblemType.TOPIC_NOT_CHANGED.refusal(
                    "The topic of " + queue + " has " + now + " partitions, and executors have noticed "
                            + (noticed == 0 ? "none" : "only " + noticed) + " of them so far",
                    "Executors that run the queue notice it within a minute. Then wait for the time that ./tandem"
                            + " partitions " + queue + " names, and try again");
        }
        Optional<GrowthInfo> open =
                inspection.growths(queue).stream().filter(GrowthInfo::open).findFirst();
        if (open.isPresent()) {
            throw ProblemType.TOPIC_NOT_CHANGED.refusal(
                    "The topic of " + queue
                            + " got more partitions a while ago, and producers may use the former number" + " until "
                            + open.get().openUntil(),
                    "Try again after that time");
        }
    }

    private void requireTopic(String queue) {
        if (queues.get(queue).effectiveSource() != SourceType.KAFKA) {
            throw ProblemType.TOPIC_NOT_CHANGED.refusal(
                    "The queue " + queue + " is not in Kafka", "See docs/rabbitmq.md for more sub-queues in RabbitMQ");
        }
    }

    private int counted(String queue) {
        try {
            return topics.count(queue);
        } catch (RefusedException e) {
            throw refused(e);
        }
    }

    private static ApiException refused(RefusedException refusal) {
        return ProblemType.TOPIC_NOT_CHANGED.refusal(
                String.valueOf(refusal.getMessage()),
                "Add partitions with Kafka's own tool, or with the rights of another user");
    }
}
