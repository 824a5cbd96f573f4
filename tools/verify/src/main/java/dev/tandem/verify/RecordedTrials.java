package dev.tandem.verify;

import dev.tandem.verify.check.Checker;
import dev.tandem.verify.check.CheckerSettings;
import dev.tandem.verify.check.Judgement;
import dev.tandem.verify.fault.Fault;
import dev.tandem.verify.load.Workload;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Judges trials from the events in their folders. A judgement rests on nothing else. */
final class RecordedTrials {

    /** The file of the trial's own events. */
    static final String TRIAL_EVENTS = "verify" + EventFiles.SUFFIX;

    private RecordedTrials() {}

    /**
     * Judges a trial.
     *
     * @param folder folder of its events
     * @throws IllegalArgumentException if events are missing or cannot be read, saying which
     */
    static Judgement judge(Path folder) {
        List<Event> events = events(folder);
        return judge(events, opened(folder, events));
    }

    /**
     * Judges the trials of a run, or one trial.
     *
     * @param folder folder of a run, or of one of its trials
     * @throws IllegalArgumentException if events are missing or cannot be read, saying which
     */
    static VerifyReport report(Path folder) {
        List<TrialResult> results = new ArrayList<>();
        List<String> brokers = new ArrayList<>();
        Event.TrialOpened first = null;
        for (Path trial : trials(folder)) {
            List<Event> events = events(trial);
            Event.TrialOpened opened = opened(trial, events);
            opened.brokers().stream()
                    .filter(broker -> !brokers.contains(broker))
                    .forEach(brokers::add);
            if (first == null) {
                first = opened;
            } else if (first.leaseMillis() != opened.leaseMillis()) {
                throw new IllegalArgumentException(folder + " has trials with leases of " + first.leaseMillis()
                        + " ms and " + opened.leaseMillis() + " ms: judge each trial separately");
            }
            TrialCase trialCase = new TrialCase(Fault.of(opened.fault()), Workload.of(opened.workload()));
            results.add(TrialResult.judged(trialCase, opened.seed(), judge(events, opened), trial));
        }
        if (first == null) {
            throw new IllegalArgumentException(folder + " has no recorded events (*" + EventFiles.SUFFIX
                    + "), nor has any folder in it: it must be the folder of a run, such as .tandem/verify/<date>,"
                    + " or of one of its trials");
        }
        return report(folder, first, brokers, results);
    }

    private static VerifyReport report(
            Path folder, Event.TrialOpened first, List<String> brokers, List<TrialResult> results) {
        TrialSettings settings = new TrialSettings(
                Duration.ofMillis(first.leaseMillis()),
                Duration.ZERO,
                first.perSecond(),
                first.executors(),
                first.partitions(),
                Duration.ZERO,
                1,
                0,
                Duration.ofMillis(first.lenienceMillis()),
                Duration.ZERO);
        return new VerifyReport(
                first.version(),
                "judged again by " + Verify.version(),
                first.seed(),
                "As recorded in " + folder,
                results.size() + " trials.",
                brokers,
                settings,
                results);
    }

    private static Judgement judge(List<Event> events, Event.TrialOpened opened) {
        Workload workload = Workload.of(opened.workload());
        CheckerSettings settings = CheckerSettings.of(
                        workload.isOrdered(), workload.knowsOffsets(), Duration.ofMillis(opened.leaseMillis()))
                .overflowing(workload.overflows());
        return Checker.judge(events, settings.lenient(Duration.ofMillis(opened.lenienceMillis())));
    }

    private static List<Path> trials(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException("There is no folder " + folder);
        }
        if (EventFiles.existIn(folder)) {
            return List.of(folder);
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(Files::isDirectory)
                    .filter(EventFiles::existIn)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot list " + folder, e);
        }
    }

    private static List<Event> events(Path folder) {
        if (!Files.exists(folder.resolve(TRIAL_EVENTS))) {
            throw new IllegalArgumentException(folder + " lacks " + TRIAL_EVENTS
                    + ", which has the published tasks, what was done to executors and servers, and the audits");
        }
        List<Event> events = EventFiles.readAll(folder);
        for (Event event : events) {
            // The trial records the end of every executor, so this finds all executors.
            if (event instanceof Event.ProcessEnded ended && !Files.exists(EventFiles.of(folder, ended.process()))) {
                throw new IllegalArgumentException(folder + " lacks " + ended.process() + EventFiles.SUFFIX
                        + ", which has the runs of that executor. Without it, all of its tasks would seem lost");
            }
        }
        return events;
    }

    private static Event.TrialOpened opened(Path folder, List<Event> events) {
        return events.stream()
                .filter(Event.TrialOpened.class::isInstance)
                .map(Event.TrialOpened.class::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(folder.resolve(TRIAL_EVENTS)
                        + " does not describe its trial (no event TrialOpened): its beginning is cut off, or another"
                        + " version recorded it"));
    }
}
