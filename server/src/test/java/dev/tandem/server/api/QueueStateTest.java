package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.OwnerGaps;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.store.HandledTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class QueueStateTest {

    private static final QueueSettings KAFKA = settings("kafka");
    private static final QueueSettings RABBIT = settings("rabbit");

    private static QueueSettings settings(String source) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test", Map.of("tandem.queues.q.source", source, "tandem.queues.q.partitions", "2")));
        return SettingsLoader.load(environment).queues().get("q");
    }

    private static PartitionInfo partition(int number, @Nullable String owner) {
        return new PartitionInfo(Integer.toString(number), owner, 0, TaskCounts.NONE, Map.of(), 0, 0, 0L, null);
    }

    private static LocalQueue local(@Nullable String broker, @Nullable String redis, boolean full) {
        return new LocalQueue(broker, redis, null, null, false, full, null, null, OwnerGaps.NONE);
    }

    /** Returns a state in English. */
    private static String state(String word, String problem) {
        return "QueueState[word=" + word + ", problems=[" + problem + "]]";
    }

    private static Map<String, Long> lags(int partitions) {
        Map<String, Long> lags = new LinkedHashMap<>();
        IntStream.range(0, partitions).forEach(number -> lags.put(Integer.toString(number), 0L));
        return lags;
    }

    private static QueueState of(LocalQueue local, boolean paused, @Nullable String... owners) {
        List<PartitionInfo> known = IntStream.range(0, owners.length)
                .mapToObj(number -> partition(number, owners[number]))
                .toList();
        return QueueState.of(KAFKA, local, null, paused, known, lags(owners.length));
    }

    @Test
    void aQueueThatWorksRuns() {
        assertThat(of(LocalQueue.GOOD, false, "a", "b")).isEqualTo(new QueueState("running", List.of()));
    }

    @Test
    void executorsThatLackHandlersAreNamedAndAWorseStateStays() {
        QueueState running = of(LocalQueue.GOOD, false, "a", "b");
        SortedMap<String, HandledTypes> handled = new TreeMap<>(Map.of(
                "e1", new HandledTypes(Set.of("ship"), false),
                "e2", new HandledTypes(Set.of("ship"), false),
                "e3", new HandledTypes(Set.of("ship", "refund"), false)));
        QueueHandlers differ = new QueueHandlers(handled, new TreeMap<>());

        assertThat(running.with(QueueHandlers.NONE)).isEqualTo(running);
        assertThat(running.with(differ).word()).isEqualTo("handlers differ");
        assertThat(running.with(differ).problems())
                .map(Sentence::english)
                .containsExactly("Executors have different handlers: e1, e2 have none for 'refund', and others do");
        QueueHandlers unknown =
                new QueueHandlers(handled, new TreeMap<>(Map.of("e1", new TreeSet<>(Set.of("refund", "")))));
        assertThat(running.with(unknown).word()).isEqualTo("unknown types");
        assertThat(running.with(unknown).problems())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("There is no handler for tasks without a type, 'refund' in e1");
        assertThat(of(local(null, null, true), false, "a").with(unknown).word()).isEqualTo("full");
    }

    @Test
    void theWorstComesFirstAndAllIsExplained() {
        LocalQueue local = local("no broker can be reached", "Cannot reach Redis at localhost:6379", true);
        QueueState state = of(local, true, null, "b");

        assertThat(state.word()).isEqualTo("no redis");
        assertThat(state.problems())
                .map(Sentence::english)
                .containsExactly(
                        "Cannot reach Redis at localhost:6379",
                        "Kafka: no broker can be reached",
                        "No executor owns partition 0, so its tasks wait");
        assertThat(of(local("away", null, true), true, "a").word()).isEqualTo("no broker");
        assertThat(of(local(null, null, true), true, "a").word()).isEqualTo("paused");
        assertThat(of(local(null, null, true), false, "a").word()).isEqualTo("full");
    }

    @Test
    void partitionsWithoutAnOwnerAreCounted() {
        assertThat(of(LocalQueue.GOOD, false, "a", null, null, null).word()).isEqualTo("3 partitions unowned");
        assertThat(of(LocalQueue.GOOD, false, "a", null).word()).isEqualTo("1 partition unowned");
        assertThat(of(LocalQueue.GOOD, false, null, null).word()).isEqualTo("no owner");
    }

    @Test
    void partitionsThatNobodyEverOwnedAreNewUntilExecutorsMustHaveNoticedThem() {
        Duration usual = Duration.ofSeconds(75);
        List<PartitionInfo> known = List.of(partition(0, "a"));

        QueueState grown = QueueState.of(KAFKA, LocalQueue.GOOD, null, false, known, lags(16));
        assertThat(grown.word()).isEqualTo("15 partitions new");
        assertThat(grown.problems())
                .singleElement()
                .asString()
                .startsWith("No executor owns partitions 1, 2, 3,")
                .contains("yet: executors notice new partitions of a topic within a minute")
                .endsWith("Their tasks wait until then");
        assertThat(QueueState.of(KAFKA, gaps(usual, Map.of("1", Duration.ofSeconds(30))), null, false, known, lags(2)))
                .extracting(QueueState::word, state -> state.problems().get(0))
                .satisfies(said -> {
                    assertThat(said.get(0)).isEqualTo("1 partition new");
                    assertThat(said.get(1)).asString().startsWith("No executor owns partition 1 yet for 30 s: ");
                });
        assertThat(QueueState.of(KAFKA, gaps(usual, Map.of("1", usual)), null, false, known, lags(2)))
                .hasToString(
                        state("1 partition unowned", "No executor has owned partition 1 for 75 s, so its tasks wait"));
        assertThat(QueueState.of(KAFKA, LocalQueue.GOOD, null, false, List.of(), lags(16))
                        .word())
                .isEqualTo("no owner");
    }

    @Test
    void aPartitionThatLostItsOwnerSaysForHowLong() {
        LocalQueue seen = gaps(Duration.ofSeconds(75), Map.of("1", Duration.ofSeconds(12)));
        List<PartitionInfo> known = List.of(partition(0, "a"), partition(1, null));

        QueueState state = QueueState.of(KAFKA, seen, null, false, known, lags(3));
        assertThat(state.word()).isEqualTo("1 partition unowned");
        assertThat(state.problems())
                .map(Sentence::english)
                .hasSize(2)
                .contains("No executor has owned partition 1 for 12 s, so its tasks wait")
                .anyMatch(problem -> problem.startsWith("No executor owns partition 2 yet"));
    }

    private static LocalQueue gaps(Duration usual, Map<String, Duration> lasting) {
        return new LocalQueue(null, null, null, null, false, false, null, null, new OwnerGaps(lasting, usual));
    }

    @Test
    void anEmptyPartitionThatIsGoneNeedsNoOwner() {
        List<PartitionInfo> known = List.of(partition(0, "a"), partition(1, "a"), partition(2, null));

        assertThat(QueueState.of(KAFKA, LocalQueue.GOOD, null, false, known, lags(2))
                        .word())
                .isEqualTo("running");
        assertThat(QueueState.of(RABBIT, LocalQueue.GOOD, null, false, known, Map.of("", 3L))
                        .word())
                .isEqualTo("running");

        PartitionInfo withTasks =
                new PartitionInfo("2", null, 0, new TaskCounts(0, 1, 0, 0, 0, 0), Map.of(), 0, 0, 0L, null);
        assertThat(QueueState.of(
                                RABBIT,
                                LocalQueue.GOOD,
                                null,
                                false,
                                List.of(known.get(0), known.get(1), withTasks),
                                Map.of("", 3L))
                        .word())
                .isEqualTo("1 partition unowned");
    }

    @Test
    void nothingIsSaidOfOwnersWhileRedisDoesNotAnswer() {
        QueueState state =
                QueueState.of(KAFKA, LocalQueue.GOOD, "Redis is not available: away", false, List.of(), lags(2));

        assertThat(state).hasToString(state("no redis", "Redis is not available: away"));
    }

    @Test
    void aBrokerThatDoesNotTellItsPartitionsIsNoMissingOwner() {
        List<PartitionInfo> owned = List.of(partition(0, "a"), partition(1, "a"));

        assertThat(QueueState.of(KAFKA, LocalQueue.GOOD, null, false, owned, Map.of()))
                .isEqualTo(new QueueState("running", List.of()));
        LocalQueue away = local("no broker can be reached", null, false);
        String noBroker = state("no broker", "Kafka: no broker can be reached");
        assertThat(QueueState.of(KAFKA, away, null, false, owned, Map.of())).hasToString(noBroker);
        assertThat(QueueState.of(KAFKA, away, null, false, List.of(), Map.of()))
                .as("no executor can have a partition yet")
                .hasToString(noBroker);
        assertThat(QueueState.of(RABBIT, away, null, false, List.of(partition(0, null)), Map.of()))
                .hasToString(state("no broker", "RabbitMQ: no broker can be reached"));
        PartitionInfo withTasks =
                new PartitionInfo("0", null, 0, new TaskCounts(0, 1, 0, 0, 0, 0), Map.of(), 0, 0, 0L, null);
        assertThat(QueueState.of(KAFKA, away, null, false, List.of(withTasks), Map.of())
                        .problems())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("No executor works on this queue");
        assertThat(QueueState.of(KAFKA, LocalQueue.GOOD, null, false, List.of(partition(0, null)), Map.of())
                        .word())
                .isEqualTo("no owner");
    }

    @Test
    void rabbitPartitionsNeedOwnersAlsoBeforeTheirSubQueuesAreDeclared() {
        assertThat(QueueState.of(RABBIT, LocalQueue.GOOD, null, false, List.of(partition(0, "a")), Map.of("0", 3L))
                        .word())
                .isEqualTo("1 partition new");
    }

    @Test
    void pauseByAnOperatorIsNotSaidOfThisServerOnly() {
        LocalQueue here = new LocalQueue(
                null, null, null, "an operator has paused the queue", false, false, null, null, OwnerGaps.NONE);

        assertThat(of(here, true, "a")).isEqualTo(new QueueState("paused", List.of()));
        assertThat(of(here, true, "a").with(Sentence.quote("Paused")).problems())
                .hasToString("[Paused]");
    }

    @Test
    void onlyFailuresSlowAQueueDown() {
        LocalQueue slowed =
                new LocalQueue(null, null, null, "starts are slowed down", true, false, null, null, OwnerGaps.NONE);
        LocalQueue paused = new LocalQueue(
                null, null, null, "the queue is paused in this process", false, false, null, null, OwnerGaps.NONE);

        assertThat(of(slowed, false, "a")).hasToString(state("slowed", "In this server, starts are slowed down"));
        assertThat(of(paused, false, "a"))
                .hasToString(state("running", "In this server, the queue is paused in this process"));
    }

    @Test
    void queuesThatAnotherOrderingHasLeftAreNamed() {
        LocalQueue local =
                new LocalQueue(null, null, null, null, false, false, null, "the queue 'mail.0' stands", OwnerGaps.NONE);

        assertThat(of(local, false, "a"))
                .hasToString(
                        state("running", "In RabbitMQ, the queue 'mail.0' stands; ./tandem doctor says what to do"));
    }

    @Test
    void everyWordHasARowInTheDocumentation() throws IOException {
        String operations = Files.readString(Path.of("../docs/operations.md"));
        String troubleshooting = Files.readString(Path.of("../docs/troubleshooting.md"));
        for (QueueState.Word word : QueueState.Word.values()) {
            String quoted = "`(?:\\d )?" + word.text + "`";
            assertThat(operations).containsPattern("(?m)^\\| " + quoted + " \\|");
            assertThat(troubleshooting).containsPattern("(?m)^\\| STATE is " + quoted + "[ ,]");
        }
        assertThat(Pattern.compile("STATE is `(?:\\d )?([^`]+)`")
                        .matcher(troubleshooting)
                        .results()
                        .map(state -> state.group(1)))
                .as("only words that exist")
                .containsOnly(Stream.of(QueueState.Word.values())
                        .map(word -> word.text)
                        .toArray(String[]::new));
    }
}
