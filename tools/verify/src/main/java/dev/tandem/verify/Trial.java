package dev.tandem.verify;

import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.kit.JsonLinesLog;
import dev.tandem.rabbit.RabbitPublisher;
import dev.tandem.task.Publisher;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.load.FanTasks;
import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.load.LoadGenerator;
import dev.tandem.verify.load.RelatedTasks;
import dev.tandem.verify.load.TaskGenerator;
import dev.tandem.verify.load.Workload;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.LiveView;
import dev.tandem.verify.worker.StallDetector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One fault under one workload. Creates a queue, starts executors and a load, injects the fault, waits until all tasks
 * have ended or the time is up, and has the recorded history judged.
 */
final class Trial implements AutoCloseable {

    private static final Duration FIRST_WORK_LIMIT = Duration.ofSeconds(90);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
    private static final int FINAL_AUDIT_TRIES = 10;
    private static final long FINAL_AUDIT_PAUSE_MILLIS = 500;

    private final LaneBrokers brokers;
    private final TrialCase trialCase;
    private final TrialSettings settings;
    private final long seed;
    private final Path folder;
    private final String queue;
    private final Consumer<String> progress;
    private final JsonLinesLog<Event> log;
    private final LiveView liveView = new LiveView();
    private final TaskGenerator tasks;
    private final TrialExecutors executors;
    private final TrialFaultContext context;
    private final String classPath;
    private @Nullable Thread stallDetector;
    private @Nullable TrialOutbox outbox;
    private @Nullable TrialFeatures features;

    /**
     * Creates a trial that has not started.
     *
     * @param classPath class path of its executors
     * @param folder folder for its events; created if it does not exist
     */
    Trial(
            LaneBrokers brokers,
            TrialCase trialCase,
            TrialSettings settings,
            long seed,
            String classPath,
            Path folder,
            Consumer<String> progress)
            throws Exception {
        this.brokers = brokers;
        this.trialCase = trialCase;
        this.settings = settings;
        this.seed = seed;
        this.folder = Files.createDirectories(folder);
        this.progress = progress;
        this.queue = "verify-" + folder.getFileName().toString().replaceAll("[^A-Za-z0-9._-]", "-") + "-"
                + Long.toString(System.currentTimeMillis() & 0xffffff, 36);
        this.tasks = new TaskGenerator(trialCase.workload(), new Random(seed), settings.lease(), settings.longEvery());
        this.log = new JsonLinesLog<>(folder.resolve(RecordedTrials.TRIAL_EVENTS));
        this.executors = new TrialExecutors(brokers, trialCase, settings, queue, classPath, this.folder, log, liveView);
        this.context = new TrialFaultContext(
                brokers, trialCase, settings, queue, new Random(seed), executors, log, tasks, this::outbox);
        this.classPath = classPath;
    }

    /** Runs the trial and judges it. */
    Judgement run() throws Exception {
        Workload workload = trialCase.workload();
        // Starts the broker, so that products() has it.
        String brokerAddress = brokers.brokerAddress(trialCase.fault().requirements(), workload);
        log.write(openedEvent());
        executors.startPolling();
        stallDetector = StallDetector.start("verify", log);
        TrialTopic topic = workload.isRabbit() ? null : new TrialTopic(brokerAddress, queue, settings.partitions());
        if (workload.isOutbox()) {
            outbox = new TrialOutbox(brokers.postgres(), brokerAddress, queue, settings, classPath, folder);
            executors.database(outbox.url());
        }
        if (workload.hasFeatures()) {
            features = new TrialFeatures(executors.directSettings(), log, liveView);
        }
        try (LoadGenerator load = new LoadGenerator(
                        tasks,
                        queue,
                        publisher(),
                        workload.knowsOffsets(),
                        log,
                        settings.perSecond(),
                        this::published);
                Auditor auditor = new Auditor(
                        queue, settings.partitions(), topic, executors.storeAddress(), executors.usesCluster(), log)) {
            load.start();
            for (int i = 0; i < settings.executors(); i++) {
                executors.start();
            }
            awaitFirstWork();
            context.sleep(settings.warmUp());
            injectFaults(load);
            load.stop();
            if (features != null) {
                features.stop();
            }
            awaitCompletion(load, topic, auditor);
            executors.stopAll();
            auditor.stop();
            log.write(new Event.TrialClosed(System.nanoTime(), backlog(topic)));
            finalAudit(auditor);
            if (features != null) {
                features.end();
            }
            requireEffectsOnce(load);
        } finally {
            if (topic != null) {
                topic.close();
            }
        }
        stopThreads();
        return RecordedTrials.judge(folder);
    }

    private void published(String id) {
        if (features != null) {
            features.published(id);
        }
    }

    private Event openedEvent() {
        return new Event.TrialOpened(
                System.nanoTime(),
                Verify.version(),
                trialCase.fault().name(),
                trialCase.workload().label(),
                seed,
                settings.lease().toMillis(),
                settings.lenience().toMillis(),
                settings.executors(),
                settings.perSecond(),
                settings.partitions(),
                brokers.products());
    }

