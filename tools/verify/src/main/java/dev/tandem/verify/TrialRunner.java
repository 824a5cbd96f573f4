package dev.tandem.verify;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.local.BrokerAddresses;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.fault.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs trials in parallel lanes, one after another in each lane. Each lane has its own brokers. Thread-safe. */
final class TrialRunner {

    private static final int SHOWN_FINDINGS = 3;

    private record NumberedTrial(int number, TrialCase trialCase, long seed) {

        /** Returns the name of the trial's folder. */
        String name() {
            return String.format(
                    Locale.ROOT,
                    "%03d-%s-%s",
                    number,
                    trialCase.fault().name().replace('+', '-'),
                    trialCase.workload());
        }
    }

    /**
     * The trials to run.
     *
     * @param cases the cases, in the order in which they are run
     * @param seed the seeds of all trials follow from this
     * @param trialSeed seed of every trial; null for different ones
     * @param duration for how long the cases are repeated; zero to run each once
     * @param date when the run began
     * @param folder folder for the report and the events of each trial
     */
    record Plan(
            List<TrialCase> cases,
            TrialSettings settings,
            BrokerAddresses brokers,
            long seed,
            @Nullable Long trialSeed,
            Duration duration,
            Instant date,
            Path folder) {

        boolean isRepeated() {
            return !duration.isZero();
        }
    }

    private final Plan plan;
    private final ConsoleProgress progress;
    private final Consumer<TrialRunner> listener;
    private final Random random;
    private final long begin = System.nanoTime();
    private final List<TrialResult> results = new ArrayList<>();
    private final List<String> products = new ArrayList<>();
    private int started;

    /** @param listener called after each trial */
    TrialRunner(Plan plan, ConsoleProgress progress, Consumer<TrialRunner> listener) {
        this.plan = plan;
        this.progress = progress;
        this.listener = listener;
        this.random = new Random(plan.seed());
    }

    /** Runs all trials. */
    void run(int lanes) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            Thread thread = new Thread(this::runLane, "verify-lane-" + (i + 1));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void runLane() {
        try (LaneBrokers brokers = new LaneBrokers(plan.brokers(), progress::line)) {
            for (Optional<NumberedTrial> next = next(); next.isPresent(); next = next()) {
                TrialResult result = run(brokers, next.get());
                synchronized (this) {
                    results.add(result);
                    brokers.products().stream()
                            .filter(product -> !products.contains(product))
                            .forEach(products::add);
                    listener.accept(this);
                }
            }
        }
    }

    private synchronized Optional<NumberedTrial> next() {
        boolean over = plan.isRepeated()
                ? System.nanoTime() - begin >= plan.duration().toNanos()
                : started == plan.cases().size();
        if (over) {
            return Optional.empty();
        }
        TrialCase trialCase = plan.cases().get(started++ % plan.cases().size());
        long seed = random.nextLong() >>> 1;
        Long fixed = plan.trialSeed();
        return Optional.of(new NumberedTrial(started, trialCase, fixed == null ? seed : fixed));
    }

    /** Returns the results of the trials that have ended. */
    synchronized List<TrialResult> results() {
        return List.copyOf(results);
    }

    /** Returns the broker products of all lanes. */
    synchronized List<String> products() {
        return List.copyOf(products);
    }

    /** Describes how many trials have ended, in which time, and which cases were not tried yet. */
    synchronized String extent() {
        List<String> missing = plan.cases().stream()
                .filter(trialCase -> results.stream().noneMatch(trialCase::isOf))
                .filter(trialCase -> Fault.all().contains(trialCase.fault()))
                .map(trialCase -> trialCase.fault().name() + " × " + trialCase.workload())
                .toList();
        long minutes = TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - begin);
        return results.size() + " trials in " + minutes + " minutes"
                + (missing.isEmpty() ? "" : "; no time was left for " + String.join(", ", missing)) + ".";
    }

    private TrialResult run(LaneBrokers brokers, NumberedTrial trial) {
        TrialCase trialCase = trial.trialCase();
        String name = trial.name();
        Path folder = plan.folder().resolve(name);
        try {
            Optional<String> obstacle = brokers.obstacle(trialCase.fault().requirements(), trialCase.workload());
            if (obstacle.isPresent()) {
                progress.line(name + ": not tried, " + obstacle.get());
                return TrialResult.notTried(trialCase, trial.seed(), obstacle.get());
            }
            long trialBegin = System.nanoTime();
            Judgement judgement = judge(brokers, trial, folder);
            print(name, judgement, Duration.ofNanos(System.nanoTime() - trialBegin));
            return TrialResult.judged(trialCase, trial.seed(), judgement, folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return TrialResult.failed(trialCase, trial.seed(), "interrupted", folder);
        } catch (Exception e) {
            String reason = e.getMessage() != null ? e.getMessage() : e.toString();
            progress.line(name + ": did not finish: " + reason);
            return TrialResult.failed(trialCase, trial.seed(), reason, folder);
        }
    }

    private Judgement judge(LaneBrokers brokers, NumberedTrial numbered, Path folder) throws Exception {
        String classPath = System.getProperty("java.class.path");
        try (Trial trial = new Trial(
                brokers,
                numbered.trialCase(),
                plan.settings(),
                numbered.seed(),
                classPath,
                folder,
                progress::progress)) {
            return trial.run();
        }
    }

    private void print(String name, Judgement judgement, Duration time) {
        progress.line(String.format(
                Locale.ROOT,
                "%s: %s, %d tasks, %d duplicates, %d s",
                name,
                judgement.passed() ? "passed" : judgement.vacuous() ? "VACUOUS" : "FAILED",
                judgement.statistics().published(),
                judgement.statistics().duplicated(),
                time.toSeconds()));
        judgement.findings().stream()
                .limit(SHOWN_FINDINGS)
                .forEach(finding -> progress.line("  " + finding.rule() + ": " + finding.description()));
    }
}
