package dev.tandem.kafka;

import dev.tandem.kafka.Health.Trouble;
import dev.tandem.kafka.Start.Found;
import dev.tandem.task.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The partitions that the group gave us, and what must be known of them: their facts are asked for on the side, and the
 * topic is looked at now and then, since one that is deleted and created again keeps its name. Touched by the loop's
 * thread only.
 */
final class Assignments {

    private static final long RETRY_MILLIS = 1_000;

    private final KafkaSettings settings;
    private final Clients clients;
    private final Inbox inbox;
    private final Health health;
    private final Reports reports;
    private final Committer committer;
    private final Millis clock;
    private final Map<TopicPartition, Assignment> all = new HashMap<>();
    private final long topicCheckMillis;
    private long topicCheckAt;
    private boolean checkingTopic;
    private long moves;

    Assignments(
            KafkaSettings settings,
            Clients clients,
            Inbox inbox,
            Health health,
            Reports reports,
            Committer committer,
            Millis clock) {
        this.settings = settings;
        this.clients = clients;
        this.inbox = inbox;
        this.health = health;
        this.reports = reports;
        this.committer = committer;
        this.clock = clock;
        this.topicCheckMillis = ClientProperties.topicCheckMillis(settings.properties());
        this.topicCheckAt = topicCheckMillis;
    }

    /** Takes what the group gave. Nothing is read before {@link #read}. */
    Assignment take(TopicPartition topicPartition) {
        Assignment taken = new Assignment(topicPartition, Partition.of(settings.queue(), topicPartition.partition()));
        all.put(topicPartition, taken);
        taken.lookUpAt = clock.now();
        // Anywhere: with a position the consumer does not look one up itself, and paused it does not read there.
        consumer().pause(List.of(topicPartition));
        consumer().seek(topicPartition, 0);
        return taken;
    }

    @Nullable
    Assignment get(TopicPartition topicPartition) {
        return all.get(topicPartition);
    }