    private void awaitFirstWork() throws InterruptedException {
        PatientTimer timer = new PatientTimer(FIRST_WORK_LIMIT, System.nanoTime());
        boolean allWork = false;
        while (!allWork && !timer.isOver(System.nanoTime(), 0)) {
            executors.requireAlive();
            allWork = liveView.await(
                    POLL_INTERVAL.toMillis(),
                    live -> executors.all().stream().allMatch(executor -> live.hasWorked(executor.name())));
        }
        if (!allWork) {
            throw new IllegalStateException(
                    "Not all executors got tasks within " + FIRST_WORK_LIMIT.toSeconds() + " s. "
                            + executors.all().stream()
                                    .filter(executor -> !liveView.hasWorked(executor.name()))
                                    .findFirst()
                                    .map(executor -> executor.name() + " got none. " + executor.logTail())
                                    .orElse(""));
        }
    }

    private void injectFaults(LoadGenerator load) throws InterruptedException {
        for (int round = 1; round <= settings.rounds(); round++) {
            context.beginRound(round);
            progress.accept(describe(load));
            trialCase.fault().inject(context);
            executors.requireAlive();
        }
    }

    /**
     * Waits until all acknowledged tasks have ended and the broker knows, or until nothing has happened for long. Tasks behind a
     * dead one stay in the store.
     */
    private void awaitCompletion(LoadGenerator load, @Nullable TrialTopic topic, Auditor auditor)
            throws InterruptedException {
        long begin = System.nanoTime();
        PatientTimer timer = new PatientTimer(settings.patience(), begin);
        while (!timer.isOver(System.nanoTime(), liveView.ended())) {
            progress.accept(describe(load));
            executors.requireAlive();
            Event.Audit audit = auditor.last();
            Set<String> published = load.acknowledged();
            boolean ended = published.stream().allMatch(id -> staysHeld(id, published) || hasEnded(id));
            boolean told = features == null || features.areEventsPublished();
            if (ended
                    && told
                    && audit != null
                    && audit.at() > begin
                    && audit.held().stream().allMatch(id -> staysHeld(id, published))
                    && (topic == null || backlog(topic) == 0)) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_INTERVAL.toMillis());
        }
    }

    private boolean hasEnded(String id) {
        String group = FanTasks.groupOfMaster(id);
        boolean ended = RelatedTasks.insteadOf(id).stream().anyMatch(liveView::hasEnded)
                || (FeatureTasks.mayEndWithoutRun(id) && mayEndsBeUnheard());
        return ended && (group == null || liveView.hasFinished(group));
    }

    /** Returns whether the ends of tasks that did not run may never be heard of, since their events are gone. */
    private boolean mayEndsBeUnheard() {
        return liveView.haveEventsBeenDropped() || context.hasLostWrites();
    }

    /** Returns whether a task rests in the store: it belongs to the dead key, or waits for one that was not published any more. */
    private boolean staysHeld(String id, Set<String> published) {
        String awaited = RelatedTasks.dependsOn(id);
        return trialCase.workload().isOrdered() && TaskGenerator.isHalted(id)
                || awaited != null && !published.contains(RelatedTasks.idOf(awaited));
    }

    private static void finalAudit(Auditor auditor) throws InterruptedException {
        for (int i = 0; i < FINAL_AUDIT_TRIES; i++) {
            try {
                auditor.audit();
                return;
            } catch (Exception e) {
                TimeUnit.MILLISECONDS.sleep(FINAL_AUDIT_PAUSE_MILLIS);
            }
        }
    }

    /** Returns what the broker has not got back yet; -1 if it does not answer. */
    private long backlog(@Nullable TrialTopic topic) {
        try {
            return topic != null
                    ? topic.backlog()
                    : RabbitBacklog.of(executors.directSettings().rabbit());
        } catch (Exception e) {
            return -1;
        }
    }

    private TrialOutbox outbox() {
        if (outbox == null) {
            throw new IllegalStateException("The workload " + trialCase.workload() + " has no outbox");
        }
        return outbox;
    }

    private void requireEffectsOnce(LoadGenerator load) throws SQLException {
        if (outbox != null) {
            outbox.requireEffectsOnce(load.acknowledged().stream()
                    .filter(id -> !TaskGenerator.isHalted(id))
                    .collect(Collectors.toSet()));
        }
    }

    private Publisher publisher() {
        if (outbox != null) {
            return outbox.publisher();
        }
        if (trialCase.workload().isRabbit()) {
            return new RabbitPublisher(List.of(executors.directSettings().rabbit()));
        }
        return new KafkaPublisher(
                List.of(KafkaSettings.of(executors.directSettings().broker(), queue)));
    }

    private String describe(LoadGenerator load) {
        return String.format(
                Locale.ROOT,
                "%s × %s: round %d, %d published, %d ended, %d executors",
                trialCase.fault().name(),
                trialCase.workload(),
                context.round(),
                load.acknowledged().size(),
                liveView.ended(),
                executors.all().size());
    }

    private void stopThreads() throws InterruptedException {
        executors.stopPolling();
        if (stallDetector != null) {
            stallDetector.interrupt();
            stallDetector.join();
        }
    }

    @Override
    public void close() {
        if (outbox != null) {
            outbox.close();
        }
        executors.close();
        if (features != null) {
            features.close();
        }
        log.close();
    }
}
