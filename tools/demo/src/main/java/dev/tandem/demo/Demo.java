package dev.tandem.demo;

import dev.tandem.demo.DemoCheck.Kill;
import dev.tandem.demo.DemoCheck.Published;
import dev.tandem.kit.Await;
import dev.tandem.kit.ConsoleProgress;
import dev.tandem.kit.EpochMicros;
import dev.tandem.local.LocalPlatform;
import dev.tandem.local.LocalProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Runs the demonstration: publishes the workload, kills an executor, checks the result. Not thread-safe. */
final class Demo {

    /** All tasks must have ended this long after the last message was published. */
    private static final Duration COMPLETION_TIMEOUT = Duration.ofSeconds(90);

    /** After this long without an event, no further run is expected. */
    private static final Duration QUIET_TIME = Duration.ofSeconds(3);

    private static final Duration QUEUE_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration QUEUE_INTERVAL = Duration.ofMillis(200);
    private static final Duration KEY_TIMEOUT = Duration.ofSeconds(30);

    /** From this share of finished tasks on, the executor is killed as soon as it runs a task with a key. */
    private static final double EARLIEST_KILL = 0.35;

    /** At this share of finished tasks the executor is killed even if it runs none. */
    private static final double LATEST_KILL = 0.6;

    /**
     * The parameters of a run.
     *
     * @param orders the number of orders
     * @param publishing the time over which their tasks are published
     * @param seed the seed of the workload
     * @param mails whether the workload includes mails, which need an AMQP broker
     * @param run tells the keys of this run that are halted from those of earlier ones; may be empty
     * @param kill whether an executor is killed
     * @param picture the file for a picture of the kill; null for none
     */
    record Plan(
            int orders,
            Duration publishing,
            long seed,
            boolean mails,
            String run,
            boolean kill,
            @Nullable Path picture) {}

    private static final Map<String, Integer> TOPICS = Map.of(
            DemoWorkload.ORDERS, 8, DemoWorkload.REMINDERS, 4, DemoWorkload.INVOICES, 2, DemoWorkload.REPORTS, 2);

    private final Plan plan;
    private final LocalPlatform platform;
    private final LocalServers servers;
    private final ConsoleProgress output;
    private final long startNanos;
    private final EventTail tail = new EventTail();
    private final List<PacedPublisher> publishers = new ArrayList<>();
    private final long startMicros = EpochMicros.now();
    private @Nullable Kill kill;

    /** @param startNanos when the command was given, by {@link System#nanoTime} */
    Demo(Plan plan, LocalPlatform platform, LocalServers servers, ConsoleProgress output, long startNanos) {
        this.plan = plan;
        this.platform = platform;
        this.servers = servers;
        this.output = output;
        this.startNanos = startNanos;
    }

    /** Runs the demonstration to its end. @return whether the check passed */
    boolean run() throws InterruptedException {
        List<LocalProcess> executors = new ArrayList<>();
        servers.server(false);
        for (String name : List.of("executor-1", "executor-2")) {
            executors.add(servers.executor(name));
            tail.follow(name, servers.events(name));
        }
        DemoWorkload workload = new DemoWorkload(plan.seed(), plan.mails(), plan.run());
        List<DemoTask> tasks = workload.tasks(plan.orders());
        publish(tasks);
        long complete = follow(tasks, executors.get(1));
        List<Published> published = new ArrayList<>();
        publishers.forEach(publisher -> published.addAll(publisher.published()));
        Map<String, KeyState> halted = halted(tasks, workload.haltedKey());
        tail.read();
        published.addAll(Firings.expected(tail.started(), startMicros, complete));
        DemoVerdict verdict = DemoCheck.judge(published, tail.events(), kill, halted);
        output.line("");
        output.line(new DemoReport(verdict).text());
        draw(published, verdict);
        return verdict.passed();
    }

    private void publish(List<DemoTask> tasks) throws InterruptedException {
        platform.awaitKafka();
        KafkaTaskPublisher.createTopics(platform.kafka(), TOPICS);
        output.line(elapsed() + "publishing " + tasks.size() + " tasks over "
                + plan.publishing().toSeconds() + " s");
        List<DemoTask> mails = tasks.stream()
                .filter(task -> task.queue().equals(DemoWorkload.MAILS))
                .toList();
        List<DemoTask> others = tasks.stream()
                .filter(task -> !task.queue().equals(DemoWorkload.MAILS))
                .toList();
        publishers.add(
                new PacedPublisher("kafka", others, plan.publishing(), () -> new KafkaTaskPublisher(platform.kafka())));
        if (!mails.isEmpty()) {
            publishers.add(new PacedPublisher("amqp", mails, plan.publishing(), this::amqpPublisher));
        }
    }