    /** Null unless the engine was told of it. */
    @Nullable
    Assignment get(Partition partition) {
        try {
            Assignment found = all.get(new TopicPartition(settings.topic(), Integer.parseInt(partition.name())));
            return found != null && found.announced && found.partition.equals(partition) ? found : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    List<Assignment> get(Collection<TopicPartition> partitions) {
        List<Assignment> known = new ArrayList<>();
        for (TopicPartition each : partitions) {
            Assignment assignment = all.get(each);
            if (assignment != null) {
                known.add(assignment);
            }
        }
        return known;
    }

    List<Assignment> all() {
        return List.copyOf(all.values());
    }

    void remove(Collection<Assignment> gone) {
        for (Assignment each : gone) {
            each.gone = true;
            all.remove(each.topicPartition);
        }
        // A deleted topic's partitions are taken away, too.
        topicCheckAt = Math.min(topicCheckAt, clock.now() + RETRY_MILLIS);
    }

    /** Reads on from there, unless the engine wants a pause. */
    void read(Assignment assignment, long from) {
        if (!assignment.astray) {
            assignment.movedAt = moves;
            consumer().seek(assignment.topicPartition, from);
            if (!assignment.paused) {
                consumer().resume(List.of(assignment.topicPartition));
            }
        }
    }

    /** Records have come: those of a partition that is moved from here on are void. */
    void fetched() {
        moves++;
    }

    boolean movedSinceFetched(Assignment assignment) {
        return assignment.movedAt == moves;
    }

    /** The consumer stands where the log is not. */
    void astray(TopicPartition topicPartition, long offset) {
        Assignment assignment = all.get(topicPartition);
        if (assignment != null) {
            consumer().pause(List.of(topicPartition));
            assignment.astray = true;
            assignment.astrayAt = offset;
            assignment.lookUpAt = clock.now();
        }
    }

    /** When something is to be asked. */
    long nextAt() {
        long next = topicCheckAt;
        for (Assignment each : all.values()) {
            next = Math.min(next, each.lookUpAt);
        }
        return next;
    }

    /** Asks what it is time to ask. Answers come by the inbox. */
    void ask() {
        long now = clock.now();
        List<Assignment> due = new ArrayList<>();
        for (Assignment each : all.values()) {
            if (each.lookUpAt <= now) {
                each.lookUpAt = Long.MAX_VALUE;
                due.add(each);
            }
        }
        if (!due.isEmpty()) {
            Map<TopicPartition, CompletionStage<Found>> facts = clients.admin()
                    .find(due.stream().map(each -> each.topicPartition).toList());
            for (Assignment each : due) {
                inbox.await(
                        Objects.requireNonNull(facts.get(each.topicPartition)),
                        found -> found(each, found),
                        problem -> notFound(each, problem));
            }
        }
        if (topicCheckAt <= now && !checkingTopic) {
            checkingTopic = true;
            topicCheckAt = Long.MAX_VALUE;
            inbox.await(clients.admin().topicId(), this::topicIs, this::topicUnknown);
        }
    }

    private void notFound(Assignment assignment, Throwable problem) {
        if (!assignment.gone) {
            assignment.lookUpAt = clock.now() + RETRY_MILLIS;
            health.set(
                    Trouble.FACTS,
                    "the offsets of partition " + assignment.partition.name() + " can't be looked up: "
                            + Problems.explain(problem));
        }
    }

    private void found(Assignment assignment, Found found) {
        if (assignment.gone) {
            return;
        }
        health.clear(Trouble.FACTS);
        if (!assignment.announced) {
            announce(assignment, found);
        } else if (!found.topicId().equals(assignment.topicId)) {
            recreated(assignment, found.topicId());
        } else {
            assignment.logStart = found.logStart();
            if (assignment.astray) {
                straighten(assignment);
            }
            if (assignment.confirming && !assignment.gone) {
                assignment.factsFresh = true;
                committer.commitUnchanged(assignment);
            }
        }
    }

    private void announce(Assignment assignment, Found found) {
        Start start = Start.of(assignment.partition.name(), found, assignment.truncated);
        if (start.warning() != null) {
            health.warn(start.warning());
        }
        assignment.begin(start, found);
        assignment.announced = true;
        long generation = consumer().groupMetadata().generationId();
        reports.tell(events -> events.assigned(assignment.partition, assignment.facts(generation)));
    }

    private void topicIs(String id) {
        checkingTopic = false;
        topicCheckAt = clock.now() + topicCheckMillis;
        health.clear(Trouble.TOPIC);
        for (Assignment each : all()) {
            if (each.announced && !each.topicId.equals(id)) {
                recreated(each, id);
            }
        }
    }

    private void topicUnknown(Throwable problem) {
        checkingTopic = false;
        topicCheckAt = clock.now() + RETRY_MILLIS;
        if (problem instanceof UnknownTopicOrPartitionException) {
            health.set(Trouble.TOPIC, "the topic does not exist any more: create it again");
        }
    }

    private void recreated(Assignment assignment, String id) {
        health.warn("partition " + assignment.partition.name() + ": the topic was deleted and created again (id "
                + assignment.topicId + ", now " + id + ")");
        replace(assignment, false);
    }

    private void straighten(Assignment assignment) {
        long from = assignment.astrayAt;
        long logStart = assignment.logStart;
        if (from >= logStart) {
            health.warn("partition " + assignment.partition.name() + ": the log ends before offset " + from
                    + ", it was cut");
            replace(assignment, true);
            return;
        }
        health.warn("partition " + assignment.partition.name() + ": offsets " + from + " to " + (logStart - 1) + " ("
                + (logStart - from) + ") were deleted before they were read; raise the topic's retention");
        assignment.astray = false;
        assignment.start = logStart;
        assignment.gapTo = logStart;
        if (assignment.open) {
            read(assignment, logStart);
        }
    }

    /** Lost and given again: all that was known of it is void. */
    private void replace(Assignment assignment, boolean truncated) {
        assignment.gone = true;
        reports.tell(events -> events.lost(List.of(assignment.partition)));
        take(assignment.topicPartition).truncated = truncated;
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return Objects.requireNonNull(clients.consumer(), "no partition comes without a consumer");
    }
}
