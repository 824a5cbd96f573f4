package dev.tandem.server.demo;

import dev.tandem.local.LocalProcess;
import dev.tandem.server.demo.DemoCheck.Kill;
import dev.tandem.server.demo.DemoCheck.Published;
import dev.tandem.server.demo.DemoCheck.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Conducts the demonstration: workload, kill, and the check at the end. Used by one thread. */
final class Demo {

    /** After the last message was published, everything must have ended within this. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Without a new event for this long nothing is on its way any more. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    private static final Duration QUEUE_PATIENCE = Duration.ofSeconds(60);

    /** Of the tasks are done when an executor is killed. */
    private static final double KILL_AT = 0.35;

    private static final double KILL_LATEST = 0.6;

    /**
     * @param orders how many lives of orders are published
     * @param publishing over how long
     * @param kill whether an executor is killed
     */
    record Plan(int orders, Duration publishing, long seed, boolean mails, boolean kill) {}

    private final Plan plan;
    private final LocalBrokers brokers;
    private final LocalServers servers;
    private final Screen screen;
    private final long begun;
    private final EventTail tail = new EventTail();
    private final List<DemoPublisher> publishers = new ArrayList<>();
    private @Nullable Kill kill;

    /** @param begunNanos when the command was given */
    Demo(Plan plan, LocalBrokers brokers, LocalServers servers, Screen screen, long begunNanos) {
        this.plan = plan;
        this.brokers = brokers;
        this.servers = servers;
        this.screen = screen;
        this.begun = begunNanos;
    }

    /** Runs it to its end. @return whether the check passed */
    boolean run() throws InterruptedException {
        List<LocalProcess> executors = new ArrayList<>();
        servers.server(false);
        for (String name : List.of("executor-1", "executor-2")) {
            executors.add(servers.executor(name));
            tail.follow(name, servers.events(name));
        }
        List<DemoTask> tasks = new DemoWorkload(plan.seed(), plan.mails()).tasks(plan.orders());
        publish(tasks);
        follow(tasks, executors.get(1));
        return report(judge());
    }

    private void publish(List<DemoTask> tasks) throws InterruptedException {
        brokers.awaitKafka();
        KafkaDoor.create(brokers.kafka(), Map.of(DemoWorkload.ORDERS, 8, DemoWorkload.REMINDERS, 4));
        screen.say(at() + "publishing " + tasks.size() + " tasks over "
                + plan.publishing().toSeconds() + " s");
        List<DemoTask> mails = tasks.stream()
                .filter(task -> task.queue().equals(DemoWorkload.MAILS))
                .toList();
        List<DemoTask> others = tasks.stream()
                .filter(task -> !task.queue().equals(DemoWorkload.MAILS))
                .toList();
        publishers.add(new DemoPublisher("kafka", others, plan.publishing(), () -> new KafkaDoor(brokers.kafka())));
        if (!mails.isEmpty()) {
            publishers.add(new DemoPublisher("amqp", mails, plan.publishing(), this::amqpDoor));
        }
    }

    private Door amqpDoor() {
        brokers.awaitRabbit();
        try {
            if (!AmqpDoor.awaitQueue(brokers.rabbit(), DemoWorkload.MAILS, QUEUE_PATIENCE)) {
                throw new IllegalStateException("No executor declared the queue " + DemoWorkload.MAILS + " in "
                        + QUEUE_PATIENCE.toSeconds() + " s: see " + servers.log("executor-1"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
        return new AmqpDoor(brokers.rabbit());
    }

    private void follow(List<DemoTask> tasks, LocalProcess victim) throws InterruptedException {
        long lastEvent = System.nanoTime();
        long publishedAt = Long.MAX_VALUE;
        boolean first = true;
        while (true) {
            boolean heard = tail.read() > 0;
            long now = System.nanoTime();
            lastEvent = heard ? now : lastEvent;
            if (first && !tail.finished().isEmpty()) {
                first = false;
                screen.say(at() + "the first task is done");
            }
            if (plan.kill() && kill == null && isTimeToKill(tasks.size(), victim.name())) {
                kill(victim);
            }
            boolean published = publishers.stream().allMatch(DemoPublisher::isDone);
            publishedAt = published && publishedAt == Long.MAX_VALUE ? now : publishedAt;
            boolean complete = published && tail.finished().size() >= tasks.size();
            screen.progress(progress(tasks.size()));
            if (complete && now - lastEvent > QUIET.toNanos()) {
                return;
            }
            if (published && now - publishedAt > PATIENCE.toNanos()) {
                screen.say(at() + "not everything has ended " + PATIENCE.toSeconds() + " s after the last message");
                return;
            }
            checkProcesses(victim);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** In the middle of the work, and if possible of a task. */
    private boolean isTimeToKill(int total, String victim) {
        double done = (double) tail.finished().size() / total;
        return done > KILL_LATEST || (done > KILL_AT && tail.open(victim) > 0);
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
        long running = tail.open(victim.name());
        victim.kill();
        kill = new Kill(victim.name(), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
        screen.say(at() + "killed " + victim + " (kill -9), " + running + " of its tasks were running");
    }

    private String progress(int total) {
        int published = publishers.stream().mapToInt(DemoPublisher::count).sum();
        return String.format(
                Locale.ROOT,
                "%spublished %d/%d  done %d  failed attempts %d  executors %d",
                at(),
                published,
                total,
                tail.finished().size(),
                tail.failures(),
                kill == null ? 2 : 1);
    }

    private Verdict judge() {
        tail.read();
        List<Published> published = new ArrayList<>();
        publishers.forEach(publisher -> published.addAll(publisher.published()));
        return DemoCheck.judge(published, tail.events(), kill);
    }

    private boolean report(Verdict verdict) {
        screen.say("");
        screen.say(new DemoReport(verdict).text());
        return verdict.passed();
    }

    /** Since the command was given. */
    private String at() {
        return String.format(Locale.ROOT, "%6.1f s  ", (System.nanoTime() - begun) / 1e9);
    }
}
