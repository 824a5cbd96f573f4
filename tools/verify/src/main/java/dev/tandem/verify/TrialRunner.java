package dev.tandem.verify;

import dev.tandem.local.LocalException;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Carries out trials, one after another in each of some lanes, which have brokers of their own. */
final class TrialRunner {

    /** A fault under a workload. */
    record TrialCase(Fault fault, Workload workload) {

        boolean isOf(TrialResult result) {
            return result.fault().equals(fault) && result.workload() == workload;
        }
    }

    private record Task(int number, TrialCase pair, long seed) {}

    private final List<TrialCase> pairs;
    private final TrialSettings sizes;
    private final TestBrokers.Addresses addresses;
    private final Path run;
    private final ProgressDisplay progress;
    private final Consumer<TrialRunner> told;
    private final Random random;
    private final @Nullable Long trialSeed;
    private final long begin = System.nanoTime();
    private final long deadline;
    private final List<TrialResult> results = new ArrayList<>();
    private final List<String> products = new ArrayList<>();
    private int taken;

    /**
     * Not begun yet.
     *
     * @param seed from which those of all trials follow
     * @param trialSeed of every trial; null for different ones
     * @param time the pairs are gone through again and again for so long; zero: once
     * @param told called after each trial
     */
    TrialRunner(
            List<TrialCase> pairs,
            TrialSettings sizes,
            TestBrokers.Addresses addresses,
            long seed,
            @Nullable Long trialSeed,
            Duration time,
            Path run,
            ProgressDisplay progress,
            Consumer<TrialRunner> told) {
        this.pairs = pairs;
        this.sizes = sizes;
        this.addresses = addresses;
        this.random = new Random(seed);
        this.trialSeed = trialSeed;
        this.deadline = time.isZero() ? Long.MAX_VALUE : begin + time.toNanos();
        this.run = run;
        this.progress = progress;
        this.told = told;
    }

    /** Carries out all, in so many lanes at once. */
    void run(int lanes) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            Thread thread = new Thread(this::lane, "verify-lane-" + (i + 1));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void lane() {
        try (TestBrokers lab = new TestBrokers(addresses, progress::line)) {
            for (Optional<Task> task = next(); task.isPresent(); task = next()) {
                TrialResult result = trial(lab, task.get());
                synchronized (this) {
                    results.add(result);
                    lab.products().stream()
                            .filter(each -> !products.contains(each))
                            .forEach(products::add);
                    told.accept(this);
                }
            }
        }
    }

    private synchronized Optional<Task> next() {
        boolean once = deadline == Long.MAX_VALUE;
        if (once ? taken == pairs.size() : System.nanoTime() >= deadline) {
            return Optional.empty();
        }
        TrialCase pair = pairs.get(taken++ % pairs.size());
        long seed = random.nextLong() >>> 1;
        return Optional.of(new Task(taken, pair, trialSeed == null ? seed : trialSeed));
    }

    /** Of the trials that have ended. */
    synchronized List<TrialResult> results() {
        return List.copyOf(results);
    }

    /** The brokers of all lanes. */
    synchronized List<String> products() {
        return List.copyOf(products);
    }

    /** How many trials have ended, in which time, and what was not tried yet. */
    synchronized String extent() {
        List<TrialCase> missing = pairs.stream()
                .filter(pair -> results.stream().noneMatch(pair::isOf))
                .toList();
        List<String> listed = missing.stream()
                .filter(pair -> Fault.all().contains(pair.fault()))
                .map(pair -> pair.fault().name() + " × " + pair.workload())
                .toList();
        long minutes = TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - begin);
        return results.size() + " trials in " + minutes + " minutes"
                + (listed.isEmpty() ? "" : "; no time was left for " + String.join(", ", listed)) + ".";
    }

    private TrialResult trial(TestBrokers lab, Task task) {
        Fault fault = task.pair().fault();
        Workload workload = task.pair().workload();
        String name = String.format(
                Locale.ROOT, "%03d-%s-%s", task.number(), fault.name().replace('+', '-'), workload);
        Path folder = run.resolve(name);
        try {
            Optional<String> obstacle = lab.obstacle(fault.needs(), workload);
            if (obstacle.isPresent()) {
                progress.line(name + ": not tried, " + obstacle.get());
                return new TrialResult(fault, workload, task.seed(), null, obstacle.get(), false, null);
            }
            long begin = System.nanoTime();
            Judgement judgement;
            String classPath = System.getProperty("java.class.path");
            try (Trial trial = new Trial(lab, fault, workload, sizes, task.seed(), classPath, folder, progress::live)) {
                judgement = trial.run();
            }
            say(name, judgement, Duration.ofNanos(System.nanoTime() - begin));
            return new TrialResult(fault, workload, task.seed(), judgement, null, true, folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new TrialResult(fault, workload, task.seed(), null, "interrupted", true, folder);
        } catch (Exception e) {
            String why = e instanceof LocalException || e.getMessage() != null ? e.getMessage() : e.toString();
            progress.line(name + ": could not be carried out: " + why);
            return new TrialResult(fault, workload, task.seed(), null, why, true, folder);
        }
    }

    private void say(String name, Judgement judgement, Duration took) {
        progress.line(String.format(
                Locale.ROOT,
                "%s: %s, %d tasks, %d duplicates, %d s",
                name,
                judgement.passed() ? "passed" : judgement.vacuous() ? "VACUOUS" : "FAILED",
                judgement.figures().published(),
                judgement.figures().duplicated(),
                took.toSeconds()));
        judgement.violations().stream()
                .limit(3)
                .forEach(each -> progress.line("  " + each.rule() + ": " + each.text()));
    }
}
