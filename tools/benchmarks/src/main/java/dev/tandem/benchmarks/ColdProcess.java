package dev.tandem.benchmarks;

import dev.tandem.benchmarks.ColdWorker.Consumer;
import dev.tandem.kit.EpochMicros;
import dev.tandem.kit.TemporaryFolder;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures the first tasks of fresh processes, whose JVMs have not compiled anything yet, from a filled topic to the
 * last commit, in order by key. The parallel consumer is measured the same way. Each runs with and without an archive
 * of its classes.
 */
final class ColdProcess implements Scenario {

    private static final int TASKS = 100_000;
    private static final List<String> HEAP = List.of("-Xms1g", "-Xmx2g");
    private static final Duration EXIT = Duration.ofMinutes(1);

    /** The processes that take turns. */
    private enum Variant {
        RIVAL("parallel consumer", Consumer.PARALLEL_CONSUMER, false),
        TANDEM("Tandem", Consumer.TANDEM, false),
        ARCHIVED_RIVAL("parallel consumer with a class archive", Consumer.PARALLEL_CONSUMER, true),
        ARCHIVED_TANDEM("Tandem with a class archive", Consumer.TANDEM, true);

        private final String label;
        private final Consumer consumer;
        private final boolean archived;

        Variant(String label, Consumer consumer, boolean archived) {
            this.label = label;
            this.consumer = consumer;
            this.archived = archived;
        }
    }

    /** Result of one process: the time from its start to its first task, and the rate from there to its last commit. */
    private record Round(double secondsToFirst, double perSecond) {}

    @Override
    public String name() {
        return "cold";
    }

    @Override
    public String about() {
        return "the first tasks of fresh processes from Kafka, beside the parallel consumer";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        Map<Variant, List<Round>> rounds = new EnumMap<>(Variant.class);
        try (TemporaryFolder folder = new TemporaryFolder("tandem-bench-");
                KafkaTopic topic = new KafkaTopic(
                        context.brokers().kafka(),
                        context.uniqueName("cold"),
                        context.sizes().partitions())) {
            topic.fill(KeyDistribution.DISTINCT, context.sizes().tasksOr(TASKS));
            Processes processes =
                    new Processes(context, topic, folder.path(), ClassArchive.packedClassPath(folder.path()));
            for (Consumer consumer : Consumer.values()) {
                processes.run(consumer, processes.archive(consumer).recordOption());
            }
            for (int i = 1; i <= context.sizes().rounds(); i++) {
                for (Variant variant : Variant.values()) {
                    String archive = variant.archived
                            ? processes.archive(variant.consumer).useOption()
                            : "-Xshare:auto";
                    Round round = processes.run(variant.consumer, archive);
                    rounds.computeIfAbsent(variant, none -> new ArrayList<>()).add(round);
                    context.say(
                            "%s: first task after %.2f s, then %,.0f/s",
                            variant.label, round.secondsToFirst(), round.perSecond());
                }
            }
        }
        return lines(rounds);
    }

    private static List<Measurement> lines(Map<Variant, List<Round>> rounds) {
        List<Measurement> lines = new ArrayList<>();
        rounds.forEach((variant, measured) -> {
            String name = "cold process: " + variant.label;
            lines.add(Measurement.withoutBudget(
                    name + ", to its first task", median(measured, Round::secondsToFirst), "s"));
            lines.add(Measurement.of(name, median(measured, Round::perSecond), "/s", budget(variant, rounds)));
        });
        return lines;
    }

    /** Returns the rate of the parallel consumer that has an archive if Tandem has one. */
    private static Budget budget(Variant variant, Map<Variant, List<Round>> rounds) {
        return switch (variant) {
            case RIVAL, ARCHIVED_RIVAL -> Budget.NONE;
            case TANDEM -> Budget.atLeast(median(rounds.get(Variant.RIVAL), Round::perSecond));
            case ARCHIVED_TANDEM -> Budget.atLeast(median(rounds.get(Variant.ARCHIVED_RIVAL), Round::perSecond));
        };
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> value) {
        return Median.of(rounds.stream().mapToDouble(value).boxed().toList());
    }

    /** Starts fresh processes for the records of one topic, one at a time. */
    private record Processes(ScenarioContext context, KafkaTopic topic, Path folder, String classPath) {

        ClassArchive archive(Consumer consumer) {
            return new ClassArchive(folder.resolve(consumer + ".archive"));
        }

        /** The command runs the processes as users would. Tests run them with as little processor time as possible. */
        private static List<String> options() {
            return System.getenv().containsKey("TANDEM_HOME") ? HEAP : JvmOptions.quickStart("512m");
        }

        Round run(Consumer consumer, String option) throws Exception {
            BenchSizes sizes = context.sizes();
            int tasks = sizes.tasksOr(TASKS);
            String name = context.uniqueName("cold");
            Path events = folder.resolve(name + ".events");
            ColdWorker.Work work = new ColdWorker.Work(
                    consumer,
                    topic.bootstrap(),
                    context.brokers().redis(),
                    topic.name(),
                    name,
                    tasks,
                    consumer == Consumer.TANDEM ? sizes.concurrency() : sizes.rivalThreads());
            List<String> options = new ArrayList<>(options());
            options.add(option);
            long startedAt = EpochMicros.now();
            LocalProcess process = LocalProcess.java(
                            name, classPath, options, ColdWorker.class.getName(), work.arguments(events))
                    .directory(folder)
                    .start();
            long committedAt;
            try {
                topic.awaitCommitted(consumer == Consumer.TANDEM ? KafkaTopic.group(name) : name, tasks, context);
                committedAt = EpochMicros.now();
            } finally {
                process.stop(EXIT); // and it writes the archive, if it is to make one
                process.close();
            }
            List<Long> handledAt = ColdWorker.handledAt(events);
            if (handledAt.size() < 2) {
                throw new IllegalStateException("Fewer than " + tasks + " tasks were handled. " + process.logTail());
            }
            long firstAt = handledAt.get(0);
            return new Round((firstAt - startedAt) / 1e6, tasks / ((committedAt - firstAt) / 1e6));
        }
    }
}
