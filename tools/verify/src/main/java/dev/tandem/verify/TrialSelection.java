package dev.tandem.verify;

import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.fault.Requirement;
import dev.tandem.verify.load.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** Selects the cases of a run by the options of the command. */
final class TrialSelection {

    /** How many random combinations a soak adds to the list. */
    private static final int RANDOM_COMBINATIONS = 20;

    /** The cases of a run without options. */
    private static final List<String> SHORT_SET = List.of(
            "none kafka-zipf",
            "kill kafka-zipf",
            "freeze kafka-features",
            "freeze-settle kafka-distinct",
            "redis-forgets kafka-zipf",
            "rolling kafka-zipf",
            "kafka-restart kafka-zipf",
            "partition-both kafka-zipf",
            "kill rabbit-ordered",
            "kill rabbit-features",
            "kill rabbit-unordered");

    /** The faults that special workloads are combined with, unless faults are named. */
    private static final Set<String> SPECIAL_FAULTS = Set.of("none", "kill", "churn", "freeze", "redis-forgets");

    /** The further faults that workloads with features are combined with, unless faults are named. */
    private static final Set<String> FEATURE_FAULTS = Set.of(
            "kill-restart",
            "partition-redis",
            "rolling",
            "cluster-failover",
            "redis-restart",
            "redis-full",
            "kafka-restart",
            "rabbit-restart");

    /** The faults that workloads with an outbox are combined with, unless faults are named. */
    private static final Set<String> OUTBOX_FAULTS = Set.of(
            "relay-kill",
            "relay-freeze",
            "postgres-restart",
            "relay-kill+kafka-restart",
            "kafka-restart",
            "rabbit-restart",
            "kill");

    private final List<Fault> faults;
    private final List<Workload> workloads;
    private final boolean allFaults;

    /**
     * Creates a selection.
     *
     * @param faultNames names of faults; empty for all
     * @param workloadNames names of workloads; empty for all
     * @throws IllegalArgumentException if a name is unknown, naming those that exist
     */
    TrialSelection(List<String> faultNames, List<String> workloadNames) {
        workloads = workloadNames.isEmpty()
                ? List.of(Workload.values())
                : workloadNames.stream().map(Workload::of).toList();
        faults = faultNames.isEmpty()
                ? Fault.all()
                : faultNames.stream().map(Fault::of).toList();
        allFaults = faultNames.isEmpty();
    }

    /**
     * Returns the selected cases.
     *
     * @param shortSet whether to return only cases of the short set
     * @throws IllegalArgumentException if there is no such case
     */
    List<TrialCase> cases(boolean shortSet) {
        List<TrialCase> cases = new ArrayList<>();
        for (Fault fault : faults) {
            for (Workload workload : workloads) {
                boolean wanted = shortSet
                        ? SHORT_SET.contains(fault.name() + " " + workload)
                        : !allFaults || isCombined(fault, workload);
                if (wanted && supports(fault, workload)) {
                    cases.add(new TrialCase(fault, workload));
                }
            }
        }
        if (cases.isEmpty()) {
            throw new IllegalArgumentException("Nothing is left: "
                    + faults.stream().map(Fault::name).collect(Collectors.joining(", ")) + " does not apply to "
                    + workloads);
        }
        return cases;
    }

    private static boolean isCombined(Fault fault, Workload workload) {
        if (workload.isOutbox()) {
            return OUTBOX_FAULTS.contains(fault.name());
        }
        if (workload.hasFeatures() && FEATURE_FAULTS.contains(fault.name())) {
            return true;
        }
        return !workload.isSpecial() || SPECIAL_FAULTS.contains(fault.name());
    }

    private static boolean supports(Fault fault, Workload workload) {
        return fault.supports(workload.isRabbit())
                && (workload.isOutbox() || !fault.requirements().contains(Requirement.OUTBOX));
    }

    /** Returns the cases of a soak: all selected ones in random order, then random combinations of faults. */
    List<TrialCase> soakCases(long seed) {
        List<TrialCase> cases = new ArrayList<>(cases(false));
        // In random order, so that a soak that ends early has tried some of everything.
        Collections.shuffle(cases, new Random(seed));
        cases.addAll(randomCombinations(new Random(seed)));
        return cases;
    }

    private List<TrialCase> randomCombinations(Random random) {
        List<Workload> every = List.of(Workload.values());
        List<TrialCase> cases = new ArrayList<>();
        while (allFaults && cases.size() < RANDOM_COMBINATIONS) {
            Fault fault = Fault.randomPair(random);
            Workload workload = every.get(random.nextInt(every.size()));
            if (workloads.contains(workload) && supports(fault, workload)) {
                cases.add(new TrialCase(fault, workload));
            }
        }
        return cases;
    }
}
