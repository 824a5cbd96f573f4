package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.local.BrokerAddresses;
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
 * The checker notices mutants that break a rule, and does not complain about the product under the same load. Each
 * test takes minutes, so they run on demand: {@code -Dverify.mutants=all}, or names separated by commas. {@code
 * -Dverify.seed=N} sets the first seed. A mutant gets {@value #TRIES} tries, each with the next seed.
 */
@EnabledIfSystemProperty(named = "verify.mutants", matches = ".+")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
class MutantsIT {

    private static final Path FOLDER = Path.of(System.getProperty("tandem.local.dir", "target/brokers"), "mutants");
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final long SEED = Long.getLong("verify.seed", 1);
    private static final int TRIES = 3;
    private static final Duration MUTANT_PATIENCE = Duration.ofSeconds(40);
    private static final Duration PRODUCT_PATIENCE = Duration.ofMinutes(4);

    /** Rules that a busy machine breaks as well, so that they prove nothing about a mutant. */
    private static final Set<CheckerRule> TIME_RULES =
            Set.of(CheckerRule.ALL_DONE, CheckerRule.INDEPENDENCE, CheckerRule.COMMIT_LAG);

    private final LaneBrokers brokers = new LaneBrokers(new BrokerAddresses(null, null, null), System.out::println);

    static Stream<Mutant> selected() {
        String names = System.getProperty("verify.mutants", "all");
        return names.equals("all")
                ? Arrays.stream(Mutant.values())
                : Arrays.stream(names.split(",", -1)).map(Mutant::valueOf);
    }

    @ParameterizedTest
    @MethodSource("selected")
    @Execution(ExecutionMode.SAME_THREAD)
    void noticesAMutant(Mutant mutant) throws Exception {
        Path folder = FOLDER.resolve(mutant.name());
        String classPath = mutant.classPath(folder.resolve("classes"));
        Set<CheckerRule> broken = new TreeSet<>();
        // A mutant that only the simulation catches runs once, to see whether that is still the case.
        int tries = mutant.shows().isEmpty() ? 1 : TRIES;
        for (int i = 0; i < tries && broken.isEmpty(); i++) {
            broken.addAll(broken(mutant, classPath, SEED + i, MUTANT_PATIENCE, folder));
            broken.removeAll(TIME_RULES);
        }
        if (!mutant.shows().isEmpty()) {
            assertThat(broken)
                    .as("rules broken by %s: %s", mutant, mutant.about())
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("selected")
    @Execution(ExecutionMode.SAME_THREAD)
    void doesNotComplainAboutTheProduct(Mutant mutant) throws Exception {
        String classPath = System.getProperty("java.class.path");
        Set<CheckerRule> broken =
                broken(mutant, classPath, SEED, PRODUCT_PATIENCE, FOLDER.resolve(mutant.name() + "-not"));
        // Here it does not matter how long tasks wait, only that they end.
        assertThat(broken).isSubsetOf(CheckerRule.INDEPENDENCE, CheckerRule.COMMIT_LAG);
    }

    private Set<CheckerRule> broken(Mutant mutant, String classPath, long seed, Duration patience, Path folder)
            throws Exception {
        Brokers.orSkip(brokers::redis);
        Brokers.orSkip(() -> brokers.broker(mutant.workload()));
        Optional<String> obstacle = brokers.obstacle(mutant.fault().requirements(), mutant.workload());
        assumeTrue(obstacle.isEmpty(), () -> String.valueOf(obstacle));
        // With many long tasks.
        TrialSettings settings = new TrialSettings(
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
                brokers,
                new TrialCase(mutant.fault(), mutant.workload()),
                settings,
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
        judgement.findings().stream()
                .collect(Collectors.toMap(Finding::rule, Finding::description, (one, other) -> one, TreeMap::new))
                .forEach((rule, text) -> System.out.println("  " + rule + " " + text));
        return broken;
    }

    @AfterAll
    void close() {
        brokers.close();
    }
}
