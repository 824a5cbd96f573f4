package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.testkit.Brokers;
import dev.tandem.verify.check.CheckerRule;
import dev.tandem.verify.check.Finding;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.check.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Executors that break a rule are noticed, and the product under the same load is not. Minutes each, so only on demand:
 * {@code -Dverify.mutants=all}, or names separated by commas; {@code -Dverify.seed=N} begins with that seed. What is seen by
 * chance gets {@value #TRIES} tries.
 */
@EnabledIfSystemProperty(named = "verify.mutants", matches = ".+")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class MutantsIT {

    private static final Path FOLDER = Path.of(System.getProperty("tandem.local.dir", "target/brokers"), "mutants");
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final long SEED = Long.getLong("verify.seed", 1);
    private static final int TRIES = 3;
    private static final Duration SHORT = Duration.ofSeconds(40);
    private static final Duration LONG = Duration.ofMinutes(4);

    /** A busy machine breaks them too: of a mutant they prove nothing. */
    private static final Set<CheckerRule> OF_TIME =
            Set.of(CheckerRule.ALL_DONE, CheckerRule.INDEPENDENCE, CheckerRule.COMMIT_LAG);

    private final TestBrokers lab = new TestBrokers(new TestBrokers.Addresses(null, null, null), System.out::println);

    static Stream<Mutant> chosen() {
        String names = System.getProperty("verify.mutants", "all");
        return names.equals("all")
                ? Arrays.stream(Mutant.values())
                : Arrays.stream(names.split(",", -1)).map(Mutant::valueOf);
    }

    @ParameterizedTest
    @MethodSource("chosen")
    @Execution(ExecutionMode.SAME_THREAD)
    void aProductThatBreaksARuleIsCaught(Mutant mutant) throws Exception {
        Path folder = FOLDER.resolve(mutant.name());
        String classPath = mutant.classPath(folder.resolve("classes"));
        Set<CheckerRule> broken = new TreeSet<>();
        // What only the simulation catches is run once, to see whether that is still so.
        int tries = mutant.shows().isEmpty() ? 1 : TRIES;
        for (int i = 0; i < tries && broken.isEmpty(); i++) {
            broken.addAll(broken(mutant, classPath, SEED + i, SHORT, folder));
            broken.removeAll(OF_TIME);
        }
        if (!mutant.shows().isEmpty()) {
            assertThat(broken)
                    .as("rules broken by %s: %s", mutant, mutant.about())
                    .isNotEmpty();
        }
    }

    /** What catches the mutants does not catch the product itself, under the same load. */
    @ParameterizedTest
    @MethodSource("chosen")
    @Execution(ExecutionMode.SAME_THREAD)
    void theProductItselfIsNot(Mutant mutant) throws Exception {
        String classPath = System.getProperty("java.class.path");
        Set<CheckerRule> broken = broken(mutant, classPath, SEED, LONG, FOLDER.resolve(mutant.name() + "-not"));
        // How long things may take is no matter here, but that they end.
        assertThat(broken).isSubsetOf(CheckerRule.INDEPENDENCE, CheckerRule.COMMIT_LAG);
    }

    private Set<CheckerRule> broken(Mutant mutant, String classPath, long seed, Duration patience, Path folder)
            throws Exception {
        Brokers.orSkip(lab::redis);
        Brokers.orSkip(() -> lab.broker(mutant.workload()));
        Optional<String> obstacle = lab.obstacle(mutant.fault().needs(), mutant.workload());
        assumeTrue(obstacle.isEmpty(), () -> String.valueOf(obstacle));
        // Long tasks often.
        TrialSettings sizes = new TrialSettings(
                LEASE,
                Duration.ofSeconds(1),
                250,
                2,
                6,
                Duration.ofSeconds(2),
                3,
                60,
                Duration.ofSeconds(60),
                patience);
        Judgement judgement;
        try (Trial trial = new Trial(
                lab,
                mutant.fault(),
                mutant.workload(),
                sizes,
                seed,
                classPath,
                folder.resolve("events-" + System.currentTimeMillis()),
                progress -> {})) {
            judgement = trial.run();
        }
        Set<CheckerRule> broken = judgement.verdicts().entrySet().stream()
                .filter(each -> each.getValue() instanceof Verdict.Broken)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        System.out.println(folder.getFileName() + ": " + mutant.fault().name() + " " + mutant.workload() + ", seed "
                + seed + ": " + broken);
        judgement.violations().stream()
                .collect(Collectors.toMap(Finding::rule, Finding::text, (one, other) -> one, TreeMap::new))
                .forEach((rule, text) -> System.out.println("  " + rule + " " + text));
        return broken;
    }

    @AfterAll
    void close() {
        lab.close();
    }
}