    private TaskPublisher amqpPublisher() throws Exception {
        platform.awaitAmqp();
        try {
            Await.until(
                    QUEUE_TIMEOUT,
                    QUEUE_INTERVAL,
                    () -> AmqpTaskPublisher.isConsumed(platform.amqp(), DemoWorkload.MAILS),
                    () -> "No executor consumes from the queue " + DemoWorkload.MAILS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(e.getMessage() + ". See " + servers.log("executor-1"), e);
        }
        return new AmqpTaskPublisher(platform.amqp());
    }

    /**
     * Waits until all tasks that are to end have ended, with those that schedules have submitted meanwhile.
     *
     * @return the time in epoch microseconds until which the tasks of schedules count
     */
    private long follow(List<DemoTask> tasks, LocalProcess victim) throws InterruptedException {
        long toEnd = tasks.stream().filter(task -> !task.waits()).count();
        long lastEvent = System.nanoTime();
        long publishedAt = Long.MAX_VALUE;
        long completeAt = 0;
        boolean first = true;
        while (true) {
            boolean newEvents = tail.read() > 0;
            long now = System.nanoTime();
            lastEvent = newEvents ? now : lastEvent;
            if (first && !tail.finished().isEmpty()) {
                first = false;
                output.line(elapsed() + "the first task is done");
            }
            if (plan.kill() && kill == null && isTimeToKill(tasks.size(), victim.name())) {
                kill(victim);
            }
            boolean published = publishers.stream().allMatch(PacedPublisher::isDone);
            publishedAt = published && publishedAt == Long.MAX_VALUE ? now : publishedAt;
            if (completeAt == 0 && published && tail.finished().size() >= toEnd) {
                completeAt = EpochMicros.now();
            }
            output.progress(progress(tasks.size()));
            if (completeAt > 0 && now - lastEvent > QUIET_TIME.toNanos() && haveFired(completeAt)) {
                return completeAt;
            }
            if (published && now - publishedAt > COMPLETION_TIMEOUT.toNanos()) {
                output.line(elapsed() + "some tasks have not ended " + COMPLETION_TIMEOUT.toSeconds()
                        + " s after the last message");
                return completeAt > 0 ? completeAt : EpochMicros.now();
            }
            checkProcesses(victim);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Returns whether the tasks of all instants until then have ended. */
    private boolean haveFired(long until) {
        return Firings.expected(tail.started(), startMicros, until).stream()
                .allMatch(each -> tail.finishedFirings().contains(each.task().id()));
    }

    /** Returns the state of the key that a dead task halts, as soon as the others wait behind it. */
    private Map<String, KeyState> halted(List<DemoTask> tasks, String key) throws InterruptedException {
        List<DemoTask> ofKey =
                tasks.stream().filter(task -> key.equals(task.key())).toList();
        String dead =
                ofKey.stream().filter(DemoTask::dies).findFirst().orElseThrow().id();
        long waiting = ofKey.stream().filter(DemoTask::waits).count();
        Map<String, KeyState> halted = new HashMap<>();
        try {
            Await.until(
                    KEY_TIMEOUT,
                    QUEUE_INTERVAL,
                    () -> {
                        KeyState state = servers.key(DemoWorkload.INVOICES, key);
                        halted.put(key, state);
                        return state.isHaltedBy(dead, waiting);
                    },
                    () -> key + " is not halted");
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            output.line(elapsed() + e.getMessage()); // the check says what is known of the key
        }
        return halted;
    }

    /** In the middle of the workload, and in the middle of a task that has a key if possible. */
    private boolean isTimeToKill(int total, String victim) {
        double done = (double) tail.finished().size() / total;
        return done > LATEST_KILL
                || (done > EARLIEST_KILL && tail.runningOn(victim).stream().anyMatch(DemoWorkload::isStep));
    }

    private void checkProcesses(LocalProcess victim) {
        for (LocalProcess process : servers.ended()) {
            if (!(process.equals(victim) && kill != null)) {
                throw new IllegalStateException(
                        process.name() + " ended with status " + process.exitStatus() + ". " + process.logTail());
            }
        }
    }

    private void kill(LocalProcess victim) {
        victim.kill();
        kill = new Kill(victim.name(), EpochMicros.now());
        tail.read(); // some may have ended in the meantime
        int running = tail.runningOn(victim.name()).size();
        output.line(elapsed() + "killed " + victim + " (kill -9), " + running
                + (running == 1 ? " of its tasks was running" : " of its tasks were running"));
    }

    private String progress(int total) {
        int published = publishers.stream().mapToInt(PacedPublisher::count).sum();
        return String.format(
                Locale.ROOT,
                "%spublished %d/%d  done %d  failed attempts %d  executors %d",
                elapsed(),
                published,
                total,
                tail.finished().size(),
                tail.failures(),
                kill == null ? 2 : 1);
    }

    private void draw(List<Published> published, DemoVerdict verdict) {
        Path file = plan.picture();
        if (file == null) {
            return;
        }
        if (kill == null) {
            output.line("  There is no picture, since no executor was killed.");
            return;
        }
        try {
            Files.writeString(file, TimelinePicture.draw(published, tail.events(), kill, verdict));
            output.line("  The picture is in " + file);
        } catch (IOException e) {
            throw new UncheckedIOException("The picture " + file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** The time since the command was given, as the beginning of a line. */
    private String elapsed() {
        return String.format(Locale.ROOT, "%6.1f s  ", (System.nanoTime() - startNanos) / 1e9);
    }
}
